import type { exploreEn } from "./texts.en.ts";

export const exploreDe: Readonly<Record<keyof typeof exploreEn, string>> = {
  "explore.add": "Werte hinzufügen",
  "explore.noDevice": "Kein Gerät passt.",
  "explore.keysOf": "Werte von {name}",
  "explore.shown": "angezeigt",
  "explore.empty": "Beliebige Werte beliebiger Geräte vergleichen",
  "explore.emptyHint":
    "Wählen Sie ein Gerät und dann seine Werte. Zahlen werden zu Linien, Texte und Schalter zu farbigen Streifen. Die Adresse der Seite enthält die Ansicht.",
  "explore.series": "Angezeigte Werte",
  "explore.remove": "{name} entfernen",
  "explore.compare": "Mit dem vorherigen Zeitraum vergleichen",
  "explore.split": "Ein Diagramm je Wert",
  "explore.join": "Alle in einem Diagramm",
  "explore.appearance": "Darstellung und Achsen",
  "explore.copyLink": "Link kopieren",
  "explore.copied": "Der Link ist kopiert.",
  "explore.linkInBar": "Kopieren Sie den Link aus der Adresszeile.",
  "explore.save": "Als Dashboard speichern",
};
