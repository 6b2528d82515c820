import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { databaseBytes } from "../modules/system/gateway-readings.ts";
import { checkTelemetryFile } from "../modules/telemetry/store/check-file.ts";
import { checkDatabase, type DatabaseReport } from "../platform/database-check.ts";
import { checkInventory, checkStamp, DATABASE_NAMES } from "../platform/inventory.ts";
import { INVENTORY_FILE } from "../platform/inventory-record.ts";
import { misplacedFiles } from "../platform/misplaced-files.ts";
import { walLossOf } from "../platform/wal-position.ts";

function problemsOf(path: string, name: string): readonly string[] {
  if (!existsSync(path)) return ["the file does not exist"];
  try {
    const losses = walLossOf(path) ?? [];
    if (name === "telemetry") return checkTelemetryFile(path).problems.concat(losses);
    return checkStamp(path).concat(checkDatabase(path), losses);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function fileProblems(dataPath: string): readonly string[] {
  const misplaced = misplacedFiles(dataPath);
  return misplaced.length > 0 ? misplaced : checkInventory(dataPath);
}

/**
 * Reads all databases of a data directory and compares all files with its inventory, whether or not a gateway is running, and changes nothing. Must not run inside the gateway's
 * process: closing a file would drop the locks that the process holds on it.
 */
export const checkDatabases = (dataPath: string): DatabaseReport[] => [
  ...DATABASE_NAMES.map((name) => ({
    name: `${name}.db`,
    bytes: databaseBytes(dataPath, name),
    problems: problemsOf(join(dataPath, `${name}.db`), name),
  })),
  {
    name: INVENTORY_FILE,
    bytes: statSync(join(dataPath, INVENTORY_FILE), { throwIfNoEntry: false })?.size ?? 0,
    problems: fileProblems(dataPath),
  },
];
