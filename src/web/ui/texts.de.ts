import type { uiEn } from "./texts.en.ts";

export const uiDe: Readonly<Record<keyof typeof uiEn, string>> = {
  "level.warning": "jenseits des Grenzwerts für Warnungen",
  "level.critical": "jenseits des kritischen Grenzwerts",
  "alarmLink.on": "Alarmregel für {name} anlegen",
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
    "Ihre Rolle erlaubt das nicht. Bitten Sie einen Administrator oder den Eigentümer, es zu tun oder Ihre Rolle zu ändern.",
  "error.notFound":
    "Das gibt es nicht mehr. Vielleicht wurde es gelöscht: Gehen Sie zur Liste zurück und sehen Sie nach.",
  "error.tooLarge": "Das ist zu groß für eine Anfrage. Senden Sie es in kleineren Teilen.",
  "error.tooMany": "Zu viele Versuche. Warten Sie {seconds} Sekunden und versuchen Sie es erneut.",
  "error.storage":
    "Das Gateway kann gerade nichts speichern; vielleicht ist sein Datenträger voll. Schaffen Sie Platz und versuchen Sie es erneut.",
  "error.invalidPlain": "Etwas im Formular stimmt nicht. Prüfen Sie die Felder und senden Sie es erneut.",
  "error.conflictPlain": "Das ist schon vergeben. Wählen Sie einen anderen Namen.",
  "error.server":
    "Das Gateway meldet einen internen Fehler ({status}). Versuchen Sie es erneut; bleibt er, sehen Sie in sein Protokoll.",

  "state.active": "Aktiv",
  "state.inactive": "Inaktiv",
  "state.ofChild": "{state}: {name}",

  "notFound.title": "Seite nicht gefunden",
  "notFound.what": "Unter dieser Adresse gibt es nichts",
  "notFound.hint":
    "Vielleicht wurde das Gerät gelöscht, oder der Link ist unvollständig. Weiter geht es hier:",
  "code.keys": "Tab rückt ein, Umschalt+Tab aus. Mit der Tastatur hinaus: Escape, dann Tab.",
  "expiry.0": "Nie",
  "expiry.30": "In 30 Tagen",
  "expiry.90": "In 90 Tagen",
  "expiry.365": "In einem Jahr",
  "expiry.date": "An einem Datum",
  "dialog.discard": "Änderungen verwerfen?",
  "dialog.discardYes": "Änderungen verwerfen",
  "dialog.keepEditing": "Weiter bearbeiten",
  "silence.automatic": "Automatisch: dreimal das übliche Intervall",
  "silence.fixed": "Eine feste Zeit",
  "silence.time": "Zeit ohne Daten",
  "unit.seconds": "Sekunden",
};
