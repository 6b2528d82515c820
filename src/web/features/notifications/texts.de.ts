import type { notificationsEn } from "./texts.en.ts";

export const notificationsDe: Readonly<Record<keyof typeof notificationsEn, string>> = {
  "telling.escalation": "Eskalation",
  "telling.escalationHint":
    "Ein ausgelöster Alarm hat Stufe 1. Solange sich niemand kümmert, steigt er, und es hören davon, wer diese Stufe gewählt hat.",
  "telling.toLevel2": "Minuten von Stufe 1 zu Stufe 2",
  "telling.toLevel3": "Minuten von Stufe 2 zu Stufe 3",
  "telling.stopOnAck": "Quittierte Alarme steigen nicht weiter",
  "telling.stopOnClear": "Beendete Alarme steigen nicht weiter",
  "telling.general": "Sprache, Zeiten und Alarmfluten",
  "telling.language": "Sprache der E-Mails und Nachrichten",
  "telling.timezone": "Zeitzone",
  "telling.timezoneHint": "Der Zeiten in E-Mails, etwa Europe/Berlin.",
  "telling.digestAfter": "Einzelne Benachrichtigungen",
  "telling.digestAfterHint": "So viele an eine Person im Zeitfenster; der Rest kommt gesammelt.",
  "telling.digestMinutes": "Zeitfenster in Minuten",
  "telling.messaging": "Nachrichten",
  "telling.messagingHint": "Jedes SMS- oder Chat-Gateway, das HTTP-Anfragen annimmt.",
  "telling.messagingOn": "Nachrichten senden",
  "telling.url": "Adresse",
  "telling.method": "Methode",
  "telling.headers": "Kopfzeilen",
  "telling.headersHint":
    "Eine je Zeile, etwa Authorization: Bearer … Geheime Werte werden verwahrt und nie gezeigt; lassen Sie die Punkte stehen, um sie zu behalten.",
  "telling.headersWrong": "Jede Zeile braucht einen Namen, einen Doppelpunkt und einen Wert.",
  "telling.contentType": "Inhaltstyp",
  "telling.body": "Inhalt",
  "telling.bodyHint": "Platzhalter: {names}. In JSON gehören sie in Anführungszeichen.",
  "telling.noMail":
    "Es ist kein Mailserver eingerichtet; per E-Mail wird niemand benachrichtigt. Setzen Sie smtp_url und starten Sie das Gateway neu.",
  "telling.test": "Ausprobieren",
  "telling.testHint": "Sendet etwas an Sie selbst, mit den gespeicherten Einstellungen.",
  "telling.testEmail": "Test-E-Mail",
  "telling.testMessaging": "Testnachricht",
  "telling.testOk": "Gesendet. {answer}",
  "telling.testAnswer": "Das Nachrichten-Gateway antwortete {status}.",
  "telling.testFailed": "Nicht gesendet: {reason}",
};
