import type { overviewEn } from "./texts.en.ts";

export const overviewDe: Readonly<Record<keyof typeof overviewEn, string>> = {
  "overview.devices": "Geräte",
  "overview.devicesDetail": "an diesem Standort bekannt",
  "overview.activeDetail": "senden Daten",
  "overview.inactiveDetail": "haben zu lange oder noch nie gesendet",
  "overview.newest": "Neueste Daten",
  "overview.newestNone": "noch nichts empfangen",
  "overview.rate": "Nachrichten pro Sekunde, letzte Minute",
  "overview.rateValues": "{messages} Nachrichten/s · {points} Werte/s",
  "overview.rateChart": "Nachrichten pro Sekunde in der letzten Minute, höchstens {top}",
  "overview.recent": "Zuletzt aktiv",
  "overview.recentNone": "Noch keine Daten. Öffnen Sie ein Gerät und folgen Sie dem Reiter „Verbinden“.",
  "overview.gateways": "Gateways",
  "overview.children.one": "{count} Gerät",
  "overview.children.other": "{count} Geräte",
  "overview.more": "{count} weitere",
  "overview.silent": "Stumme Geräte",
  "overview.allSilent": "Alle stummen",
  "overview.allDevices": "Alle Geräte",
  "overview.connectHint":
    "Geben Sie ihm einen Namen und erhalten Sie ein fertiges Beispiel für mosquitto_pub, curl, Python, Node.js oder Arduino, mit echter Adresse und echtem Token.",
};
