// The databases of a gateway that a test does not look at, and without which nothing is backed up.
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_FILES } from "../../src/platform/files/inventory.ts";

/** Creates the databases that a data directory lacks. Returns their paths. */
export function createOtherDatabases(dataPath: string): string[] {
  const paths = DATABASE_FILES.map((name) => join(dataPath, name)).filter((path) => !existsSync(path));
  for (const path of paths) {
    const database = new Database(path, { create: true });
    database.run("PRAGMA journal_mode=WAL");
    database.run("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)");
    database.close();
  }
  return paths;
}
