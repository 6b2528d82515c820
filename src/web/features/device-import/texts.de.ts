import type { deviceImportEn } from "./texts.en.ts";

export const deviceImportDe: Readonly<Record<keyof typeof deviceImportEn, string>> = {
  "import.title": "Geräte importieren",
  "import.intro":
    "Importieren Sie eine Liste von Geräten als CSV mit einem Gerät je Zeile. Semikolons, Dezimalkommas und Anführungszeichen von Tabellenprogrammen werden erkannt.",
  "import.drop": "Ziehen Sie eine CSV-Datei hierher, oder wählen Sie eine",
  "import.select": "Datei wählen",
  "import.other": "Andere Datei",
  "import.template": "Vorlage herunterladen",
  "import.templateHint": "Die Vorlage enthält alle Spalten und eine Beispielzeile.",
  "import.checking": "{name} wird geprüft …",
  "import.importing": "Wird importiert …",
  "import.devices": "Geräte",
  "import.rows.one": "{count} Zeile",
  "import.rows.other": "{count} Zeilen",
  "import.good": "Alle Zeilen sind in Ordnung.",
  "import.wrongRows.one": "{count} Zeile hat Fehler.",
  "import.wrongRows.other": "{count} Zeilen haben Fehler.",
  "import.sameNames.one":
    "{count} Gerät hat den Namen eines vorhandenen. Wurde diese Liste schon einmal importiert?",
  "import.sameNames.other":
    "{count} Geräte haben Namen von vorhandenen. Wurde diese Liste schon einmal importiert?",
  "import.sameNamesRows": "Zeilen:",
  "import.showAll": "Alle",
  "import.showWrong": "Mit Fehlern",
  "import.show": "Zeilen",
  "import.all.one": "{count} Gerät importieren",
  "import.all.other": "{count} Geräte importieren",
  "import.partial.one": "{count} fehlerfreie Zeile importieren",
  "import.partial.other": "{count} fehlerfreie Zeilen importieren",
  "import.row": "Zeile",
  "import.mistake": "Fehler",
  "import.fine": "in Ordnung",
  "import.created.one": "{count} Gerät ist importiert.",
  "import.created.other": "{count} Geräte sind importiert.",
  "import.failed.one": "{count} Zeile wurde ausgelassen.",
  "import.failed.other": "{count} Zeilen wurden ausgelassen.",
  "import.tokens": "Zugriffstoken herunterladen",
  "import.tokensHint":
    "Die CSV-Datei enthält Namen, IDs und Token für die Einrichtung der Geräte. Bewahren Sie sie so sicher auf wie ein Passwort.",
  "import.toDevices": "Geräte zeigen",
  "import.undo": "Import rückgängig machen",
  "import.undoWarning.one":
    "{count} Gerät dieses Imports wird gelöscht. Es bleibt erhalten, wenn jemand es geändert hat oder wenn es sich verbunden oder Daten gesendet hat.",
  "import.undoWarning.other":
    "Die {count} Geräte dieses Imports werden gelöscht. Ein Gerät bleibt erhalten, wenn jemand es geändert hat oder wenn es sich verbunden oder Daten gesendet hat.",
};
