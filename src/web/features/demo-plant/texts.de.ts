import type { demoPlantEn } from "./texts.en.ts";

export const demoPlantDe: Readonly<Record<keyof typeof demoPlantEn, string>> = {
  "demo.title": "Demo-Werk",
  "demo.running": "Das Demo-Werk läuft: {count} erfundene Geräte.",
  "demo.stopped": "Das Demo-Werk ist angehalten.",
  "demo.history": "Frühere Messwerte werden gespeichert: {percent} %.",
  "demo.open": "Dashboard öffnen",
  "demo.stop": "Demo-Werk anhalten",
  "demo.remove": "Demo-Werk entfernen",
  "demo.removeWarning": "Die Geräte werden mit allen Messwerten, Profilen und dem Dashboard gelöscht.",
};
