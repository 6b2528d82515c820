import type { demoPlantEn } from "./texts.en.ts";

export const demoPlantDe: Readonly<Record<keyof typeof demoPlantEn, string>> = {
  "demo.title": "Demo-Werk",
  "demo.running": "Das Demo-Werk läuft: {count} erfundene Geräte.",
  "demo.stopped": "Das Demo-Werk steht still.",
  "demo.history": "Seine Vorgeschichte wird gespeichert: {percent} %.",
  "demo.open": "Sein Dashboard",
  "demo.stop": "Anhalten",
  "demo.remove": "Entfernen",
  "demo.removeWarning":
    "Seine Geräte und alles, was sie gesendet haben, sind dann weg, samt Profilen und Dashboard.",
};
