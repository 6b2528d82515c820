import type { refusalsEn } from "./texts.en.ts";

export const refusalsDe: Readonly<Record<keyof typeof refusalsEn, string>> = {
  "refused.title": "Abgelehnte Zugangsdaten",
  "refused.hint":
    "Falsche oder abgelaufene Token, Passwörter, Schlüssel und Zertifikate. Von einem Token stehen hier nur die ersten Zeichen und die Länge.",
  "refused.siteHint":
    "Falsche oder abgelaufene Passwörter, Schlüssel und Zertifikate, die bekanntermaßen zu diesem Standort gehören. Ein falsches Token gehört zu keinem Standort; die Betreiber des Gateways sehen es.",
  "refused.open": "Abgelehnte Zugangsdaten",
  "refused.search": "Adresse oder Identität suchen",
  "refused.edge": "Wo abgelehnt wurde",
  "refused.allEdges": "Überall",
  "refused.none": "Es wurden keine Zugangsdaten abgelehnt",
  "refused.noneHint":
    "Hier erscheinen falsche Token, Passwörter und Schlüssel von Geräten, Programmen und Benutzern.",
  "refused.noMatch": "Keine Ablehnung passt",
  "refused.noMatchHint": "Ändern Sie den Text oder den Filter.",
  "refused.list": "Abgelehnte Zugangsdaten",
  "refused.count.one": "{count}-mal",
  "refused.count.other": "{count}-mal",
  "refused.since": "seit {time}",
  "refused.from": "von {address}",
  "refused.fromUnknown": "von einem Client, der zu einem anderen Standort gehören kann",
  "refused.others": "viele Identitäten",
  "refused.noIdentity": "keine Identität",
  "refused.more": "Mehr anzeigen",
  "refused.shown": "{shown} von {total}",
  "refusalEdge.mqtt": "MQTT",
  "refusalEdge.device_api": "Geräte-API",
  "refusalEdge.device_websocket": "WebSocket eines Geräts",
  "refusalEdge.api": "REST-API",
  "refusalEdge.sign_in": "Anmeldung",
  "refusalEdge.link": "Einmal-Link",
  "refusalEdge.realtime": "Live-Verbindung",
  "refusalEdge.webhook": "Webhook",
  "refusalEdge.provisioning": "Provisionierung",
  "refusalEdge.metrics": "Metriken",
};
