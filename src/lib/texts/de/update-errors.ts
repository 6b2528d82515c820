import type { updateErrors } from "../en/update-errors.ts";

export const updateErrorsDe: Readonly<Record<keyof typeof updateErrors, string>> = {
  "update.checkout":
    "Nur das ausführbare Programm kann aktualisiert werden. Quelltext wird mit git aktualisiert; npm run build erstellt daraus ein Programm.",
  "update.no_key":
    "Dieses Programm enthält keinen Schlüssel, der Update-Dateien prüft. Ersetzen Sie das Programm von Hand, wie in der Dokumentation beschrieben.",
  "update.not_an_update": "Diese Datei ist kein Update von Lineside.",
  "update.cut_off": "Die Update-Datei ist unvollständig. Kopieren oder laden Sie sie erneut.",
  "update.damaged": "Die Update-Datei ist beschädigt. Kopieren oder laden Sie sie erneut.",
  "update.signature_wrong":
    "Die Signatur der Update-Datei ist ungültig. Die Datei wurde verändert oder mit einem anderen Schlüssel signiert.",
  "update.wrong_target": "Dieses Update ist für {target}. Dieses Gateway braucht das Update für {expected}.",
  "update.same_version": "Das Gateway hat bereits Version {version}.",
  "update.older":
    "Version {version} ist älter als {current}. Nur der Befehl installiert sie, mit --allow-older.",
  "update.data_newer":
    "Die Datenbank {file} ist neuer, als Version {version} lesen kann. Stellen Sie stattdessen eine Sicherung dieser Version wieder her.",
  "update.in_progress": "Ein anderes Update läuft. Starten Sie das Gateway neu, um es abzuschließen.",
  "update.not_writable":
    "Das Gateway darf sein Programm {path} nicht ersetzen. Kopieren Sie die Update-Datei auf das Gerät, und führen Sie dort aus: {command}",
  "update.no_space": "Auf dem Datenträger von {folder} fehlen {megabytes} MB.",
  "update.does_not_run": "Das Programm der Version {version} läuft auf diesem Gerät nicht.",
  "update.file_missing": "Das neue Programm {path} fehlt.",
  "update.other_program": "Das Gateway läuft aus {program}, das Update ist für {expected}.",
  "update.copy_failed": "Die Datenbanken können nicht kopiert werden: {reason}",
  "update.ended": "Die neue Version wurde beendet, bevor sie bereit war.",
  "update.crashed": "Die neue Version ist in der Probezeit {count}-mal abgestürzt.",
  "update.hung": "Die neue Version hat in der Probezeit {seconds} s lang nicht reagiert.",
  "update.not_ready": "Die neue Version war nicht innerhalb von {seconds} s bereit.",
  "update.start_failed": "Die neue Version kann nicht starten: {reason}",
  "update.too_large": "Die Update-Datei ist größer als {megabytes} MB.",
  "update.wrong_offset": "Das Hochladen geht bei Byte {offset} weiter.",
  "update.failed": "Das Update ist fehlgeschlagen: {reason}",
  "update.not_uploaded": "Laden Sie zuerst eine Update-Datei hoch.",
};
