import type { outboxEn } from "./texts.en.ts";

export const outboxDe: Readonly<Record<keyof typeof outboxEn, string>> = {
  "outbox.intro":
    "Jede E-Mail des Gateways. Codes und Passwörter werden aus einer E-Mail entfernt, sobald sie gesendet oder abgelaufen ist.",
  "outbox.held":
    "Einige E-Mails warten hier, weil kein Mailserver eingerichtet ist. Öffnen Sie sie und geben Sie den Inhalt weiter, oder setzen Sie smtp_url.",
  "outbox.heldHint":
    "Es ist kein Mailserver eingerichtet: diese E-Mail wurde nicht gesendet. Geben Sie ihren Text selbst weiter.",
  "outbox.search": "Nach Empfänger suchen",
  "outbox.state": "Zustand",
  "outbox.allStates": "Jeder Zustand",
  "mailState.QUEUED": "Wartet auf den Versand",
  "mailState.SENT": "Gesendet",
  "mailState.FAILED": "Fehlgeschlagen",
  "mailState.HELD": "Zurückgehalten",
  "outbox.count.one": "{count} E-Mail",
  "outbox.count.other": "{count} E-Mails",
  "outbox.none": "Noch keine E-Mail",
  "outbox.noneHint": "Einladungen, Einmalcodes und Nachrichten über Passwörter stehen hier.",
  "outbox.noMatch": "Keine E-Mail passt",
  "outbox.noMatchHint": "Verkürzen Sie den Suchtext, oder entfernen Sie den Filter.",
  "outbox.to": "An {to}",
  "outbox.created": "Erstellt",
  "outbox.attempts": "Versuche",
  "outbox.next": "Nächster Versuch",
  "outbox.error": "Letzter Fehler",
  "outbox.send": "Jetzt senden",
  "outbox.sending": "Sie wird jetzt gesendet.",
  "outbox.copy": "Text der E-Mail kopieren",
};
