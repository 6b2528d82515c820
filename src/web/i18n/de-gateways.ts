import type { enGateways } from "./en-gateways.ts";

export const deGateways: Readonly<Record<keyof typeof enGateways, string>> = {
  "tab.children": "Untergeräte",
  "devices.roleFilter": "Rolle",
  "devices.allRoles": "Alle Rollen",
  "devices.gateways": "Gateways",
  "children.hint": "Die Geräte, für die dieses Gateway spricht.",
  "children.none": "Noch keine Untergeräte",
  "children.noneHint":
    "Sie erscheinen von selbst, sobald das Gateway auf v1/gateway/connect oder v1/gateway/telemetry sendet. Sie können auch eines anlegen oder vorhandene Geräte zuordnen.",
  "children.create": "Neues Untergerät",
  "children.createGo": "Anlegen",
  "children.created": "{name} ist jetzt hinter diesem Gateway.",
  "children.attach": "Geräte zuordnen",
  "children.attachGo": "Zuordnen",
  "children.attachHint":
    "Das Gateway darf ab jetzt für sie sprechen, unter ihren Namen. Ein Gerät, das hinter einem anderen Gateway ist, zieht hierher um.",
  "children.attached.one": "Ein Gerät ist zugeordnet.",
  "children.attached.other": "{count} Geräte sind zugeordnet.",
  "children.detach": "Lösen",
  "children.detachOf": "{name} lösen",
  "children.detachWarning":
    "Das Gerät bleibt mit seinen Daten erhalten. Was das Gateway weiter für es sendet, wird abgelehnt, bis Sie es wieder zuordnen.",
  "children.detached": "{name} ist gelöst.",
  "children.calledBy": "Name am Gateway",
  "children.noName": "kein Name am Gateway: ein anderes Untergerät hat ihn",
  "child.gateway": "Gateway",
  "child.title": "Gateway davor",
  "child.hint":
    "Ein Gerät hinter einem Gateway sendet und hört über dieses; sein eigenes Token funktioniert auch.",
  "child.nameHint":
    "Wie das Gateway das Gerät in seinen Nachrichten nennt. Das bleibt, wenn Sie das Gerät umbenennen.",
  "child.none": "Keines: es verbindet sich selbst",
  "problem.childName": "Das Gateway nennt schon ein anderes Gerät so. Wählen Sie einen anderen Namen.",
  "problem.parent": "Dieses Gateway gibt es nicht mehr, oder Sie dürfen es nicht sehen.",
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
};
