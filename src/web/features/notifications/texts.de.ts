import type { notificationsEn } from "./texts.en.ts";

export const notificationsDe: Readonly<Record<keyof typeof notificationsEn, string>> = {
  "notifier.escalation": "Eskalation",
  "notifier.escalationHint":
    "Ein neuer Alarm hat Stufe 1. Solange ihn niemand quittiert, steigt die Stufe. Benachrichtigt werden die Benutzer, die diese Stufe gewählt haben.",
  "notifier.toLevel2": "Minuten von Stufe 1 zu Stufe 2",
  "notifier.toLevel3": "Minuten von Stufe 2 zu Stufe 3",
  "notifier.stopOnAck": "Quittierte Alarme steigen nicht weiter",
  "notifier.stopOnClear": "Beendete Alarme steigen nicht weiter",
  "notifier.general": "Sprache, Zeiten und Alarmfluten",
  "notifier.language": "Sprache der E-Mails und Nachrichten",
  "notifier.timezone": "Zeitzone",
  "notifier.timezoneHint": "Für Zeiten in E-Mails, zum Beispiel Europe/Berlin.",
  "notifier.digestAfter": "Einzelne Benachrichtigungen",
  "notifier.digestAfterHint":
    "So viele Benachrichtigungen erhält ein Benutzer im Zeitfenster einzeln; weitere kommen gesammelt.",
  "notifier.digestMinutes": "Zeitfenster in Minuten",
  "notifier.messaging": "Textnachrichten",
  "notifier.messagingHint": "Jedes SMS- oder Chat-Gateway, das HTTP-Anfragen annimmt.",
  "notifier.messagingOn": "Textnachrichten aktivieren",
  "notifier.url": "Adresse",
  "notifier.method": "Methode",
  "notifier.headers": "Kopfzeilen",
  "notifier.headersHint":
    "Eine je Zeile, zum Beispiel Authorization: Bearer … Geheime Werte werden verschlüsselt gespeichert und nicht angezeigt. Lassen Sie die Punkte stehen, um einen Wert zu behalten.",
  "notifier.headersWrong": "Jede Zeile braucht einen Namen, einen Doppelpunkt und einen Wert.",
  "notifier.contentType": "Inhaltstyp",
  "notifier.body": "Inhalt",
  "notifier.bodyHint": "Platzhalter: {names}. In JSON gehören sie in Anführungszeichen.",
  "notifier.noMail":
    "Es ist kein Mailserver eingerichtet; per E-Mail wird niemand benachrichtigt. Der Betreiber des Gateways trägt ihn unter Einstellungen → Postausgang → Mailserver ein.",
  "notifier.test": "Test",
  "notifier.testHint": "Sendet eine Testnachricht mit den gespeicherten Einstellungen an Sie selbst.",
  "notifier.testEmail": "Test-E-Mail",
  "notifier.testMessaging": "Testnachricht",
  "notifier.testOk": "Gesendet. {answer}",
  "notifier.testAnswer": "Das Nachrichten-Gateway antwortete {status}.",
  "notifier.testFailed": "Nicht gesendet: {reason}",
};
