import type { telemetryErrors } from "../en/telemetry-errors.ts";

export const telemetryErrorsDe: Readonly<Record<keyof typeof telemetryErrors, string>> = {
  "answer.exports_running":
    "Es laufen schon Exporte. Ein Benutzer kann {user} Exporte gleichzeitig ausführen, ein Standort {tenant}. Versuchen Sie es erneut, sobald ein Export beendet ist.",
  "answer.too_large":
    "Die Antwort ist größer als {max} MiB. Rufen Sie weniger Geräte, Schlüssel oder Punkte ab oder eine kleinere Seite der Liste.",
  "answer.unread": "Zu viele große Antworten sind noch ungelesen. Versuchen Sie es bald erneut.",
  "telemetry.feed_unknown": "Den Feed gibt es nicht.",
  "body.empty": "der Inhalt ist leer",
  "body.field_unknown": "Dieses Objekt hat kein Feld `{field}`. Es wurde nichts geändert.",
  "body.invalid": "{field}: {rule}",
  "body.lenient":
    "der Inhalt ist kein gültiges JSON; die Kodierung LENIENT_JSON (im Geräteprofil oder in den Einstellungen der Integration) würde ihn lesen",
  "body.malformed": "der Inhalt ist kein gültiges {format}",
  "body.names_repeated":
    "Namen, die in einem Objekt des Inhalts mehrfach vorkommen: {names}; gespeichert wurde jeweils der letzte Wert",
  "body.not_json": "Der Inhalt muss als application/json gesendet werden.",
  "body.not_utf8": "der Inhalt ist kein UTF-8; senden Sie Text als UTF-8",
  "body.not_well_formed": "der Inhalt ist nicht wohlgeformt",
  "body.nul_at_end":
    "der Inhalt endet mit einem NUL-Byte; senden Sie ihn ohne oder wählen Sie die Kodierung LENIENT_JSON (im Geräteprofil oder in den Einstellungen der Integration)",
  "body.too_deep": "der Inhalt ist zu tief verschachtelt",
  "body.too_many_items": "der Inhalt hat mehr als {max} Elemente; senden Sie mehrere Nachrichten",
  "body.too_many_names": "der Inhalt hat mehr als {max} Namen; senden Sie mehrere Nachrichten",
  "body.too_large": "der Inhalt ist größer als {max} Byte",
  "body.type_missing": "content-type fehlt",
  "body.type_unknown": "content-type muss application/json oder application/cbor sein",
  "body.utf16": "der Inhalt ist UTF-16; senden Sie Text als UTF-8",
  "frame.ack_invalid": "ack muss eine Zahl oder ein Text mit höchstens {max} Zeichen sein",
  "frame.invalid": "ein Frame muss ein Objekt mit topic sein",
  "frame.too_large": "ein Frame darf höchstens {frameBytesMax} Byte haben",
  "frame.topic_missing": "topic muss ein Text mit höchstens 256 Zeichen sein",
  "import.csv_only": "entfernen Sie Optionen, die nur für CSV gelten: {names}",
  "import.empty": "der Inhalt ist leer",
  "import.line_too_long": "eine Zeile ist länger als {max} Byte",
  "import.malformed": "die Datei lässt sich nicht lesen: {reason}",
  "import.not_text": "die Datei ist keine Textdatei ({format}); exportieren Sie sie als CSV",
  "import.not_utf8": "die Datei ist weder UTF-8 noch UTF-16 noch Windows-1252: „{sample}“",
  "import.column_missing": "es gibt keine Spalte „{name}“; die Spalten sind {columns}",
  "import.column_twice": "zwei Spalten heißen „{name}“; benennen Sie eine um, oder lassen Sie eine weg",
  "import.no_values": "es bleibt keine Spalte für Werte; die Spalten sind {columns}",
  "import.time_missing":
    "keine Spalte enthält Zeiten; nennen Sie die Zeitspalte, löschen Sie Zeilen über der Kopfzeile, oder prüfen Sie das Trennzeichen. Die Spalten sind {columns}",
  "import.timezone_invalid": "timezone muss der Name einer Zeitzone sein, etwa Europe/Berlin",
  "import.ts_missing": "ts fehlt",
  "import.too_many_columns": "eine Zeile hat mehr als {max} Spalten; prüfen Sie das Trennzeichen",
  "import.type_unknown": "content-type muss text/csv oder application/x-ndjson sein",
  "mqtt.rate_queue_full": "Zu viele Nachrichten dieses MQTT-Clients warten wegen seiner Rate.",
  "mqtt.stopped": "Der MQTT-Server läuft nicht.",
  "realtime.auth_failed": "das Zugriffstoken ist nicht gültig",
  "realtime.auth_first": "senden Sie zuerst eine Nachricht vom Typ auth",
  "realtime.auth_other": "ein anderer Benutzer braucht eine neue Verbindung",
  "realtime.message_invalid": "{rule}",
  "realtime.too_many_sessions":
    "Für diesen Benutzer oder Link gibt es bereits {max} Live-Verbindungen; mehr sind nicht möglich. Schließen Sie zuerst eine Verbindung.",
  "realtime.too_many": "eine Verbindung kann höchstens {max} Abonnements haben",
  "request.address_invalid": "Die Adresse der Anfrage ist nicht gültig.",
  "request.body_invalid": "die Anfrage muss ein Objekt sein",
  "request.closed": "Die Verbindung wurde geschlossen.",
  "request.failed": "Lineside konnte die Anfrage nicht bearbeiten. Einzelheiten stehen im Protokoll.",
  "request.id_invalid": "das Topic muss auf eine ganze Zahl enden",
  "request.invalid": "{field}: {rule}",
  "request.keys_invalid": "{name} muss aus Namen bestehen, die Kommas trennen",
  "request.method_missing": "die Anfrage muss eine Methode haben, die ein Text ist",
  "request.method_unknown": "Es gibt keine Methode {method}. Die Methoden sind: {known}.",
  "request.parameter_unknown": "query {name}: diesen Parameter gibt es nicht; es gibt {known}",
  "request.part_invalid": "{part} ist nicht gültig",
  "request.reply_too_large": "die Antwort hat mehr als {max} KiB",
  "request.script_failed": "die Anfrage konnte nicht beantwortet werden",
  "request.too_large": "Der Inhalt ist zu groß. Senden Sie ihn in kleineren Teilen.",
  "request.too_many_scripts":
    "{max} Anfragen des Geräts warten auf ihre Antwort. Fragen Sie später noch einmal.",
  "request.websocket_required": "Dieser Pfad nimmt nur WebSocket-Verbindungen an.",
  "storage.busy": "Die Datenbank ist beschäftigt; es wurde nichts geändert. Versuchen Sie es noch einmal.",
  "storage.damaged":
    "Datendateien sind beschädigt; bekannte Stellen: {count}. Alles andere wird ausgeliefert. Die Seite „System“ nennt die Stellen.",
  "storage.disk_full": "Der Datenträger ist fast voll. Es wird wieder gespeichert, sobald Platz ist.",
  "storage.failed": "Der Datenträger ist ausgefallen; es lässt sich nichts speichern.",
  "storage.file_system_read_only": "Das Dateisystem von {path} ist schreibgeschützt.",
  "storage.full":
    "Der Datenträger ist voll; es wurde nichts geändert. Löschen Sie Daten oder schaffen Sie Platz, und versuchen Sie es noch einmal.",
  "storage.lost":
    "Daten gingen verloren oder Dateien wurden ersetzt (Einträge: {count}). Die System-Seite nennt sie mit Zeit und Anzahl der Werte. Bestätigen Sie sie dort.",
  "storage.read_only": "Auf den Datenträger lässt sich im Moment nicht schreiben. Es wurde nichts geändert.",
  "storage.unknown_devices":
    "Es gibt Telemetrie von {count} Geräten, die in der Gerätetabelle fehlen. Stellen Sie eine neuere lineside.db wieder her oder löschen Sie diese Telemetrie auf der System-Seite.",
  "telemetry.aggregation_invalid": "aggregation muss eines von {aggregations} sein",
  "telemetry.body_invalid": "Telemetrie muss ein Objekt aus Schlüsseln und Werten sein",
  "telemetry.broken":
    "Das Speichern ist fehlgeschlagen; bis zu einem Neustart des Dienstes wird keine Telemetrie angenommen.",
  "telemetry.busy": "Es ließ sich gerade nicht speichern. Versuchen Sie es erneut.",
  "telemetry.device_keys_limit":
    "Ein Gerät kann höchstens {max} Telemetrieschlüssel haben. Nicht gespeichert: {keys}. Alles andere in der Nachricht ist gespeichert.",
  "telemetry.disk_full": "Der Datenträger ist voll. Telemetrie wird abgelehnt, bis wieder Platz ist.",
  "telemetry.empty": "der Inhalt enthält keine Telemetrie",
  "telemetry.failed": "Der Speicher konnte nicht antworten. Der Grund steht im Protokoll.",
  "telemetry.interval_calendar": "ein Abstand in Tagen, Wochen oder Monaten muss 1d, 1w oder 1mo sein",
  "telemetry.interval_invalid":
    "interval muss eine Zahl in ms, eine Dauer wie 30s, 15m, 1h, 1d, 1w oder 1mo oder eine Liste von Uhrzeiten wie 06:00,14:00,22:00 sein",
  "telemetry.interval_small": "interval: ergibt mehr als {max} Abschnitte; nehmen Sie einen längeren",
  "telemetry.interval_times":
    "interval muss höchstens 24 Uhrzeiten zwischen 00:00 und 23:59 aufzählen, etwa 06:00,14:00,22:00",
  "telemetry.item_invalid": "items: telemetry muss ein Objekt aus Schlüsseln und Werten sein",
  "telemetry.items_missing": "items muss eine Liste sein",
  "telemetry.key_empty": "Schlüssel dürfen nicht leer sein",
  "telemetry.key_too_long": "ein Schlüssel darf höchstens {max} Byte haben",
  "telemetry.keys_empty":
    "`keys` enthält keinen Schlüssel. Lassen Sie den Parameter weg, um alle Schlüssel auszuwählen.",
  "telemetry.more_keys": "{keys} und {count} weitere",
  "telemetry.new_keys_limit":
    "Die Geräte dieses Standorts können am Tag höchstens {max} neue Telemetrieschlüssel hinzufügen. Nicht gespeichert: {keys}. Alles andere in der Nachricht ist gespeichert.",
  "telemetry.not_numeric":
    "Die Werte des Schlüssels „{key}“ sind keine Zahlen. Möglich sind die Aggregationen none, count, first, last und timeIn.",
  "telemetry.nothing_taken": "die Nachricht enthielt nichts zu speichern: {reason}",
  "telemetry.overloaded":
    "Der Speicher kommt mit der eintreffenden Telemetrie nicht mit. Versuchen Sie es bald erneut.",
  "telemetry.overwritten":
    "spätere Werte der Nachricht mit demselben Schlüssel und derselben Zeit haben frühere überschrieben: {keys}. Senden Sie `ts` mit jedem Eintrag.",
  "telemetry.payload_invalid": "payload muss ein Objekt aus Schlüsseln und Werten sein",
  "telemetry.points_invalid": "maxDataPoints muss eine ganze Zahl ab 1 sein",
  "telemetry.range_invalid": "from und to müssen Epoch-Millisekunden sein, from nicht nach to",
  "telemetry.stopped": "Der Telemetriespeicher läuft nicht.",
  "telemetry.stored_bytes_limit":
    "Die Telemetrie dieses Standorts kann höchstens {bytes} MB des Datenträgers belegen. Löschen Sie einen Teil, oder bewahren Sie sie weniger Tage auf.",
  "telemetry.tenant_keys_limit":
    "Die Geräte dieses Standorts können zusammen höchstens {max} Telemetrieschlüssel haben. Nicht gespeichert: {keys}. Alles andere in der Nachricht ist gespeichert.",
  "telemetry.timezone": "Die Zeitzone oder der Zeitraum ist nicht gültig.",
  "telemetry.timezone_invalid": "timezone muss ein IANA-Name wie Europe/Berlin sein",
  "telemetry.too_deep": "der Inhalt ist zu tief verschachtelt",
  "telemetry.too_large": "Telemetrie darf höchstens {keysMax} Schlüssel und {kibMax} KiB haben",
  "telemetry.too_many_devices": "deviceIds: höchstens {max} sind möglich",
  "telemetry.too_many_intervals":
    "Der Zeitraum hat mehr als {max} Abschnitte. Nehmen Sie einen längeren Abstand, einen kürzeren Zeitraum oder ein höheres maxDataPoints.",
  "telemetry.too_many_keys": "eine Nachricht kann höchstens {max} Schlüssel haben",
  "telemetry.too_many_readings": "die Nachricht hat zu viele Messwerte",
  "telemetry.ts": "Ein Zeitstempel muss eine endliche Zahl von Millisekunden sein.",
  "telemetry.held_dropped":
    "Mehr als {max} Nachrichten warteten auf die Uhr des Gateways. Die älteste wurde verworfen.",
  "telemetry.ts_before_epoch": "die Zeit liegt vor 1970",
  "telemetry.ts_compact":
    "{number} ist keine Epoch-Zeit; schreiben Sie ein Datum als 2026-12-31, nicht als Zahl",
  "telemetry.ts_future": "ts liegt zu weit in der Zukunft; prüfen Sie die Uhr des Geräts",
  "telemetry.ts_invalid":
    "ts muss eine Epoch-Zeit (s, ms, µs oder ns) oder ein Datum wie 2026-12-31T10:00:00Z sein",
  "telemetry.ts_missing_day": "diesen Tag oder diese Uhrzeit gibt es nicht",
  "telemetry.ts_number": "{number} ist keine Epoch-Zeit (s, ms, µs oder ns) ab dem Jahr 2000",
  "telemetry.ts_order":
    "Tag und Monat sind nicht eindeutig; schreiben Sie das Datum als 2026-12-31, oder wählen Sie ihre Reihenfolge",
  "telemetry.ts_replaced": "{reason}; die Werte wurden zur Zeit des Empfangs gespeichert",
  "telemetry.ts_serial":
    "{number} ist keine Epoch-Zeit; falls es das Datum einer Tabellenkalkulation ist, formatieren Sie es als 2026-12-31 10:00",
  "telemetry.ts_skipped":
    "diese Uhrzeit entfällt bei der Umstellung auf Sommerzeit; wählen Sie die Zeitzone, in der die Zeiten geschrieben wurden",
  "telemetry.ts_unset": "{time} liegt vor dem Jahr 2000; die Uhr ist nicht gestellt",
  "telemetry.value":
    "Ein Telemetriewert muss eine Zahl, ein Wahrheitswert, ein Text, ein Objekt oder eine Liste sein.",
  "telemetry.value_invalid": "Werte müssen Zahlen, Wahrheitswerte, Texte oder JSON sein",
  "telemetry.value_not_finite": "NaN und unendliche Zahlen lassen sich nicht speichern",
  "telemetry.value_too_large": "der Wert von {key} ist länger als {max} KiB",
  "telemetry.value_type": "Bytefolgen, Mengen und ungültige Daten lassen sich nicht speichern",
  "topic.claim_only": "Ohne Zugangsdaten darf ein Gerät nur neue anfordern.",
  "subscription.forbidden": "Der MQTT-Client darf dieses Topic nicht abonnieren.",
  "subscription.unknown":
    "Ein Gerät kann dieses Topic nicht abonnieren; Befehle und geteilte Attribute treffen auf v1/devices/me/… ein.",
  "topic.forbidden": "Diese Anwendung darf zu diesem Topic nichts senden.",
  "topic.gateway_only":
    "dieses Gerät ist kein Gateway und kann deshalb nichts an {topic} senden; setzen Sie seine Rolle in seinen Einstellungen auf GATEWAY",
  "topic.unknown": "zu diesem Topic kann ein Gerät nichts senden; Werte gehen an v1/devices/me/telemetry",
};
