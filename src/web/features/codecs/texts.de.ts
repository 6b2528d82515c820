import type { codecsEn } from "./texts.en.ts";

export const codecsDe: Readonly<Record<keyof typeof codecsEn, string>> = {
  "codecs.intro":
    "Ein Codec macht aus den Bytes eines LoRaWAN-Frames Werte, und aus Werten Bytes zum Senden. Dateien der Hersteller für ChirpStack oder The Things Stack werden unverändert genommen.",
  "codecs.create": "Neuer Codec",
  "codecs.none": "Noch keine Codecs",
  "codecs.noneHint":
    "Nötig ist einer, wo der Netzwerkserver die Frames nicht selbst dekodiert. Nehmen Sie die Datei des Herstellers und probieren Sie sie an einem Frame aus, bevor etwas sie benutzt.",
  "codecs.all": "Alle Codecs",
  "codecs.name": "Name",
  "codecs.description": "Beschreibung",
  "codecs.source": "Quelltext",
  "codecs.file": "Aus einer Datei …",
  "codecs.fileTooLarge": "Ein Codec hat höchstens 32 KiB.",
  "codecs.saved": "{name} ist gespeichert.",
  "codecs.delete": "Diesen Codec löschen",
  "codecs.deleteWarning": "„{name}“ wird mit seinem Quelltext gelöscht. Das lässt sich nicht zurücknehmen.",
  "codecs.deleted": "{name} ist gelöscht.",
  "codecs.unused": "nicht benutzt",
  "codecs.usedBy.one": "von {count} Anbindung benutzt",
  "codecs.usedBy.other": "von {count} Anbindungen benutzt",
  "codecs.usedByNames":
    "Benutzt von: {names}. Dort läuft er ab der nächsten Nachricht so, wie er gespeichert ist.",
  "trial.title": "Ausprobieren",
  "trial.direction": "Was ausprobiert wird",
  "trial.uplink": "Frame dekodieren",
  "trial.downlink": "Downlink kodieren",
  "trial.frame": "Frame",
  "trial.frameHint": "Hexadezimal oder Base64.",
  "trial.data": "Daten (JSON)",
  "trial.notJson": "Das ist kein JSON.",
  "trial.fPort": "FPort",
  "trial.result": "Ergebnis",
  "trial.toPort": "Wird an FPort {fPort} gesendet.",
  "trial.dropped": "Nichts: Die Nachricht wird verworfen.",
  "script.line": "Zeile {line}:",
  "script.warnings": "Warnungen",
  "script.console": "Konsole",
  "script.used": "Brauchte {ms} ms von den 100 ms, die ein Skript laufen darf.",
  "script.overrun": "Es lief zu lange und wurde beendet.",
  "script.memory": "Es braucht mehr Speicher, als ein Skript haben darf.",
  "script.breaker":
    "Es lief mehrmals hintereinander zu lange und wird eine Minute lang nicht ausgeführt. Ändern Sie es, um es sofort wieder zu versuchen.",
  "script.unavailable":
    "Skripte können im Moment nicht ausgeführt werden; versuchen Sie es gleich noch einmal.",
  "script.busy": "Zu viele Skripte warten darauf, ausgeführt zu werden; versuchen Sie es gleich noch einmal.",
};
