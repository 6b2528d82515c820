import type { devicePageEn } from "./texts.en.ts";

export const devicePageDe: Readonly<Record<keyof typeof devicePageEn, string>> = {
  "device.values.measured": "Messwerte",
  "device.values.states": "Zustände",
  "device.values.counters": "Zähler",
  "device.values.others": "Weitere Werte",
  "tab.commands": "Befehle",

  "tab.overview": "Übersicht",
  "tab.data": "Daten",
  "tab.attributes": "Attribute",
  "tab.connect": "Verbinden",
  "tab.messages": "Nachrichten",
  "tab.settings": "Einstellungen",

  "messages.filter": "Art der Nachricht",
  "messages.all": "Alle",
  "messages.telemetry": "Telemetrie",
  "messages.attributes": "Attribute",
  "messages.rejected": "Abgelehnt",
  "held.title": "Wartende Nachrichten",
  "held.count.one": "{count} Nachricht wartet auf die Uhr des Gateways.",
  "held.count.other": "{count} Nachrichten warten auf die Uhr des Gateways.",
  "held.hint":
    "Ihre Zeitstempel sind dieser Uhr um mehr als einen Tag voraus. Ab {firstDueAt} werden sie von selbst gespeichert. Prüfen Sie die Uhren des Geräts und des Gateways.",
  "held.store": "Jetzt speichern",
  "held.delete": "Löschen",
  "held.deleteWarning": "Die Nachrichten gehen verloren. Das Gerät sendet sie nicht noch einmal.",
  "messages.clear": "Leeren",
  "messages.none": "Noch nichts hier",
  "messages.noneHint":
    "Nachrichten erscheinen, sobald sie ankommen. Lassen Sie diese Seite offen, während das Gerät sendet.",
  "messages.noneRejected":
    "Von diesem Gerät wurde nichts abgelehnt. Fehlt ein Wert, prüfen Sie, ob das Gerät verbunden ist.",

  "settings.save": "Gerät speichern",
  "device.saveDashboard": "Dashboard-Link speichern",
  "settings.saved": "Gespeichert.",
  "claiming.title": "Übernahme",
  "claiming.WAITING": "Es kann bis {time} mit seinem Code übernommen werden.",
  "claiming.EXPIRED": "Es konnte bis {time} übernommen werden.",
  "claiming.CLAIMED": "{name} hat es am {time} übernommen.",
  "claiming.release": "Übernahme aufheben",
  "claiming.close": "Übernahme beenden",
  "claiming.released": "{name} ist nicht mehr übernommen.",
  "settings.tagsHint": "Durch Kommas getrennt, zum Beispiel halle-2, kritisch.",
  "settings.asset": "Anlage",
  "settings.assetHint":
    "Maschine, Halle oder Linie, zu der das Gerät gehört. Benutzern lassen sich alle Geräte einer Anlage freigeben.",
  "settings.inactivity": "Inaktiv nach (Minuten)",
  "settings.inactivityHint":
    "Zeit ohne Nachricht. Wenn das Feld leer ist, gilt die Einstellung des Profils. {current}",
  "inactivity.DEVICE": "Zurzeit gilt: {time}, für dieses Gerät eingestellt.",
  "inactivity.PROFILE": "Zurzeit gilt: {time}, aus dem Profil.",
  "inactivity.OBSERVED":
    "Zurzeit gilt: {time}. Das Gerät meldet sich üblicherweise alle {interval}; die Zeit ist das Dreifache davon, mindestens 1 Minute.",
  "inactivity.DEFAULT": "Zurzeit gilt: {time}, bis das übliche Intervall des Geräts bekannt ist.",
  "settings.profile": "Profil",
  "settings.delete": "Dieses Gerät löschen",
  "settings.deleteHint": "Seine Daten, Attribute und sein Token werden mit gelöscht.",
  "settings.deleteWarning":
    "Das lässt sich nicht rückgängig machen. Alle Daten dieses Geräts werden gelöscht, und es kann sich nicht mehr verbinden.",
  "settings.typeName": "Zum Bestätigen „{name}“ eingeben",
  "settings.deleted": "{name} ist gelöscht.",
  "tab.children": "Untergeräte",
  "tab.history": "Verlauf",
};
