import type { notificationsEn } from "./texts.en.ts";

export const notificationsDe: Readonly<Record<keyof typeof notificationsEn, string>> = {
  "notifier.escalation": "Eskalation",
  "notifier.escalationHint":
    "Ein ausgelöster Alarm hat Stufe 1. Solange sich niemand kümmert, steigt er, und es hören davon, wer diese Stufe gewählt hat.",
  "notifier.toLevel2": "Minuten von Stufe 1 zu Stufe 2",
  "notifier.toLevel3": "Minuten von Stufe 2 zu Stufe 3",
  "notifier.stopOnAck": "Quittierte Alarme steigen nicht weiter",
  "notifier.stopOnClear": "Beendete Alarme steigen nicht weiter",
  "notifier.general": "Sprache, Zeiten und Alarmfluten",
  "notifier.language": "Sprache der E-Mails und Nachrichten",
  "notifier.timezone": "Zeitzone",
  "notifier.timezoneHint": "Der Zeiten in E-Mails, etwa Europe/Berlin.",
  "notifier.digestAfter": "Einzelne Benachrichtigungen",
  "notifier.digestAfterHint": "So viele an eine Person im Zeitfenster; der Rest kommt gesammelt.",
  "notifier.digestMinutes": "Zeitfenster in Minuten",
  "notifier.messaging": "Nachrichten",
  "notifier.messagingHint": "Jedes SMS- oder Chat-Gateway, das HTTP-Anfragen annimmt.",
  "notifier.messagingOn": "Nachrichten senden",
  "notifier.url": "Adresse",
  "notifier.method": "Methode",
  "notifier.headers": "Kopfzeilen",
  "notifier.headersHint":
    "Eine je Zeile, etwa Authorization: Bearer … Geheime Werte werden verwahrt und nie gezeigt; lassen Sie die Punkte stehen, um sie zu behalten.",
  "notifier.headersWrong": "Jede Zeile braucht einen Namen, einen Doppelpunkt und einen Wert.",
  "notifier.contentType": "Inhaltstyp",
  "notifier.body": "Inhalt",
  "notifier.bodyHint": "Platzhalter: {names}. In JSON gehören sie in Anführungszeichen.",
  "notifier.noMail":
    "Es ist kein Mailserver eingerichtet; per E-Mail wird niemand benachrichtigt. Setzen Sie smtp_url und starten Sie das Gateway neu.",
  "notifier.test": "Test",
  "notifier.testHint": "Sendet etwas an Sie selbst, mit den gespeicherten Einstellungen.",
  "notifier.testEmail": "Test-E-Mail",
  "notifier.testMessaging": "Testnachricht",
  "notifier.testOk": "Gesendet. {answer}",
  "notifier.testAnswer": "Das Nachrichten-Gateway antwortete {status}.",
  "notifier.testFailed": "Nicht gesendet: {reason}",
};
