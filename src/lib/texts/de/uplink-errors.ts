export const uplinkErrorsDe = {
  "uplink.access_refused":
    "Das Ziel weist die Zugangsdaten ab: {reason}. Prüfen Sie Benutzer, Passwort, Token oder Zertifikat.",
  "uplink.address_password":
    "{field} darf weder Benutzernamen noch Passwort enthalten. Geben Sie diese in eigenen Feldern ein.",
  "uplink.address_port": "{field} hat einen Port über {portMax}.",
  "uplink.batch_refused": "Das Ziel weist diese Werte ab: {reason}",
  "uplink.unreachable": "Das Ziel ist nicht erreichbar: {reason}",
  "uplink.target_failed": "Fehler im Ziel: {reason}",
  "uplink.certificate_unreadable": "Das Zertifikat oder der Schlüssel in {field} ist nicht lesbar: {reason}",
  "uplink.setting_invalid": "Die Einstellung {field} ist nicht gültig: {reason}",
  "uplink.header_secret":
    "Geben Sie den Wert des Headers {name} als Token ein, wo er geheim bleibt, und den Namen als Header des Tokens",
  "uplink.action_uplinks": "Uplinks verwalten",
  "uplink.command_failed": "Das Gerät hat nicht geantwortet: {reason}",
  "uplink.commands_limit":
    "Der Uplink führt bereits {max} Befehle aus. Senden Sie den Befehl später noch einmal.",
  "uplink.device_unknown": "Der Uplink kennt das Gerät {name} nicht.",
  "uplink.device_not_selected": "Der Uplink sendet dieses Gerät nicht.",
  "uplink.limit": "Es gibt bereits {limit} Uplinks. Mehr kann ein Mandant nicht haben.",
  "uplink.not_found": "Den Uplink gibt es nicht.",
  "uplink.not_refused": "Das Ziel weist zurzeit nichts ab.",
  "uplink.secret_moved":
    "{name} wurde für einen anderen Server oder eine verschlüsselte Verbindung eingegeben. Geben Sie es neu ein.",
  "uplink.secret_unknown": "{name} ist nicht bekannt. Geben Sie es neu ein.",
  "uplink.step_unfit": "steps: webhook_forward ist nur in einer Pipeline möglich",
  "uplink.stopped": "Die Uplinks sind beendet.",
  "uplink.tags_invalid": "Höchstens {max} Tags mit Namen von 64 und Werten von 256 Zeichen sind möglich.",
  "uplink.target_invalid": "{field}: {rule}",
  "uplink.type_unknown": "Ein Ziel vom Typ {type} gibt es nicht. Es gibt: {known}",
  "thread.failed": "Fehler im anderen Thread: {reason}",
  "uplink.place_missing": "Das Ziel hat nicht, was die Einstellungen nennen: {reason}",
  "uplink.settings_refused": "Das Ziel nimmt die Einstellungen nicht an: {reason}",
  "uplink.setting_missing": "Die Einstellung {field} fehlt",
  "uplink.folder_relative": "Der Pfad {path} muss absolut sein",
};
