import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceSecret } from "../secrets/secret-files.ts";

/** File with the id of a gateway after its first key was replaced. It is in `secrets/`, so backups contain it. */
const FILE = "backup-series";
const ID_DIGITS = 16;

const fileOf = (dataPath: string) => join(dataPath, "secrets", FILE);

/** Returns the id under which a gateway keeps its backups. It is derived from the first `storage.key`, and does not change with later keys. */
export function backupSeriesOf(dataPath: string, storageKey: Uint8Array): string {
  const file = fileOf(dataPath);
  if (existsSync(file)) return readFileSync(file, "utf8");
  return createHash("sha256").update(storageKey).update("backup series").digest("hex").slice(0, ID_DIGITS);
}

/** Keeps the id before the key is replaced. Can be repeated. */
export function keepBackupSeries(dataPath: string, storageKey: Uint8Array): void {
  if (!existsSync(fileOf(dataPath)))
    replaceSecret(fileOf(dataPath), Buffer.from(backupSeriesOf(dataPath, storageKey)));
}
