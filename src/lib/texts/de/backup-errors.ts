import type { backupErrors } from "../en/backup-errors.ts";

export const backupErrorsDe: Readonly<Record<keyof typeof backupErrors, string>> = {
  "backup.archive_read_only": "Ein Archiv kann nicht geändert werden.",
  "backup.check_failed":
    "{name} ist beschädigt: Die Prüfung der Kopie durch SQLite ist fehlgeschlagen. Die Sicherung wurde verworfen.",
  "backup.database_short": "{name} ist kürzer, als im Dateikopf steht. Prüfen Sie den Datenträger.",
  "backup.databases_busy": "Die Datenbanken waren ohne Pause in Gebrauch. Versuchen Sie es später erneut.",
  "backup.folder_failed": "Der Ordner {path} kann nicht verwendet werden: {reason}",
  "backup.folder_missing":
    "Den Ordner {path} gibt es nicht. Schließen Sie das Laufwerk an, oder legen Sie den Ordner an.",
  "backup.format_newer":
    "Diese Sicherungen stammen von einer neueren Lineside-Version. Stellen Sie sie mit dieser Version wieder her.",
  "backup.gateway_running": "Auf {path} läuft ein Gateway. Halten Sie es zuerst an.",
  "backup.data_damaged":
    "Die Daten des Gateways sind beschädigt oder unvollständig: {problems}. Es wurde keine Sicherung erstellt; ältere Sicherungen bleiben erhalten. Legen Sie die Dateien zurück, oder stellen Sie die neueste gute Sicherung wieder her. Wurde das Gateway noch nie gestartet, starten Sie es einmal.",
  "backup.database_absent":
    "{name} fehlt in der Sicherung; sie ist also unvollständig. Wählen Sie eine andere Sicherung, oder stellen Sie mit `lineside restore --only` einen Teil davon wieder her.",
  "backup.file_unknown":
    "Die Sicherung enthält eine Datei, die nicht in eine Sicherung gehört: {path}. Es wurde nichts wiederhergestellt.",
  "backup.none":
    "An diesem Ort liegen keine Sicherungen. Geben Sie den Ordner, das Archiv oder den Bucket an, in den ein Gateway Sicherungen geschrieben hat.",
  "backup.not_an_archive": "Diese Datei ist kein vollständiges Sicherungsarchiv.",
  "backup.not_encrypted":
    "Die Sicherungen an diesem Ort sind nicht verschlüsselt. Wählen Sie für verschlüsselte einen leeren Ort.",
  "backup.object_damaged": "{name} ist beschädigt.",
  "backup.object_missing": "{name} fehlt.",
  "backup.other_gateway":
    "An diesem Ort liegen die Sicherungen eines anderen Gateways. Wählen Sie einen anderen Ordner oder ein anderes Präfix.",
  "backup.passphrase_missing": "Diese Sicherungen sind verschlüsselt. Geben Sie die Passphrase ein.",
  "backup.passphrase_wrong": "Die Passphrase ist falsch.",
  "backup.running": "Eine Sicherung läuft. Warten Sie, bis sie beendet ist.",
  "backup.s3_failed": "Der Bucket {bucket} bei {endpoint} kann nicht verwendet werden: {reason}",
  "backup.snapshot_missing": "Es gibt keine Sicherung {id}.",
  "backup.sum_wrong": "{name} entspricht nicht der gesicherten Datei: Die Prüfsumme weicht ab.",
  "backup.failed": "Die Sicherung ist fehlgeschlagen: {reason}",
  "backup.interrupted": "Das Gateway wurde angehalten, bevor die Sicherung beendet war.",
  "backup.link_invalid":
    "Dieser Download-Link wurde benutzt oder ist abgelaufen. Legen Sie unter Einstellungen → Sicherungen einen neuen an.",
  "backup.no_place": "Geben Sie zuerst den Ort der Sicherungen an.",
  "backup.folder_invalid": "Der Ordner muss ein absoluter Pfad außerhalb des Datenverzeichnisses sein.",
  "backup.no_room":
    "Auf dem Datenträger ist zu wenig Platz: {neededMb} MB werden benötigt, {freeMb} MB sind verfügbar.",
  "backup.restore_failed": "Die Sicherung konnte nicht wiederhergestellt werden: {reason}",
  "backup.restore_interrupted":
    "Das Gateway wurde angehalten, bevor die Sicherung wiederhergestellt war. Stellen Sie sie noch einmal wieder her.",
  "backup.restoring": "Eine Sicherung wird wiederhergestellt. Warten Sie, bis das abgeschlossen ist.",
  "backup.upload_failed": "Das Gateway konnte die Datei nicht speichern. Prüfen Sie den Datenträger.",
  "backup.upload_incomplete": "Zuerst muss die ganze Datei hochgeladen sein.",
  "backup.upload_offset": "Das Hochladen geht bei Byte {offset} weiter.",
  "backup.upload_part_invalid": "Der Teil ist leer oder reicht über das Ende der Datei hinaus.",
  "backup.overdue": "Es gibt keine gute Sicherung der letzten {hours} Stunden.",
  "backup.place_full":
    "In {path} ist kein Platz mehr. Löschen Sie dort Dateien, oder bewahren Sie weniger Sicherungen auf.",
  "backup.disk_full":
    "Der Datenträger von {path} ist voll. Es wurde nichts wiederhergestellt, und die vorhandenen Daten sind unverändert. Schaffen Sie Platz und versuchen Sie es noch einmal.",
  "backup.other_machine":
    "Ein anderer Rechner mit einer Kopie dieses Gateways sichert an diesen Ort. Wählen Sie einen anderen Ort. Hat dieser Rechner den anderen ersetzt, führen Sie `lineside backup take-over` aus.",
  "backup.other_keys":
    "{path} wurde seit dieser Sicherung ersetzt; die Geheimnisse in der Sicherung wären daher nicht lesbar. Stellen Sie die ganze Sicherung wieder her.",
  "backup.part_missing": "Die Sicherung enthält {name} nicht.",
  "backup.passphrase_empty":
    "Die Passphrase ist leer. Geben Sie eine Passphrase ein, oder schalten Sie die Verschlüsselung aus.",
  "backup.source_damaged":
    "Die Sicherung enthält beschädigte Telemetrie ({count} Probleme). Erstes: {first} Ältere gute Sicherungen bleiben erhalten.",
  "backup.place_repaired":
    "Am Sicherungsort neu geschriebene Objekte, die beschädigt waren oder fehlten: {count}.",
  "backup.place_damaged":
    "Ältere Sicherungen, die sich nur teilweise wiederherstellen lassen, weil der Sicherungsort beschädigt ist: {count}. Die neueste Sicherung ist gut.",
  "backup.last_failed": "Die letzte Sicherung ist fehlgeschlagen.",
  "backup.fixed":
    "{key} ist in der Konfiguration des Gateways festgelegt. Ändern Sie es dort und starten Sie das Gateway neu.",
};
