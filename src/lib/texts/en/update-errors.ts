export const updateErrors = {
  "update.checkout":
    "Only the executable can be updated. A checkout is updated with git, and builds an executable with npm run build.",
  "update.no_key":
    "This build of Lineside has no key that checks update files. Replace the executable by hand, as the documentation describes.",
  "update.not_an_update": "This file is not an update of Lineside.",
  "update.cut_off": "The update file is not complete. Copy or download it again.",
  "update.damaged": "The update file is damaged. Copy or download it again.",
  "update.signature_wrong":
    "The signature of the update file is not valid. It was changed, or signed with another key.",
  "update.wrong_target": "This update is for {target}. This gateway needs the one for {expected}.",
  "update.same_version": "The gateway runs version {version} already.",
  "update.older":
    "Version {version} is older than {current}. Only the command installs it, with --allow-older.",
  "update.data_newer":
    "The database {file} is newer than version {version} understands. Restore a backup of that version instead.",
  "update.in_progress": "Another update is in progress. Restart the gateway to finish it.",
  "update.not_writable":
    "The gateway may not replace its executable {path}. Copy the update file to the machine and run: {command}",
  "update.no_space": "There are {megabytes} MB too few on the disk of {folder}.",
  "update.does_not_run": "The executable of version {version} does not run on this machine.",
  "update.file_missing": "The new executable {path} is missing.",
  "update.other_program": "The gateway runs from {program}, and the update is for {expected}.",
  "update.copy_failed": "The databases cannot be copied: {reason}",
  "update.ended": "The new version ended before it was ready.",
  "update.crashed": "The new version crashed {count} times on probation.",
  "update.hung": "On probation, the new version did not respond for {seconds} s.",
  "update.not_ready": "The new version was not ready within {seconds} s.",
  "update.start_failed": "The new version cannot start: {reason}",
  "update.too_large": "The update file is larger than {megabytes} MB.",
  "update.wrong_offset": "The upload continues at byte {offset}.",
  "update.failed": "The update failed: {reason}",
  "update.not_uploaded": "Upload an update file first.",
} as const;
