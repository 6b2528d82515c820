import type { exploreEn } from "./texts.en.ts";

export const exploreDe: Readonly<Record<keyof typeof exploreEn, string>> = {
  "explore.add": "Werte hinzufügen",
  "explore.noneHint": "Noch hat kein Gerät einen Wert gesendet. Legen Sie ein Gerät an und verbinden Sie es.",
  "explore.noDevice": "Kein Gerät passt.",
  "explore.keysOf": "Werte von {name}",
  "explore.shown": "angezeigt",
  "explore.empty": "Beliebige Werte beliebiger Geräte vergleichen",
  "explore.emptyHint":
    "Beginnen Sie mit einem Beispiel, oder wählen Sie ein Gerät und seine Werte. Zahlen werden Linien, Texte und Schalter farbige Streifen.",
  "explore.select": "Werte wählen",
  "explore.continue": "Dort weitermachen, wo Sie waren",
  "explore.compareDevices": "Geräte eines Typs vergleichen",
  "explore.recentDevices": "Zuletzt aktive Geräte",
  "explore.picture": "Bild herunterladen (PNG)",
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
