import type { commandsEn } from "./texts.en.ts";

export const commandsDe: Readonly<Record<keyof typeof commandsEn, string>> = {
  "commands.hint":
    "Was das Gerät tun soll. Ein Gerät, das nicht da ist, bekommt seine Befehle, sobald es sich verbindet; was niemand binnen eines Tages abholt, verfällt.",
  "commands.send": "Befehl senden",
  "commands.sendGo": "Senden",
  "commands.none": "Noch keine Befehle",
  "commands.noneHint":
    "Das Gerät hört auf v1/devices/me/rpc/request/+ (MQTT) von Befehlen oder fragt über HTTP danach.",
  "commands.method": "Methode",
  "commands.methodHint": "Wie das Gerät sie nennt, zum Beispiel setRelay.",
  "commands.params": "Parameter (JSON)",
  "commands.retries": "Wiederholen, so oft",
  "commands.retriesHint": "Für Geräte, die nichts bestätigen. 0: einmal genügt.",
  "commands.sent": "Der Befehl ist unterwegs.",
  "commands.answer": "Antwort",
  "commands.by": "von {name}",
  "commands.attempts.one": "einmal gesendet",
  "commands.attempts.other": "{count}-mal gesendet",
  "commands.older": "Ältere Befehle stehen in der API.",
  "command.QUEUED": "Wartet",
  "command.SENT": "Gesendet",
  "command.DELIVERED": "Zugestellt",
  "command.SUCCESSFUL": "Erledigt",
  "command.FAILED": "Fehlgeschlagen",
  "command.TIMEOUT": "Keine Antwort",
  "command.EXPIRED": "Verfallen",
};
