export const uplinkErrorsDe = {
  "uplink.access_refused":
    "Das Ziel weist die Zugangsdaten ab: {reason}. Prüfen Sie Benutzer, Passwort, Token oder Zertifikat.",
  "uplink.batch_refused": "Das Ziel weist diese Werte ab: {reason}",
  "uplink.unreachable": "Das Ziel ist nicht erreichbar: {reason}",
  "uplink.target_failed": "Fehler im Ziel: {reason}",
  "uplink.certificate_unreadable": "Das Zertifikat oder der Schlüssel in {field} ist nicht lesbar: {reason}",
  "uplink.setting_invalid": "Die Einstellung {field} ist nicht gültig: {reason}",
  "uplink.header_secret":
    "Geben Sie den Wert des Headers {name} als Token ein, wo er geheim bleibt, und den Namen als Header des Tokens",
  "uplink.settings_refused": "Das Ziel nimmt die Einstellungen nicht an: {reason}",
  "uplink.setting_missing": "Die Einstellung {field} fehlt",
  "uplink.folder_relative": "Der Pfad {path} muss absolut sein",
};
