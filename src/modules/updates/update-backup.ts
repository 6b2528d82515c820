import { rmSync } from "node:fs";
import { join } from "node:path";
import { createPrivateFolder } from "../../platform/files/file-owner.ts";
import type { BackupPlace } from "../backups/snapshot.types.ts";
import { ensureUpdateFolder } from "./update-state.ts";

/**
 * Returns the default location of the backup before an update: a folder in the data directory. Removes the backup of the previous update, which has
 * been proven.
 */
export function localBackupPlace(dataPath: string): BackupPlace {
  const path = join(ensureUpdateFolder(dataPath), "backup");
  rmSync(path, { recursive: true, force: true });
  createPrivateFolder(path);
  return { kind: "folder", path };
}
