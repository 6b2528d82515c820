import type { gatewaysEn } from "./texts.en.ts";

export const gatewaysDe: Readonly<Record<keyof typeof gatewaysEn, string>> = {
  "children.hint": "Geräte, für die dieses Gateway sendet.",
  "children.none": "Noch keine Untergeräte",
  "children.noneHint":
    "Sie erscheinen von selbst, sobald das Gateway auf v1/gateway/connect oder v1/gateway/telemetry sendet. Sie können auch eines anlegen oder vorhandene Geräte zuordnen.",
  "children.attach": "Geräte zuordnen",
  "children.attachGo": "Zuordnen",
  "children.attachHint":
    "Das Gateway sendet ab jetzt für diese Geräte, unter ihren Namen. Ein Gerät, das zu einem anderen Gateway gehört, wird hierher verschoben.",
  "children.attached.one": "Ein Gerät ist zugeordnet.",
  "children.attached.other": "{count} Geräte sind zugeordnet.",
  "children.detach": "Lösen",
  "children.detachOf": "{name} lösen",
  "children.detachWarning":
    "Das Gerät und seine Daten bleiben erhalten. Nachrichten, die das Gateway für das Gerät sendet, werden abgelehnt, bis Sie es wieder zuordnen.",
  "children.detached": "{name} ist gelöst.",
  "children.noName": "kein Name am Gateway: ein anderes Untergerät hat ihn",
  "child.gateway": "Gateway",
  "child.saveName": "Namen speichern",
  "child.title": "Gateway davor",
  "child.hint":
    "Ein Gerät hinter einem Gateway sendet und empfängt über das Gateway. Sein eigenes Token gilt ebenfalls.",
  "child.none": "Keines, das Gerät verbindet sich selbst",
};
