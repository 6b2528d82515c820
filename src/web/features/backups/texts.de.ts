import type { backupsEn } from "./texts.en.ts";

export const backupsDe: Readonly<Record<keyof typeof backupsEn, string>> = {
  "backups.state": "Zustand",
  "backups.none": "Sicherungen sind nicht eingerichtet",
  "backups.noneHint":
    "Wählen Sie unten einen Ort dafür: einen USB-Stick, eine eingebundene Freigabe oder einen S3-kompatiblen Speicher.",
  "backups.newest": "Neueste gute Sicherung",
  "backups.newestNone": "noch keine",
  "backups.next": "Nächste Sicherung",
  "backups.nextNone": "nur, wenn Sie eine starten",
  "backups.nextSoon": "gleich",
  "backups.lastFailed": "Die letzte Sicherung ist fehlgeschlagen. {reason}",
  "backups.running": "Sicherung läuft: {percent} %",
  "backups.run": "Jetzt sichern",
  "backups.started": "Sicherung gestartet",
  "backups.saveFirst": "Speichern Sie zuerst einen Ort.",
  "backups.size": "{size}, davon {added} neu",

  "backups.settings": "Einstellungen",
  "backups.place": "Ort",
  "backups.placeKind": "Wo Sicherungen liegen",
  "backups.place.none": "Keine Sicherungen",
  "backups.place.folder": "Ordner (USB-Stick, Freigabe)",
  "backups.place.s3": "S3-kompatibler Speicher",
  "backups.path": "Ordner",
  "backups.pathHint":
    "Absoluter Pfad eines Ordners, den es auf dem Gateway gibt, außerhalb seines Datenverzeichnisses.",
  "backups.endpoint": "Endpunkt",
  "backups.region": "Region",
  "backups.bucket": "Bucket",
  "backups.prefix": "Präfix",
  "backups.prefixHint": "Damit beginnen die Namen aller Objekte. Jedes Gateway braucht ein eigenes Präfix.",
  "backups.keyId": "ID des Zugriffsschlüssels",
  "backups.secret": "Geheimer Zugriffsschlüssel",
  "backups.kept": "Leer lassen, um nichts zu ändern",
  "backups.encrypt": "Sicherungen mit einer Passphrase verschlüsseln",
  "backups.notEncrypted":
    "Eine Sicherung enthält alle Daten und alle Schlüssel des Gateways. Ohne Verschlüsselung kann sie jeder lesen, der diesen Ort lesen kann.",
  "backups.passphrase": "Passphrase",
  "backups.passphraseNew": "Neue Passphrase",
  "backups.passphraseWarning":
    "Ohne die Passphrase kann niemand eine Sicherung wiederherstellen, und niemand kann die Passphrase herausfinden. Schreiben Sie sie auf, und verwahren Sie sie nicht am Gateway.",

  "backups.schedule": "Zeitplan",
  "backups.scheduleKind": "Wann gesichert wird",
  "backups.schedule.daily": "Jeden Tag",
  "backups.schedule.cron": "Nach einem Cron-Ausdruck",
  "backups.schedule.none": "Nur, wenn Sie eine Sicherung starten",
  "backups.retention": "Aufbewahrung",
  "backups.daily": "Tägliche Sicherungen",
  "backups.dailyHint": "Von so vielen Tagen wird die neueste Sicherung behalten.",
  "backups.weekly": "Wöchentliche Sicherungen",
  "backups.weeklyHint": "Von so vielen Wochen wird die neueste Sicherung behalten.",
  "backups.maxAge": "Warnen nach (Stunden)",
  "backups.maxAgeHint":
    "Das Gateway warnt und löst einen Alarm aus, wenn die neueste gute Sicherung älter ist. Überwacht werden nur Sicherungen nach Zeitplan.",
  "backups.fixed":
    "In der Konfiguration gesetzt: {keys}. Ändern Sie diese Einstellungen dort, und starten Sie das Gateway neu.",
  "backups.verify": "Alle Dateien prüfen innerhalb von (Tagen)",
  "backups.verifyHint":
    "Jede Sicherung liest einen Teil der älteren Dateien zurück, sodass alle Dateien in dieser Zeit geprüft werden.",
  "backups.test": "Ort testen",
  "backups.testOk":
    "Der Ort ist brauchbar: Eine kleine Datei wurde geschrieben, gelesen und wieder entfernt.",
  "backups.saved": "Einstellungen der Sicherung gespeichert",

  "backups.runs": "Läufe",
  "backups.noRuns": "Es ist noch keine Sicherung gelaufen",
  "backups.noRunsHint": "Jeder Lauf steht hier mit seinem Ergebnis.",
  "backups.byUser": "von Hand gestartet",
  "backups.bySchedule": "nach Zeitplan",
  "backups.took": "Dauer {duration}",
  "backups.openedAll": "Alle Datenbanken wurden zur Prüfung wiederhergestellt und geöffnet.",
  "backups.moreRuns": "Ältere Läufe",
  "backupState.RUNNING": "Läuft",
  "backupState.DONE": "Fertig",
  "backupState.DAMAGED": "Daten beschädigt",
  "backupState.FAILED": "Fehlgeschlagen",

  "backups.snapshots": "Sicherungen an diesem Ort",
  "backups.noSnapshots": "An diesem Ort gibt es keine Sicherungen",
  "backups.noSnapshotsHint": "Starten Sie die erste mit „Jetzt sichern“.",
  "backups.damaged": "Beschädigt, nur teilweise wiederherstellbar",
  "backups.version": "Lineside {version}",
  "backups.download": "Herunterladen",
  "backups.downloadOf": "Sicherung vom {date} herunterladen",
  "backups.downloading": "Download gestartet",
  "backups.more": "Ältere Sicherungen",

  "backups.restore": "Eine Sicherung wiederherstellen",
  "backups.restoreHint":
    "Halten Sie das Gateway an, oder installieren Sie Lineside auf einem neuen, und führen Sie dort dies aus. Es stellt die neueste Sicherung wieder her.",
  "backups.restoreNote":
    "Für eine ältere Sicherung schreiben Sie ihre ID hinter „restore“. Eine heruntergeladene Datei geben Sie mit --from und ihrem Namen an. --data nennt das Datenverzeichnis, und --replace erlaubt, die Daten darin zu ersetzen.",
  "backups.restoreCopy": "Befehle kopieren",
};
