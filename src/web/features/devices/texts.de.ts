import type { devicesEn } from "./texts.en.ts";

export const devicesDe: Readonly<Record<keyof typeof devicesEn, string>> = {
  "device.dashboard": "Sein Dashboard",
  "device.dashboardHint":
    "Die Seite des Geräts führt dorthin; Widgets zum „Gerät, mit dem die Seite geöffnet wird“ zeigen dieses.",
  "device.noDashboard": "Keines",
  "device.dashboardForAll": "Für alle Geräte des Typs {type} und für künftige",
  "device.toDashboard": "Dashboard",
  "devices.create": "Neues Gerät",
  "devices.createGo": "Anlegen und verbinden",
  "devices.search": "Nach Name oder Bezeichnung suchen",
  "devices.typeFilter": "Gerätetyp",
  "devices.allTypes": "Alle Typen",
  "devices.count.one": "{count} Gerät",
  "devices.count.other": "{count} Geräte",
  "devices.none": "Noch keine Geräte",
  "devices.noneHint": "Legen Sie das erste an; Sie sehen gleich, wie Sie es verbinden.",
  "devices.noMatch": "Kein Gerät passt",
  "devices.noMatchHint": "Versuchen Sie weniger Buchstaben oder einen anderen Typ.",
  "devices.allStates": "Alle Zustände",
  "devices.behind": "Hinter {gateway}",
  "devices.removeFilter": "Diesen Filter entfernen",
  "devices.clearFilter": "Suche und Filter löschen",

  "device.state": "Zustand",
  "device.name": "Name",
  "device.nameHint": "Wie man es vor Ort nennt, zum Beispiel „Presse 4 Hydraulik“.",
  "device.type": "Typ",
  "device.typeHint": "Geräte eines Typs lassen sich gemeinsam filtern und einstellen.",
  "device.label": "Bezeichnung",
  "device.tags": "Schlagwörter",
  "device.lastMessage": "Letzte Meldung",
  "device.gateway": "Gateway",
  "device.plain": "Gerät",
  "device.isGateway": "Das ist ein Gateway",
  "device.gatewayHint": "Es sendet für andere Geräte, die von selbst erscheinen.",
  "device.role": "Rolle",
  "device.lastConnected": "Zuletzt verbunden",
  "device.created": "Angelegt",
  "device.id": "Geräte-ID",
  "device.tabs": "Bereiche dieses Geräts",
  "device.noData": "Noch keine Daten",
  "device.noDataHint": "Sobald das Gerät seinen ersten Wert gesendet hat, sehen Sie ihn hier.",
  "device.connectIt": "Zeigen, wie es verbunden wird",

  "rejection.empty": "Die Nachricht ist leer.",
  "rejection.malformed":
    "Der Inhalt ist kein wohlgeformtes JSON. Prüfen Sie Anführungszeichen, Kommas und Klammern.",
  "rejection.noValues":
    "Sie enthält keine Werte. Erwartet wird ein JSON-Objekt aus Schlüsseln und Werten, siehe „Verbinden“.",
  "rejection.keyEmpty": "Ein Schlüssel ist leer. Geben Sie jedem Wert einen Namen.",
  "rejection.keyTooLong": "Ein Schlüssel ist länger als 256 Bytes.",
  "rejection.tooManyKeys": "Eine Messung hat zu viele Schlüssel. Senden Sie sie in mehreren Nachrichten.",
  "rejection.future": "Ihr Zeitstempel liegt mehr als 24 h in der Zukunft. Prüfen Sie die Uhr des Geräts.",
  "rejection.time": "Ihr „ts“ ist kein Zeitstempel: Epochen-Millisekunden, Epochen-Sekunden oder ISO 8601.",
  "rejection.topic":
    "Auf dieses Topic kann kein Gerät veröffentlichen. Für Werte ist es v1/devices/me/telemetry.",
  "devices.roleFilter": "Rolle",
  "devices.allRoles": "Alle Rollen",
  "devices.gateways": "Gateways",
  "rejection.childElsewhere":
    "Ein Gerät dieses Namens gibt es, aber nicht hinter diesem Gateway. Ordnen Sie es im Reiter Untergeräte zu, wenn das Gateway für es sprechen darf.",
  "rejection.childUnknown":
    "Das Gateway hat kein solches Untergerät, und sein Profil lässt es keine anlegen. Legen Sie das Untergerät an, oder erlauben Sie es im Profil.",
  "rejection.childName":
    "Der Name des Untergeräts ist leer, länger als 256 Zeichen oder enthält ein Steuerzeichen.",
  "rejection.childrenLimit":
    "Das Gateway hat schon 10.000 Untergeräte angelegt. Prüfen Sie, ob es Namen erfindet; weitere lassen sich von Hand anlegen.",
  "rejection.gatewayBody":
    "Der Inhalt ist nicht, was dieses Thema erwartet: ein Objekt mit den Namen von Untergeräten.",
  "rejection.tooManyChildren": "Die Nachricht nennt mehr als 1.000 Untergeräte. Senden Sie sie in Teilen.",

  "children.create": "Neues Untergerät",
  "children.createGo": "Anlegen",
  "children.created": "{name} ist jetzt hinter diesem Gateway.",
  "children.calledBy": "Name am Gateway",
  "child.nameHint":
    "Wie das Gateway das Gerät in seinen Nachrichten nennt. Das bleibt, wenn Sie das Gerät umbenennen.",
  "import.open": "Importieren",
  "import.export": "Exportieren",
};
