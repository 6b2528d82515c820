import { openDatabaseFile } from "../../../platform/database/database-file.ts";
import { BlockStore } from "./blocks/block-store.ts";
import type { CheckReport } from "./store.types.ts";
import { StoreEngine } from "./store-engine.ts";
import { storeDefaults } from "./store-options.ts";
import { TelemetryFile } from "./telemetry-file.ts";
import { checkTask } from "./upkeep/check-task.ts";

/**
 * Reads and decodes the whole telemetry.db, with or without a running gateway. Nothing is written.
 * @throws SQLiteError if the file cannot be opened; StartupError if a newer version wrote it
 */
export function checkTelemetryFile(path: string): CheckReport {
  const file = new TelemetryFile(path, { isReadOnly: true });
  try {
    const steps = checkTask({ file, blocks: new BlockStore(file) });
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  } finally {
    file.close();
  }
}

/** Returns whether a telemetry.db has its tables. They may be missing if the gateway has not stored anything yet. */
export function holdsBlocks(path: string): boolean {
  const database = openDatabaseFile(path, "read");
  try {
    return database.query("SELECT 1 FROM sqlite_schema WHERE name = 'block'").get() !== null;
  } finally {
    database.close(false);
  }
}

/** Returns the losses of the hot log, one English line each, with or without a running gateway. Nothing is written. */
export function logProblems(path: string): readonly string[] {
  if (!holdsBlocks(path)) return [];
  const file = new TelemetryFile(path, { isReadOnly: true });
  try {
    return file.log.problems();
  } finally {
    file.close();
  }
}

/** Returns whether a store can start with a file that no other process uses. Like a start, opening may repair the file. */
export function opensTelemetryFile(path: string): boolean {
  let engine: StoreEngine | undefined;
  try {
    engine = new StoreEngine({ ...storeDefaults, file: path });
    engine.recover();
    return true;
  } catch {
    return false;
  } finally {
    engine?.file.close();
  }
}
