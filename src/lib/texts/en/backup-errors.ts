export const backupErrors = {
  "backup.archive_read_only": "An archive cannot be changed.",
  "backup.check_failed": "{name} is damaged: SQLite's check of the copy failed. The backup was not kept.",
  "backup.database_short": "{name} is shorter than its header says. Check the disk.",
  "backup.databases_busy": "The databases were in use without a pause. Try again later.",
  "backup.folder_failed": "The folder {path} cannot be used: {reason}",
  "backup.folder_missing": "The folder {path} does not exist. Connect the drive, or create the folder.",
  "backup.format_newer": "These backups were made by a newer Lineside. Restore them with that version.",
  "backup.gateway_running": "A gateway is running on {path}. Stop it first.",
  "backup.data_damaged":
    "The gateway's data is damaged or incomplete: {problems}. No backup was made, and older backups are kept. Put the files back, or restore the newest good backup. If the gateway was never started, start it once.",
  "backup.database_absent":
    "The backup does not contain {name}, so it is incomplete. Select another backup, or restore a part of it with `lineside restore --only`.",
  "backup.file_unknown":
    "The backup contains a file that does not belong in a backup: {path}. Nothing was restored.",
  "backup.none":
    "There are no backups at this location. Specify the folder, archive file or bucket to which a gateway wrote backups.",
  "backup.not_an_archive": "This file is not a whole backup archive.",
  "backup.not_encrypted":
    "The backups at this place are not encrypted. Select an empty place for encrypted ones.",
  "backup.object_damaged": "{name} is damaged.",
  "backup.object_missing": "{name} is missing.",
  "backup.other_gateway": "Another gateway keeps its backups at this place. Select another folder or prefix.",
  "backup.passphrase_missing": "These backups are encrypted. Enter the passphrase.",
  "backup.passphrase_wrong": "The passphrase is wrong.",
  "backup.running": "A backup is running. Wait until it is finished.",
  "backup.s3_failed": "The bucket {bucket} at {endpoint} cannot be used: {reason}",
  "backup.snapshot_missing": "There is no backup {id}.",
  "backup.sum_wrong": "{name} is not what was backed up: its checksum differs.",
  "backup.failed": "The backup failed: {reason}",
  "backup.interrupted": "The gateway stopped before the backup was finished.",
  "backup.link_invalid":
    "This download link was used or has expired. Create another one under Settings → Backups.",
  "backup.no_place": "Name the place of the backups first.",
  "backup.folder_invalid": "The folder must be an absolute path outside the data directory.",
  "backup.no_room": "The disk has too little room: {neededMb} MB are needed, {freeMb} MB can be used.",
  "backup.restore_failed": "The backup could not be restored: {reason}",
  "backup.restore_interrupted": "The gateway stopped before the backup was restored. Restore it again.",
  "backup.restoring": "A backup is being restored. Wait until it is finished.",
  "backup.upload_failed": "The gateway could not store the file. Check the disk.",
  "backup.upload_incomplete": "The whole file must be uploaded first.",
  "backup.upload_offset": "The upload continues at byte {offset}.",
  "backup.upload_part_invalid": "The part is empty or goes beyond the end of the file.",
  "backup.overdue": "There is no good backup of the last {hours} hours.",
  "backup.place_full": "There is no room left in {path}. Delete files there, or keep fewer backups.",
  "backup.disk_full":
    "The disk of {path} is full. Nothing was restored, and the current data is unchanged. Free some space, then try again.",
  "backup.other_machine":
    "Another machine with a copy of this gateway keeps its backups here. Select another place. If this machine replaced the other machine, run `lineside backup take-over`.",
  "backup.other_keys":
    "{path} has been replaced since this backup, so the secrets in the backup could not be read. Restore the whole backup.",
  "backup.part_missing": "The backup does not contain {name}.",
  "backup.passphrase_empty": "The passphrase is empty. Enter a passphrase, or turn encryption off.",
  "backup.source_damaged":
    "The backup contains damaged telemetry ({count} problems). First: {first} Older good backups are kept.",
  "backup.place_repaired": "Damaged or missing objects rewritten at the backup place: {count}.",
  "backup.place_damaged":
    "Older backups that can only be restored in part because the backup place is damaged: {count}. The newest backup is good.",
  "backup.last_failed": "The last backup failed.",
  "backup.fixed": "The configuration of the gateway sets {key}. Change it there and restart the gateway.",
} as const;
