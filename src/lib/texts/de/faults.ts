import type { faultTexts } from "../en/faults.ts";

/** What else went wrong, and what to do about it, in German. */
export const faultTextsDe: Readonly<Record<keyof typeof faultTexts, string>> = {
  "fault.mqtt_packet_too_large": "Ein Paket mit {bytes} Bytes ist größer als die erlaubten {max} Bytes.",
  "fault.mqtt_packet_malformed": "Der Client hat ein ungültiges MQTT-Paket gesendet ({error}).",
  "fault.mqtt_taken_over":
    "Mehrere Clients verwenden diese Client-ID, oder das Netz bricht oft ab: Verbindungen mit ihr haben einander innerhalb von {minutes} Minuten {count}-mal beendet.",
  "fault.mqtt_messages_dropped":
    "Nachrichten an diesen Client wurden verworfen, weil seine Warteschlange voll ist.",
  "fault.readings_held": "Messwerte liegen mehr als einen Tag vor der Uhr des Gateways und warten auf sie.",
  "fault.import_failed": "Ein Import hat {failed} seiner Zeilen abgelehnt; Zeile {row}: {reason}",
  "fault.delivery_dead": "Eine Anfrage an einen anderen Server wurde aufgegeben: {reason}",
  "fault.uplink_stalled": "Der Uplink kann nicht senden: {reason}",
  "fault.integration_disconnected": "Die Verbindung der Anbindung ist fehlgeschlagen: {reason}",
  "fault.delivery_retried":
    "Eine Anfrage an einen anderen Server ist fehlgeschlagen und wird bis zu {hours} Stunden lang wiederholt: {reason}",
  "fault.delivery_dropped": "Anfragen, die auf einen anderen Server warteten, wurden verworfen: {reason}",
  "fault.uplink_refused": "Das Ziel des Uplinks lehnt das älteste Paket ab: {reason}",
  "fault.devices_not_imported": "Eine Geräteliste wurde nicht importiert: {reason}",
  "fault.devices_partly_imported":
    "Eine Geräteliste wurde ohne {failed} ihrer Zeilen importiert ({created} angelegt): {reason}",
  "fault.modbus_disconnected": "Die Modbus-Verbindung ist fehlgeschlagen: {reason}",
  "fault.modbus_read_failed": "Das Gerät konnte nicht über Modbus ausgelesen werden: {reason}",
  "fault.job_failed": "Der Auftrag ist fehlgeschlagen: {reason}",
  "fault.job_skipped": "Der Auftrag hat nichts getan: {reason}",
  "fault.mail_failed": "Eine E-Mail konnte nicht zugestellt werden: {reason}",
  "fault.mail_retried":
    "E-Mails konnten nicht gesendet werden; das Gateway versucht es einen Tag lang erneut: {reason}",
  "fault.unknown": "der Grund ist unbekannt",
  "fault_hint.fault.mqtt_packet_too_large":
    "Teilen Sie die Nachricht auf oder erhöhen Sie die Einstellung mqtt_packet_bytes_max.",
  "fault_hint.fault.mqtt_packet_malformed":
    "Prüfen Sie, ob das Programm auf diesem Port MQTT spricht, mit oder ohne TLS, wie der Port es erwartet, und ob Namen und Topics UTF-8 sind.",
  "fault_hint.fault.mqtt_taken_over":
    "Geben Sie jedem Client eine eigene Client-ID. Verwendet sie nur ein Client, prüfen Sie sein Netz.",
  "fault_hint.fault.mqtt_messages_dropped":
    "Sorgen Sie dafür, dass der Client schneller liest, sich öfter verbindet oder weniger Topics abonniert.",
  "fault_hint.fault.readings_held":
    "Stellen Sie die Uhr des Gateways oder des Geräts. Der Reiter „Nachrichten“ des Geräts speichert oder löscht die Messwerte.",
  "fault_hint.fault.import_failed":
    "Korrigieren Sie die abgelehnten Zeilen und importieren Sie die Datei noch einmal: Gespeicherte Zeilen ändern sich nicht.",
  "fault_hint.fault.delivery_dead":
    "Korrigieren Sie die Adresse oder den Empfänger und senden Sie die Dead Letters auf der Seite der Pipeline erneut.",
  "fault_hint.fault.uplink_stalled":
    "Testen Sie die Verbindung auf der Seite des Uplinks. Der Uplink sendet, was fehlt, sobald das Ziel erreichbar ist.",
  "fault_hint.fault.integration_disconnected":
    "Prüfen Sie Adresse, Port und Zugangsdaten auf der Seite der Anbindung.",
  "fault_hint.topic.forbidden":
    "Erlauben Sie dem MQTT-Client, auf diesem Topic zu veröffentlichen, oder korrigieren Sie das Topic.",
  "fault_hint.fault.uplink_refused":
    "Korrigieren Sie das Ziel oder überspringen Sie das Paket auf der Seite des Uplinks.",
  "fault_hint.fault.delivery_retried": "Prüfen Sie Adresse und Empfänger.",
  "fault_hint.fault.delivery_dropped":
    "Korrigieren Sie den Empfänger: Mehr Anfragen warten auf ihn, als das Gateway aufbewahrt.",
  "fault_hint.body.malformed":
    "Vergleichen Sie das Beispiel mit dem, was das Gerät senden soll, und mit der Kodierung in seinem Geräteprofil.",
  "fault_hint.device.messages_limit":
    "Senden Sie seltener oder erhöhen Sie die Nachrichten je Sekunde des Geräteprofils.",
  "fault_hint.plan.messages_limit": "Senden Sie seltener oder geben Sie dem Standort einen größeren Tarif.",
  "fault_hint.gateway.child_not_created":
    "Legen Sie das Untergerät selbst an, oder erlauben Sie es im Geräteprofil des Gateways.",
  "fault_hint.fault.devices_not_imported": "Korrigieren Sie die Datei und importieren Sie sie noch einmal.",
  "fault_hint.fault.devices_partly_imported":
    "Korrigieren Sie die abgelehnten Zeilen und importieren Sie nur diese.",
  "fault_hint.fault.modbus_disconnected": "Prüfen Sie Adresse, Port, Verkabelung und Stromversorgung.",
  "fault_hint.fault.modbus_read_failed": "Prüfen Sie Adresse, Register und Verkabelung des Geräts.",
  "fault_hint.fault.job_failed": "Die Seite des Auftrags zeigt, was auf welchem Gerät fehlschlug.",
  "fault_hint.fault.job_skipped": "Prüfen Sie die Geräte des Auftrags und wie er verpasste Zeiten nachholt.",
  "fault_hint.fault.mail_failed":
    "Korrigieren Sie die Adresse oder den Mailserver und senden Sie die E-Mail unter Einstellungen → Postausgang erneut.",
  "fault_hint.fault.mail_retried":
    "Prüfen Sie Einstellungen → Postausgang → Mailserver oder die Einstellung smtp_url.",
  "fault_hint.body.type_missing": "Senden Sie den Header content-type: application/json.",
  "fault_hint.body.type_unknown": "Senden Sie den Header content-type: application/json.",
  "fault_hint.telemetry.body_invalid":
    "Senden Sie ein JSON-Objekt mit einem Wert je Schlüssel. Der Reiter „Verbinden“ des Geräts zeigt ein Beispiel.",
  "fault_hint.telemetry.ts_invalid":
    "Korrigieren Sie die Zeit in ts oder lassen Sie ts weg; dann gilt die Empfangszeit.",
  "fault_hint.subscription.forbidden":
    "Erlauben Sie dem MQTT-Client, dieses Topic zu abonnieren, oder korrigieren Sie das Topic.",
  "fault_hint.script.error": "Korrigieren Sie das Skript der Anbindung.",
};
