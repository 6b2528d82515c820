import type { manualEn } from "./texts.en.ts";

export const manualDe: Readonly<Record<keyof typeof manualEn, string>> = {
  "manual.search": "Im Handbuch suchen",
  "manual.none": "Nichts gefunden",
  "manual.noneHint": "Verwenden Sie weniger Suchwörter.",
  "manual.pages": "Seiten des Handbuchs",
  "manual.start": "Einstieg",
  "manual.devices": "Geräte",
  "manual.networks": "Andere Netze",
  "manual.rules": "Regeln und Dashboards",
  "manual.users": "Benutzer und Zugang",
  "manual.operation": "Betrieb",
  "manual.language": "Diese Seite gibt es nur auf Englisch.",
};
