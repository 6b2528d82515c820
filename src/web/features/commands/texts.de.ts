import type { commandsEn } from "./texts.en.ts";

export const commandsDe: Readonly<Record<keyof typeof commandsEn, string>> = {
  "commands.hint":
    "Ein Gerät, das nicht verbunden ist, erhält seine Befehle bei der nächsten Verbindung. Befehle, die es nicht innerhalb eines Tages abholt, verfallen.",
  "commands.send": "Befehl senden",
  "commands.sendGo": "Senden",
  "commands.none": "Noch keine Befehle",
  "commands.noneHint":
    "Das Gerät empfängt Befehle auf v1/devices/me/rpc/request/+ (MQTT) oder fragt sie über HTTP ab.",
  "commands.method": "Methode",
  "commands.methodHint": "Der Name, den das Gerät dafür verwendet, zum Beispiel setRelay.",
  "commands.params": "Parameter (JSON)",
  "commands.retries": "Anzahl der Wiederholungen",
  "commands.retriesHint":
    "Für Geräte, die den Empfang nicht bestätigen. Bei 0 wird der Befehl einmal gesendet.",
  "commands.sent": "Der Befehl wurde gesendet.",
  "commands.answer": "Antwort",
  "commands.by": "von {name}",
  "commands.attempts.one": "einmal gesendet",
  "commands.attempts.other": "{count}-mal gesendet",
  "commands.older": "Ältere Befehle erhalten Sie über die API.",
  "command.QUEUED": "Wartet",
  "command.SENT": "Gesendet",
  "command.DELIVERED": "Zugestellt",
  "command.SUCCESSFUL": "Erledigt",
  "command.FAILED": "Fehlgeschlagen",
  "command.TIMEOUT": "Keine Antwort",
  "command.EXPIRED": "Verfallen",
};
