import { existsSync } from "node:fs";
import { join } from "node:path";
import { databaseBytes } from "../modules/system/gateway-readings.ts";
import { checkTelemetryFile } from "../modules/telemetry/store/check-file.ts";
import { checkDatabase, type DatabaseReport } from "../platform/database/database-check.ts";
import { headerProblem } from "../platform/database/database-file.ts";
import { DATABASE_NAMES } from "../platform/files/inventory.ts";
import { checkInventory, checkStamp } from "../platform/files/inventory-check.ts";
import { INVENTORY_FILE } from "../platform/files/inventory-record.ts";
import { misplacedFiles, targetOf } from "../platform/files/misplaced-files.ts";
import { storageFaultOf } from "../platform/files/storage-fault.ts";

/** Problem of a database that is perhaps intact. */
export const NOT_CHECKED = "not checked: the disk is full, or access to the file is denied";

function problemsOf(path: string, name: string): readonly string[] {
  if (!existsSync(path)) return ["the file does not exist"];
  const damage = headerProblem(path);
  if (damage !== undefined) return [damage];
  try {
    const problems = name === "telemetry" ? checkTelemetryFile(path).problems : checkDatabase(path);
    return [...checkStamp(path), ...problems];
  } catch (error) {
    // Without space for its index, or for the log itself, a database cannot be read, although nothing is damaged.
    const fault = storageFaultOf(error);
    if (fault === "full" || fault === "denied") return [NOT_CHECKED];
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * Checks all databases of a data directory and compares all files with its inventory, with or without a running gateway, without changing anything.
 * Must not run in the process of the gateway: closing a file would release the locks of the process on it.
 */
export function checkDatabases(dataPath: string): DatabaseReport[] {
  const misplaced = misplacedFiles(dataPath); // reading a pipe would block forever
  return [
    ...DATABASE_NAMES.map((name) => ({
      name: `${name}.db`,
      bytes: databaseBytes(dataPath, name),
      problems:
        misplaced.length > 0
          ? ["not checked, because a file is misplaced"]
          : problemsOf(join(dataPath, `${name}.db`), name),
    })),
    {
      name: INVENTORY_FILE,
      bytes: targetOf(join(dataPath, INVENTORY_FILE))?.size ?? 0,
      problems: misplaced.length > 0 ? misplaced : checkInventory(dataPath),
    },
  ];
}
