import type { gatewaysEn } from "./texts.en.ts";

export const gatewaysDe: Readonly<Record<keyof typeof gatewaysEn, string>> = {
  "children.hint": "Die Geräte, für die dieses Gateway spricht.",
  "children.none": "Noch keine Untergeräte",
  "children.noneHint":
    "Sie erscheinen von selbst, sobald das Gateway auf v1/gateway/connect oder v1/gateway/telemetry sendet. Sie können auch eines anlegen oder vorhandene Geräte zuordnen.",
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
  "children.noName": "kein Name am Gateway: ein anderes Untergerät hat ihn",
  "child.gateway": "Gateway",
  "child.title": "Gateway davor",
  "child.hint":
    "Ein Gerät hinter einem Gateway sendet und hört über dieses; sein eigenes Token funktioniert auch.",
  "child.none": "Keines: es verbindet sich selbst",
};
