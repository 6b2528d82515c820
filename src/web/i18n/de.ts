import { deAccount } from "./de-account.ts";
import { deAlarms } from "./de-alarms.ts";
import { deDevices } from "./de-devices.ts";
import { deGateways } from "./de-gateways.ts";
import { deImport } from "./de-import.ts";
import type { en } from "./en.ts";

export const de: Readonly<Record<keyof typeof en, string>> = {
  "common.close": "Schließen",
  "common.retry": "Erneut versuchen",
  "common.loading": "Wird geladen …",
  "common.copy": "Kopieren",
  "common.copied": "Kopiert",
  "common.cancel": "Abbrechen",
  "common.save": "Speichern",
  "common.delete": "Löschen",
  "common.pause": "Anhalten",
  "common.resume": "Fortsetzen",

  "nav.label": "Hauptmenü",
  "nav.skip": "Zum Inhalt springen",
  "nav.overview": "Übersicht",
  "nav.devices": "Geräte",
  "nav.integrations": "Anbindungen",
  "nav.pipelines": "Pipelines",
  "nav.scheduler": "Zeitplan",
  "nav.generators": "Generatoren",
  "nav.dashboards": "Dashboards",
  "nav.settings": "Einstellungen",
  "nav.trail": "Wo Sie sind",

  "manual.title": "Handbuch",

  "palette.open": "Suchen",
  "palette.label": "Gerät, Ansicht oder Aktion suchen",
  "palette.placeholder": "Gerät, Ansicht oder Aktion",
  "palette.none": "Nichts gefunden. Versuchen Sie weniger Buchstaben.",
  "palette.screen": "Ansicht",
  "palette.action": "Aktion",

  "theme.label": "Darstellung",
  "theme.light": "Hell",
  "theme.dark": "Dunkel",
  "theme.system": "Auto",
  "language.label": "Sprache",
  "account.label": "Konto und Darstellung",
  "account.stay": "Auf diesem Rechner angemeldet bleiben",
  "account.docs": "API-Dokumentation",
  "account.signOut": "Abmelden",
  "role.TENANT_OWNER": "Inhaber",
  "role.TENANT_ADMIN": "Administrator",
  "role.TENANT_RW": "Lesen und schreiben",
  "role.TENANT_READ_ONLY": "Nur lesen",

  "connection.live": "Live",
  "connection.connecting": "Verbinde …",
  "connection.lost": "Verbindung unterbrochen.",
  "connection.lostDetail": "Sie sehen die letzten bekannten Werte.",
  "connection.retryIn": "Nächster Versuch in {seconds} s.",
  "connection.retrying": "Verbinde neu …",
  "connection.retryNow": "Jetzt versuchen",

  "error.title": "Etwas ist schiefgegangen",
  "error.reload": "Seite neu laden",
  "error.unexpected":
    "Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu; wenn es wieder geschieht, melden Sie, was Sie getan haben.",
  "error.unreachable":
    "Lineside antwortet nicht. Prüfen Sie, ob das Gateway eingeschaltet und dieser Rechner in seinem Netz ist, und versuchen Sie es erneut.",
  "error.signedOut":
    "E-Mail oder Passwort stimmen nicht, oder Ihre Sitzung ist beendet. Melden Sie sich neu an.",
  "error.forbidden":
    "Ihre Rolle erlaubt das nicht. Bitten Sie einen Administrator oder den Inhaber, es zu tun oder Ihre Rolle zu ändern.",
  "error.notFound":
    "Das gibt es nicht mehr. Vielleicht wurde es gelöscht: Gehen Sie zur Liste zurück und sehen Sie nach.",
  "error.tooLarge": "Das ist zu groß für eine Anfrage. Senden Sie es in kleineren Teilen.",
  "error.tooMany": "Zu viele Versuche. Warten Sie {seconds} Sekunden und versuchen Sie es erneut.",
  "error.storage":
    "Das Gateway kann gerade nichts speichern; vielleicht ist sein Datenträger voll. Schaffen Sie Platz und versuchen Sie es erneut.",
  "error.invalid": "Bitte berichtigen: {detail}",
  "error.invalidPlain": "Etwas im Formular stimmt nicht. Prüfen Sie die Felder und senden Sie es erneut.",
  "error.passwordWeak":
    "Dieses Passwort ist zu leicht zu erraten. Nehmen Sie einen kurzen Satz, den nur Sie so schreiben.",
  "error.conflict": "Das ist schon vergeben: {detail}",
  "error.conflictPlain": "Das ist schon vergeben. Wählen Sie einen anderen Namen.",
  "error.server":
    "Das Gateway meldet einen internen Fehler ({status}). Versuchen Sie es erneut; bleibt er, sehen Sie in sein Protokoll.",

  "signIn.leaving": "Anmeldeseite wird geöffnet …",
  "signIn.arriving": "Sie werden angemeldet …",
  "signIn.failed": "Die Anmeldung hat nicht geklappt",
  "signIn.stale":
    "Dieser Anmeldelink wurde schon benutzt oder gehört zu einem anderen Tab. Beginnen Sie neu; es dauert nur einen Moment.",
  "signIn.again": "Anmelden",

  "setup.title": "Lineside einrichten",
  "setup.intro": "Sie sind hier die erste Person. Legen Sie das Konto des Inhabers an; es darf alles.",
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
    "Ein Einrichtungslink gilt einmal und 30 Minuten lang. Gibt es schon einen Inhaber, melden Sie sich an. Sonst erzeugen Sie auf dem Gateway mit diesem Befehl einen neuen (aus einem Checkout „npm run lineside --“ statt „lineside“):",
  "setup.copyCommand": "Befehl kopieren",
  "setup.toSignIn": "Zur Anmeldung",
  "setup.ready": "Alles ist bereit",
  "setup.readyHint": "Was möchten Sie zuerst sehen?",
  "setup.connect": "Gerät verbinden",
  "setup.connectHint": "Legt ein Gerät an und zeigt, wie es den ersten Wert sendet.",
  "setup.firstDevice": "Mein erstes Gerät",
  "setup.demo": "Demo-Werk starten",
  "setup.demoHint": "Eine kleine simulierte Fabrik: Geräte, lebende Diagramme, Alarme und ein Dashboard.",
  "setup.skip": "Erst einmal umsehen",
  "demo.title": "Demo-Werk",
  "demo.running": "Das Demo-Werk läuft: {count} erfundene Geräte.",
  "demo.stopped": "Das Demo-Werk steht still.",
  "demo.history": "Seine Vorgeschichte wird gespeichert: {percent} %.",
  "demo.open": "Sein Dashboard",
  "demo.stop": "Anhalten",
  "demo.remove": "Entfernen",
  "demo.removeWarning":
    "Seine Geräte und alles, was sie gesendet haben, sind dann weg, samt Profilen und Dashboard.",
  "onboarding.title": "Geben Sie Ihrem Standort einen Namen",

  "overview.devices": "Geräte",
  "overview.devicesDetail": "an diesem Standort bekannt",
  "overview.activeDetail": "haben sich gemeldet",
  "overview.inactiveDetail": "schweigen zu lange oder waren nie zu hören",
  "overview.newest": "Neueste Daten",
  "overview.newestNone": "noch nichts empfangen",
  "overview.rate": "Nachrichten pro Sekunde, letzte Minute",
  "overview.rateValues": "{messages} Nachrichten/s · {points} Werte/s",
  "overview.rateChart": "Nachrichten pro Sekunde in der letzten Minute, höchstens {top}",
  "overview.recent": "Zuletzt gehört",
  "overview.recentNone": "Noch keine Daten. Öffnen Sie ein Gerät und folgen Sie dem Reiter „Verbinden“.",
  "overview.silent": "Stumme Geräte",
  "overview.silentNone": "Alle Geräte melden sich. Hier ist nichts zu tun.",
  "overview.allSilent": "Alle stummen",
  "overview.allDevices": "Alle Geräte",
  "overview.connectHint":
    "Geben Sie ihm einen Namen und erhalten Sie ein fertiges Beispiel für mosquitto_pub, curl, Python, Node.js oder Arduino, mit echter Adresse und echtem Token.",

  "state.active": "Aktiv",
  "state.inactive": "Inaktiv",
  "age.now": "jetzt",
  "age.seconds": "vor {n} s",
  "age.minutes": "vor {n} min",
  "age.hours": "vor {n} h",
  "age.days": "vor {n} T",
  "age.never": "nie",
  "value.true": "wahr",
  "value.false": "falsch",

  "notFound.title": "Seite nicht gefunden",
  "notFound.what": "Unter dieser Adresse gibt es nichts",
  "notFound.hint":
    "Vielleicht wurde das Gerät gelöscht, oder der Link ist unvollständig. Weiter geht es hier:",

  ...deAlarms,
  ...deAccount,
  ...deGateways,
  ...deDevices,
  ...deImport,
};
