import type { setupEn } from "./texts.en.ts";

export const setupDe: Readonly<Record<keyof typeof setupEn, string>> = {
  "setup.title": "Lineside einrichten",
  "setup.intro": "Sie sind hier die erste Person. Legen Sie das Konto des Eigentümers an; es darf alles.",
  "setup.fullName": "Ihr Name",
  "setup.email": "E-Mail",
  "setup.password": "Passwort",
  "setup.passwordHint": "Mindestens 10 Zeichen. Ein kurzer Satz ist leicht zu merken.",
  "setup.tenantName": "Standort oder Firma",
  "setup.tenantHint": "Sehen alle, die sich anmelden, zum Beispiel „Werk Nord“.",
  "setup.create": "Konto anlegen",
  "setup.continue": "Weiter",
  "setup.expired": "Dieser Einrichtungslink gilt nicht mehr",
  "setup.expiredHint":
    "Ein Einrichtungslink gilt einmal und 30 Minuten lang. Gibt es schon einen Eigentümer, melden Sie sich an. Sonst erzeugen Sie auf dem Gateway mit diesem Befehl einen neuen (aus einem Checkout „npm run lineside --“ statt „lineside“):",
  "setup.copyCommand": "Befehl kopieren",
  "setup.toSignIn": "Zur Anmeldung",
  "setup.ready": "Einrichtung abgeschlossen",
  "setup.readyHint": "Was möchten Sie zuerst sehen?",
  "setup.connect": "Gerät verbinden",
  "setup.connectHint": "Legt ein Gerät an und zeigt, wie es den ersten Wert sendet.",
  "setup.firstDevice": "Mein erstes Gerät",
  "setup.demo": "Demo-Werk starten",
  "setup.demoHint": "Eine kleine simulierte Fabrik: Geräte, Live-Diagramme, Alarme und ein Dashboard.",
  "setup.skip": "Erst einmal umsehen",
  "setup.restore": "Sicherung wiederherstellen",
  "setup.restoreIntro":
    "Das Gateway übernimmt Daten, Benutzer und Schlüssel eines anderen Gateways. Betreiben Sie nicht beide gleichzeitig: Halten Sie zuerst das alte an.",
  "setup.restoreFile": "Sicherungsdatei",
  "setup.restoreFileHint":
    "Eine Datei lineside-….backup aus Einstellungen → Sicherungen → Herunterladen oder von „lineside backup --archive“.",
  "setup.restorePassphrase": "Passphrase",
  "setup.restorePassphraseHint": "Nur für eine verschlüsselte Sicherung.",
  "setup.restoreStart": "Wiederherstellen",
  "setup.restoreBack": "Stattdessen einen neuen Eigentümer anlegen",
  "setup.restore.uploading": "Hochladen: {percent} %",
  "setup.restore.restoring": "Die Sicherung wird gelesen und geprüft: {percent} %",
  "setup.restore.restarting": "Das Gateway startet mit den wiederhergestellten Daten neu …",
  "setup.restored": "Sicherung wiederhergestellt",
  "setup.restoredHint":
    "Jetzt gelten die Konten und Passwörter der Sicherung. Melden Sie sich mit einem Konto des alten Gateways an.",
};
