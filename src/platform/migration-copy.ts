import type { Database } from "bun:sqlite";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncPath } from "./durable-file.ts";
import { StartupError } from "./startup-error.ts";

const INFIX = ".before-";

/**
 * Copies a database before migrations change it, to `<file>.before-<version>` beside it, where the version is the number of migrations that
 * it has seen. The copy is on the disk when the function returns. Copies of earlier migrations are removed.
 * @throws StartupError when the copy cannot be written.
 */
export function copyBeforeMigration(sqlite: Database, version: number): void {
  const file = sqlite.filename;
  const copy = `${file}${INFIX}${version}`;
  const unfinished = `${copy}.new`;
  try {
    rmSync(unfinished, { force: true });
    sqlite.run("VACUUM INTO ?", [unfinished]);
    syncPath(unfinished);
    renameSync(unfinished, copy);
    syncPath(dirname(copy));
  } catch (cause) {
    rmSync(unfinished, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartupError(
      `The database ${basename(file)} cannot be copied before this version changes it: ${reason}. Make room on the disk and start again.`,
      { cause },
    );
  }
  for (const name of readdirSync(dirname(file)))
    if (name.startsWith(`${basename(file)}${INFIX}`) && name !== basename(copy))
      rmSync(join(dirname(file), name));
}
