import type { faultTexts } from "../en/faults.ts";

/** Was sonst schiefging und was dagegen hilft. */
export const faultTextsDe: Readonly<Record<keyof typeof faultTexts, string>> = {
  "fault.mqtt_packet_too_large": "Ein Paket mit {bytes} Bytes ist größer als die erlaubten {max} Bytes.",
  "fault.mqtt_packet_malformed": "Die Verbindung hat ein fehlerhaftes MQTT-Paket gesendet.",
  "fault.mqtt_taken_over":
    "Mehrere Clients verwenden diese Client-ID gleichzeitig: Sie haben einander innerhalb von {minutes} Minuten {count}-mal die Verbindung beendet.",
  "fault.mqtt_messages_dropped":
    "Nachrichten an diesen Client wurden verworfen, weil seine Warteschlange voll ist.",
  "fault.readings_held": "Messwerte liegen mehr als einen Tag vor der Uhr des Gateways und warten auf sie.",
  "fault.import_failed":
    "Ein Import hat nur einen Teil der Zeilen gespeichert: {failed} wurden abgelehnt. {reason}",
  "fault.delivery_dead": "Eine Anfrage an einen anderen Server wurde aufgegeben: {reason}",
  "fault.uplink_stalled": "Der Uplink kann nicht senden: {reason}",
  "fault.integration_disconnected": "Die Verbindung der Anbindung ist fehlgeschlagen: {reason}",
  "fault_hint.fault.mqtt_packet_too_large":
    "Teilen Sie die Nachricht auf oder erhöhen Sie die Einstellung mqtt_packet_bytes_max.",
  "fault_hint.fault.mqtt_packet_malformed":
    "Prüfen Sie, ob das Programm auf diesem Port MQTT spricht, mit oder ohne TLS wie der Port es erwartet, und ob Namen und Topics UTF-8 sind.",
  "fault_hint.fault.mqtt_taken_over": "Geben Sie jedem Client eine eigene Client-ID.",
  "fault_hint.fault.mqtt_messages_dropped":
    "Lassen Sie den Client schneller lesen oder öfter verbinden, oder weniger Topics abonnieren.",
  "fault_hint.fault.readings_held":
    "Stellen Sie die Uhr des Gateways oder des Geräts. Der Reiter „Nachrichten“ des Geräts speichert oder löscht die Messwerte.",
  "fault_hint.fault.import_failed":
    "Korrigieren Sie die abgelehnten Zeilen und importieren Sie die Datei noch einmal: Gespeicherte Zeilen ändern sich nicht.",
  "fault_hint.fault.delivery_dead":
    "Korrigieren Sie die Adresse oder den Empfänger und senden Sie die Dead Letters auf der Seite der Pipeline erneut.",
  "fault_hint.fault.uplink_stalled":
    "Die Seite des Uplinks testet die Verbindung. Nichts geht verloren: Der Rest wird später gesendet.",
  "fault_hint.fault.integration_disconnected":
    "Prüfen Sie Adresse, Port und Zugangsdaten auf der Seite der Anbindung.",
  "fault_hint.topic.forbidden":
    "Erlauben Sie dem MQTT-Client, auf diesem Topic zu veröffentlichen, oder korrigieren Sie das Topic.",
};
