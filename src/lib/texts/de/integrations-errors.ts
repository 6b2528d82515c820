import type { integrationsErrors } from "../en/integrations-errors.ts";

export const integrationsErrorsDe: Readonly<Record<keyof typeof integrationsErrors, string>> = {
  "command.format_without": "Geräte dieser Anbindung können keine Befehle empfangen.",
  "command.method_no_topic":
    "„{method}“ ist kein Befehl dieser Geräte: Der Name darf nicht leer sein und weder / noch + oder # enthalten",
  "command.topic_unusable":
    "„{topic}“: Auf diesem Topic kann niemand veröffentlichen. Prüfen Sie den Namen des Geräts.",
  "command.value_not_plain": "„{method}“: der Wert muss eine Zahl, ein Text, true oder false sein",
  "codec_index.archive_missing": "Das ganze Archiv muss zuerst hochgeladen werden.",
  "codec_index.archive_too_large": "Das Archiv darf höchstens {mebibytes} MiB haben.",
  "codec_index.archive_unknown": "Die Datei ist weder ein zip- noch ein tar.gz-Archiv.",
  "codec_index.archive_unreadable": "Das Archiv lässt sich nicht lesen: {reason}",
  "codec_index.busy": "Eine Sammlung wird gerade geladen. Warten Sie, bis sie vollständig ist.",
  "codec_index.collection_too_large": "Die Sammlung ist zu groß: mehr als {mebibytes} MiB.",
  "codec_index.entry_not_found": "Die Sammlung enthält dieses Gerät nicht.",
  "codec_index.failed": "Die Sammlung ließ sich nicht laden: {reason}",
  "codec_index.folder_invalid": "Der Ordner muss ein absoluter Pfad außerhalb des Datenverzeichnisses sein.",
  "codec_index.folder_unreadable": "Der Ordner {path} lässt sich nicht lesen.",
  "codec_index.interrupted": "Das Gateway wurde beendet, bevor die Sammlung geladen war.",
  "codec_index.no_codecs": "Die Sammlung enthält keine Codecs.",
  "codec_index.too_many": "Die Sammlung hat mehr als {max} Dateien oder Geräte.",
  "codec.file_missing": "das Formular hat keine Datei",
  "codec.frame_invalid": "Der Frame muss aus höchstens 255 Byte in Hexadezimal oder Base64 bestehen.",
  "codec.in_use": "Diese Anbindungen verwenden den Codec: {names}. Entfernen Sie ihn dort zuerst.",
  "codec.limit": "Ein Standort hat höchstens {limit} Codecs. Löschen Sie zuerst einen.",
  "codec.name_taken": "Ein Codec namens „{name}“ existiert schon. Wählen Sie einen anderen Namen.",
  "codec.no_function": "Der Quelltext muss eine dieser Funktionen enthalten: {names}.",
  "codec.not_found": "Diesen Codec gibt es nicht.",
  "codec.not_text": "Die Datei ist kein Text in UTF-8.",
  "codec.too_large": "Ein Codec hat höchstens 256 KiB.",
  "codec.type_unknown":
    "content-type muss text/javascript, text/plain oder multipart/form-data mit einer Datei sein",
  "downlink.dev_eui_invalid": "devEui: muss 16 hexadezimale Zeichen haben",
  "downlink.dev_eui_missing": "das Gerät hat weder eine Dev-EUI (lorawanDevEui) noch eine ID eines Netzwerks",
  "downlink.device_missing": "deviceId oder devEui fehlt",
  "downlink.encoded_too_long": "der Codec hat {byteLength} Byte zurückgegeben; ein Frame hat höchstens {max}",
  "downlink.f_port_invalid": "fPort: muss 1 bis 223 sein",
  "downlink.f_port_missing": "fPort: fehlt, hier oder als settings_json.downlink.fPort",
  "downlink.field_invalid": "{field}: {rule}",
  "downlink.invalid": "{rule}",
  "downlink.no_network": "nur Anbindungen an ChirpStack und The Things Stack senden Downlinks",
  "downlink.not_stored": "Der Downlink ließ sich nicht speichern. Versuchen Sie es erneut.",
  "downlink.paused": "Die Anbindung ist angehalten. Starten Sie sie zuerst.",
  "downlink.settings_missing": "settings_json.downlink: ist nötig, um Downlinks zu senden",
  "downlink.too_long": "ein Frame hat höchstens {max} Byte, und dieser hat {byteLength}",
  "downlink.too_many": "Es warten schon {count} Downlinks. Warten Sie, bis einige gesendet sind.",
  "downlink.too_many_of_device":
    "Für dieses Gerät warten schon {count} Downlinks. Warten Sie, bis einige gesendet sind.",
  "downlink.api_key_missing":
    "settings_json.downlink.apiKey: der Schlüssel der API des Netzwerkservers fehlt",
  "downlink.application_missing":
    "settings_json.downlink.applicationId: fehlt, und noch keine Nachricht des Geräts hat sie genannt",
  "downlink.name_invalid": "{name}: enthält Zeichen, die sich nicht an einen Netzwerkserver senden lassen",
  "downlink.url_missing": "settings_json.downlink.url: die Adresse des Netzwerkservers fehlt",
  "downlink.webhook_missing": "settings_json.downlink.webhookId: fehlt",
  "integration.base64_invalid": "der Frame ist kein Base64",
  "integration.body_compressed":
    "komprimierte Sparkplug-Inhalte lassen sich nicht lesen; schalten Sie die Kompression ab",
  "integration.body_invalid": "{rule}",
  "integration.body_list": "der Inhalt ist eine Liste; senden Sie ein Ereignis je Nachricht",
  "integration.body_not_json": "der Inhalt ist kein JSON; stellen Sie {server} auf JSON statt Protobuf",
  "integration.body_malformed": "der Inhalt ist kein gültiges JSON",
  "integration.body_not_text": "der Inhalt ist kein Text in UTF-8",
  "integration.body_not_object": "der Inhalt ist kein JSON-Objekt",
  "integration.body_not_sparkplug": "der Inhalt ist kein Sparkplug-B-Inhalt",
  "integration.broker_url": "brokerUrl: {rule}",
  "integration.default_not_running":
    "Nur eine laufende Anbindung kann der Standard sein. Starten Sie sie zuerst.",
  "integration.dev_eui_invalid": "die Dev-EUI muss 16 hexadezimale Zeichen haben, mit oder ohne Trennzeichen",
  "integration.device_id_long": "die ID eines Geräts darf höchstens {max} Zeichen haben",
  "integration.device_missing":
    "die Nachricht sagt nicht, welches Gerät sie gesendet hat (deviceToken, externalDeviceId, eine Dev-EUI oder das Topic)",
  "integration.device_token_invalid": "deviceToken: ist nicht das Token eines Geräts",
  "integration.device_unknown":
    "kein Gerät hat {device}; weisen Sie sie einem Gerät zu, oder lassen Sie die Anbindung unbekannte Geräte anlegen",
  "integration.devices_flood": "es kamen zu viele unbekannte Geräte auf einmal; dieses wurde nicht angelegt",
  "integration.event_not_found": "Diese Nachricht gibt es nicht.",
  "integration.event_unknown":
    "die Art des Ereignisses ist unbekannt; nennen Sie sie in der Adresse als ?event=, oder senden Sie die dazugehörigen Felder",
  "integration.event_unknown_topic":
    "{topic} ist kein Topic für Ereignisse von Geräten, und der Inhalt nennt das Ereignis nicht; verwenden Sie den Topic-Filter {filter}",
  "integration.frame_looks_hex":
    "der Frame ist kein Base64, sondern sieht hexadezimal aus; setzen Sie `frameEncoding` in den Einstellungen der Integration auf `hex`",
  "integration.frame_not_hex": "der Frame enthält andere Zeichen als hexadezimale Ziffern",
  "integration.event_unknown_things_stack":
    "der Inhalt ist keine Nachricht von The Things Stack: uplink_message, join_accept, downlink_… und location_solved fehlen",
  "integration.f_port_invalid": "der FPort muss 0 bis 255 sein",
  "integration.frame_encrypted":
    "der Frame ist Ende-zu-Ende verschlüsselt, und der Netzwerkserver hat den Sitzungsschlüssel nicht",
  "integration.limit": "Ein Standort hat höchstens {limit} Anbindungen. Löschen Sie zuerst eine.",
  "integration.location_missing": "das Ereignis hat keinen Standort",
  "integration.no_gateway": "childDeviceId: {name} ist kein Gateway",
  "integration.discovery_taken":
    "Die Anbindung „{name}“ empfängt diese Ankündigungen bereits. Pausieren Sie sie zuerst, oder geben Sie ein anderes Präfix ein.",
  "integration.message_too_large": "Die Nachricht hat {bytes} Byte, der Broker nimmt höchstens {max} an.",
  "integration.not_connected": "Die Anbindung ist mit keinem Broker verbunden.",
  "integration.not_found": "Diese Anbindung gibt es nicht.",
  "integration.not_replayable": "Dieses Ereignis hat keine Nachricht, die sich erneut verarbeiten lässt.",
  "integration.not_sent": "Der Broker hat die Nachricht nicht angenommen.",
  "integration.object_json_invalid": "objectJSON ist kein JSON-Objekt",
  "integration.path_invalid":
    "„{path}“ ist kein Pfad; schreiben Sie Namen mit Punkten dazwischen, und [0] für ein Element einer Liste",
  "integration.paused": "Die Anbindung läuft nicht. Starten Sie sie zuerst.",
  "integration.payload_invalid": "payloadBase64: muss Base64 sein",
  "integration.payload_missing": "payload: fehlt",
  "integration.payload_too_deep": "payload: ist zu tief verschachtelt",
  "integration.payload_too_large": "payload: darf höchstens {max} KiB haben",
  "integration.secret_invalid": "settings_json.{name}: muss ein Text sein",
  "integration.secret_moved": "settings_json.{name}: galt für einen anderen Server; geben Sie es neu ein",
  "integration.secret_unknown":
    "settings_json.{name}: es ist kein Wert gespeichert, der bleiben könnte; geben Sie ihn neu ein",
  "integration.settings_invalid": "settings_json.{field}: {rule}",
  "integration.settings_mismatch": "{field}: {rule}",
  "integration.settings_not_object": "settings_json muss ein Objekt sein",
  "integration.step_unfit":
    "mappingSteps: webhook_forward ist nur in einer Pipeline möglich, durch die alle gespeicherten Nachrichten gehen",
  "integration.too_many_keys": "eine Nachricht kann höchstens {max} Schlüssel haben",
  "integration.too_many_waiting":
    "Zu viele Nachrichten dieser Anbindung warten auf ihr Skript. Senden Sie diese später erneut.",
  "integration.topic_missing": "Nachrichten dieser Art brauchen ihr Topic, und diese kam ohne",
  "integration.topic_pattern": "topicDeviceRegex: lässt sich nicht als regulärer Ausdruck lesen: {reason}",
  "integration.topic_pattern_group": "topicDeviceRegex: muss eine Gruppe für die ID des Geräts haben",
  "integration.topic_pattern_long": "topicDeviceRegex: darf höchstens {max} Zeichen haben",
  "integration.topic_pattern_repeats":
    "topicDeviceRegex: enthält zu große Wiederholungen; verwenden Sie + oder *",
  "integration.topic_template": "topicTemplate: muss {place} genau einmal enthalten",
  "integration.type_fixed": "type: lässt sich nicht ändern; legen Sie stattdessen eine weitere Anbindung an",
  "integration.version_unsupported_ttn": "der Inhalt kommt von The Things Network v2; verwenden Sie v3",
  "outbound.address_refused": "das Gateway sendet nichts an {host}: {refusal}",
  "outbound.not_dead": "Die Anfrage wartet noch und wird von selbst gesendet.",
  "outbound.not_found": "Diese Anfrage gibt es nicht mehr. Sie wurde zugestellt oder gelöscht.",
  "webhook.limited": "Es kamen zu viele falsche Webhook-Geheimnisse. Versuchen Sie es später erneut.",
  "webhook.not_running": "Diese Anbindung läuft nicht. Starten Sie sie in der Konsole.",
  "webhook.secret_invalid":
    "Ein gültiges Webhook-Geheimnis ist nötig: X-Webhook-Secret oder Authorization: Bearer, mit der ID des Standorts in x-tenant-id.",
  "webhook.tenant_missing":
    "x-tenant-id: die ID des Standorts fehlt; nötig ist sie als diese Kopfzeile, als tenantId in der Adresse oder (nur generic) als tenantId im Inhalt",
  "webhook.type_unknown":
    "content-type muss application/json oder application/cbor sein (in ChirpStack: payload encoding JSON)",
  "command.metric_type": "„{metric}“: der Wert muss vom Typ {type} sein, wie im Birth des Geräts",
  "command.not_announced": "Das Gerät hat keinen Befehl „{key}“ angekündigt.",
  "command.value_not_accepted": "Das Gerät nimmt den Wert {value} nicht an.",
  "integration.announcement_component": "Komponenten der Art {component} haben keine Werte",
  "integration.announcement_components": "eine Ankündigung hat höchstens {max} Komponenten",
  "integration.announcement_deep": "die Ankündigung ist tiefer als {max} Ebenen verschachtelt",
  "integration.announcement_invalid":
    "die Ankündigung ist nicht lesbar: {field} fehlt oder wird nicht unterstützt",
  "integration.announcement_large": "eine Ankündigung hat höchstens {max} KiB",
  "integration.announcement_template":
    "die Ankündigung ist nicht lesbar: Die Vorlage in {field} wird nicht unterstützt: {reason}",
  "integration.announcement_topic":
    "die Ankündigung ist nicht lesbar: „{topic}“ in {field} ist kein Topic, das verwendet werden kann",
  "integration.announcements_full": "es können höchstens {max} Komponenten angekündigt werden",
  "message.too_much_work": "die Verarbeitung der Nachricht braucht mehr als {max} Schritte",
  "integration.topic_full": "höchstens {max} Komponenten können „{topic}“ lesen",
  "integration.announcements_large":
    "die Ankündigungen einer Anbindung dürfen zusammen höchstens {max} MiB haben",
};
