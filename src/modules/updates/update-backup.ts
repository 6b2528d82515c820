import { rmSync } from "node:fs";
import { join } from "node:path";
import { createPrivateFolder } from "../../platform/files/file-owner.ts";
import type { BackupPlace } from "../backups/snapshot.types.ts";
import { ensureUpdateFolder } from "./update-state.ts";

/**
 * Returns the place of the backup before an update where none is configured: a folder in the data directory. The backup of the update before
 * is removed, as that one has proved itself.
 */
export function localBackupPlace(dataPath: string): BackupPlace {
  const path = join(ensureUpdateFolder(dataPath), "backup");
  rmSync(path, { recursive: true, force: true });
  createPrivateFolder(path);
  return { kind: "folder", path };
}
