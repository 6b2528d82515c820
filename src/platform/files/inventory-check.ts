import { SQLiteError } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { detail, inEnglish } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { isDamage } from "../database/database-check.ts";
import { DatabaseFileError, headerProblem } from "../database/database-file.ts";
import { readStampOf, type Stamp } from "../database/database-stamp.ts";
import { shortageOf } from "../database/file-length.ts";
import { hasWalPosition, walLossOf, walMismatchOf } from "../database/wal-position.ts";
import { StartupError } from "../process/startup-error.ts";
import { hasDatabases, KEY_NAMES, keyMissing, nextKeyFile, readKey } from "../secrets/secret-keys.ts";
import {
  DATABASE_FILES,
  hasTraces,
  type LogLoss,
  recordOf,
  recreationOf,
  WATCHED_FILES,
} from "./inventory.ts";
import { INVENTORY_FILE, type InventoryRecord, keyCheckOf, readRecord } from "./inventory-record.ts";
import { ensureNoMisplacedFile, misplacedFiles } from "./misplaced-files.ts";

/*
 * Compares a data directory with its inventory. It changes no file: databases are opened read-only, and only after their bytes were checked.
 */

/** Database that is repaired after truncation, because its remaining pages are readable. */
const MENDED_FILE = "telemetry.db";
/** Database that is set aside if it is damaged, because MQTT clients can subscribe again. */
const REPLACED_FILE = "mqtt.db";

interface Fault {
  /** Description in English that follows the name of the file. */
  readonly text: string;
  /** True if the content is damaged; otherwise, the file is missing or from elsewhere. */
  readonly isDamaged?: true;
}

/** Result of comparing a data directory with its inventory. */
export interface Verified {
  readonly record: InventoryRecord;
  /** Files missing without loss of data. */
  readonly warnings: readonly Text[];
  readonly losses: readonly LogLoss[];
}

/** Describes the fault of a required database file, based on its bytes alone. */
function fileFault(path: string): Fault | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return { text: "is missing" };
  if (size === 0) return { text: "is empty" };
  // Checked twice because of a running gateway, whose checkpoint may extend the file during the first check.
  const isShort = basename(path) !== MENDED_FILE && shortageOf(path) !== undefined;
  const shortage = isShort ? shortageOf(path) : undefined;
  if (shortage !== undefined)
    return { text: `was cut off: it has ${shortage.bytes} of ${shortage.wholeBytes} bytes` };
  const damage = headerProblem(path);
  if (damage !== undefined) return { text: damage, isDamaged: true };
  const mismatch = walMismatchOf(path);
  return mismatch === undefined ? undefined : { text: mismatch };
}

/** Describes why a database does not belong to the data directory. */
function stampProblem(
  stamp: Stamp | undefined,
  { gateway, generation, isAdvancing }: InventoryRecord,
): string | undefined {
  if (generation === 0) return undefined;
  if (stamp === undefined) return "is new: this gateway did not write it";
  if (stamp.gateway !== gateway) return "is from another gateway";
  if (stamp.generation < generation) return "is older than the rest";
  return stamp.generation > generation + (isAdvancing ? 1 : 0) ? "is newer than the rest" : undefined;
}

/** @param isCut whether the write-ahead log has lost changes, possibly including the newest stamp */
function stampFault(stamp: Stamp | undefined, record: InventoryRecord, isCut: boolean): Fault | undefined {
  if (isCut && stamp?.gateway === record.gateway && stamp.generation <= record.generation) return undefined;
  if (isCut && stamp === undefined)
    return { text: "has lost all content with its write-ahead log", isDamaged: true };
  const text = stampProblem(stamp, record);
  return text === undefined ? undefined : { text };
}

/** Describes why a database with an intact header cannot be used. @throws SQLiteError for a file that is busy or cannot be opened */
function contentFault(path: string, record: InventoryRecord, isCut: boolean): Fault | undefined {
  try {
    return stampFault(readStampOf(path), record, isCut);
  } catch (error) {
    const isDamaged = error instanceof DatabaseFileError || (error instanceof SQLiteError && isDamage(error));
    if (!isDamaged) throw error;
    return { text: `cannot be opened: ${error.message}`, isDamaged };
  }
}

/** Returns the fault of a database, and the losses of its write-ahead log. @throws SQLiteError for a file that is busy or cannot be opened */
function inspect(
  path: string,
  record: InventoryRecord,
): { fault?: Fault | undefined; loss?: Text | undefined } {
  const name = basename(path);
  if (record.accepted.includes(name)) return {};
  const loss = walLossOf(path);
  if (record.generation === 0) return { loss };
  const isCut = loss !== undefined || record.cutLogs.includes(name);
  return { loss, fault: fileFault(path) ?? contentFault(path, record, isCut) };
}

/** Returns the faults of databases that prevent a start, one line each, and the losses of their logs. */
function inspectAll(
  dataPath: string,
  record: InventoryRecord,
  names: readonly string[],
): { problems: string[]; losses: LogLoss[] } {
  const found = names.map((name) => {
    try {
      return { name, ...inspect(join(dataPath, name), record) };
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error; // a file that cannot be read is not missing
      return { name }; // opening it says why
    }
  });
  return {
    problems: found.flatMap(({ name, fault }) =>
      fault === undefined || (name === REPLACED_FILE && fault.isDamaged) ? [] : [`${name} ${fault.text}`],
    ),
    losses: found.flatMap(({ name, loss }) => (loss === undefined ? [] : [{ name, text: loss }])),
  };
}

function keyProblems(dataPath: string, { keys }: InventoryRecord): string[] {
  return KEY_NAMES.flatMap((name) => {
    const checks = keys[name];
    if (checks === undefined) return [];
    const isKnown = (key: Uint8Array | undefined) => key !== undefined && checks.includes(keyCheckOf(key));
    const [key, next] = [readKey(dataPath, name), nextKeyFile(name)];
    // Its check value is recorded before anything is sealed with it.
    const isNextUsed = checks.length > 1 && existsSync(join(dataPath, "secrets", next));
    // Everything is sealed with the next key, which only lacks its name.
    const isReplaced = checks.length === 1 && isKnown(readKey(dataPath, next));
    return [
      ...(key === undefined || isKnown(key) || isReplaced
        ? []
        : [`secrets/${name} is damaged, or from another gateway`]),
      ...(isNextUsed && !isKnown(readKey(dataPath, next))
        ? [`secrets/${next} is damaged, and secrets may be sealed with it`]
        : []),
    ];
  });
}

/** @param problems lines that begin with the name of a file */
function refusal(
  dataPath: string,
  problems: readonly string[],
  { assurance = "Nothing was changed." } = {},
): StartupError {
  const files = problems.map((problem) => problem.split(" ")[0]);
  return new StartupError(
    [
      `The data directory ${dataPath} is damaged. ${assurance}`,
      ...problems.map((problem) => `  - ${problem}`),
      `To restore a backup: lineside restore --replace --data ${dataPath} --from <place>`,
      `To start without these files: lineside set-aside ${[...new Set(files)].join(" ")} --data ${dataPath}`,
      "The command moves what is left of them to the folder set-aside and deletes nothing.",
    ].join("\n"),
  );
}

/**
 * Returns the error for a database that cannot be opened or read.
 * @param reason message of SQLite or of a `DatabaseFileError`; a complete sentence is used as the message
 */
export function cannotOpen(path: string, reason: string): StartupError {
  if (reason.endsWith(".")) return new StartupError(reason);
  const name = basename(path);
  const problem = reason.startsWith(`${name} `) ? reason : `${name} cannot be opened: ${reason}`;
  return refusal(dirname(path), [problem], { assurance: "Nothing was deleted." });
}

/**
 * Compares the data directory of a stopped gateway with its inventory, before anything is changed or opened.
 * @throws StartupError that names all missing, damaged, older or foreign databases and keys, and the remedy
 */
export function verifyInventory(dataPath: string): Verified {
  ensureNoMisplacedFile(dataPath); // reading a pipe would block forever
  const found = readRecord(dataPath);
  const record = found ?? recordOf(dataPath);
  const hasLostAll = found == null && record.generation === 0 && hasTraces(dataPath);
  // After a kill, stamps may be one newer.
  const { problems, losses } = inspectAll(dataPath, { ...record, isAdvancing: true }, DATABASE_FILES);
  // The inventory is the first file that a first start writes: without it, whatever else is there belongs to a gateway that had all files.
  if (hasLostAll) problems.push(...fileProblems(dataPath, DATABASE_FILES));
  problems.push(...keyProblems(dataPath, record));
  if (problems.length > 0) throw refusal(dataPath, problems);
  const missingKey = KEY_NAMES.find((name) => readKey(dataPath, name) === undefined);
  if (missingKey !== undefined && hasDatabases(dataPath)) throw keyMissing(dataPath, missingKey);
  const warnings = missingWatched(dataPath, record).map((file) => detail("loss.file_recreated", { file }));
  const recreation = recreationOf(found, record);
  if (recreation !== undefined) warnings.push(recreation);
  return { record, warnings, losses };
}

/**
 * Compares databases and keys with the inventory before a command opens the databases, with or without a running gateway. Returns the losses of
 * their logs. @throws StartupError
 */
export function verifyDatabases(dataPath: string, names: readonly string[]): readonly LogLoss[] {
  ensureNoMisplacedFile(dataPath);
  const record = readWhileRunning(dataPath);
  const { problems, losses } = inspectAll(dataPath, record, names);
  problems.push(...keyProblems(dataPath, record));
  if (problems.length > 0) throw refusal(dataPath, problems);
  return losses;
}

const fileProblems = (dataPath: string, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const fault = fileFault(join(dataPath, name));
    return fault === undefined ? [] : [`${name} ${fault.text}`];
  });

const missingKeysOf = (dataPath: string): string[] =>
  KEY_NAMES.filter((name) => readKey(dataPath, name) === undefined).map(
    (name) => `secrets/${name} is missing or truncated`,
  );

/** Reads the inventory before the stamps of a gateway that may be running: stamps may become one generation newer in between, but never older. */
const readWhileRunning = (dataPath: string): InventoryRecord => ({
  ...(readRecord(dataPath) ?? recordOf(dataPath)),
  isAdvancing: true,
});

/**
 * Returns the reasons against backing up a data directory, one line each: missing, damaged, older or foreign databases and keys. Before its first
 * start, a directory does not contain all databases. Works while a gateway runs, also within its process.
 * @throws SQLiteError for a busy database
 */
export function checkSources(dataPath: string): string[] {
  const misplaced = misplacedFiles(dataPath);
  if (misplaced.length > 0) return misplaced;
  const record = readWhileRunning(dataPath);
  const databases = DATABASE_FILES.flatMap((name) => {
    const problem = sourceProblem(join(dataPath, name), record);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
  return [...databases, ...missingKeysOf(dataPath), ...keyProblems(dataPath, record)];
}

/** Describes why a database cannot be backed up. @throws SQLiteError for a busy database */
function sourceProblem(path: string, record: InventoryRecord): string | undefined {
  try {
    const { fault, loss } = inspect(path, record);
    return fault?.text ?? (loss && inEnglish(loss)) ?? headerProblem(path);
  } catch (error) {
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY")) throw error;
    return `cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const isReadable = (path: string): boolean =>
  path.endsWith("-synced") ? hasWalPosition(path.slice(0, -"-synced".length)) : existsSync(path);

/** Returns the watched files that are unexpectedly missing or damaged. */
const missingWatched = (dataPath: string, { generation, accepted }: InventoryRecord): string[] =>
  WATCHED_FILES.filter(
    (name) => generation > 0 && !accepted.includes(name) && !isReadable(join(dataPath, name)),
  );

/** Returns all problems of the files of a data directory, one line each, without opening a database. */
export function checkInventory(dataPath: string): string[] {
  const record = readRecord(dataPath);
  if (record === null) return [`${INVENTORY_FILE} is damaged`];
  if (record === undefined) return [`${INVENTORY_FILE} is missing`];
  const required =
    record.generation === 0 ? [] : DATABASE_FILES.filter((name) => !record.accepted.includes(name));
  const watched = missingWatched(dataPath, record).map((name) => `${name} is missing or damaged`);
  const keys = [...missingKeysOf(dataPath), ...keyProblems(dataPath, record)];
  return [...fileProblems(dataPath, required), ...keys, ...watched];
}

/**
 * Returns the faults of a database, which may be in use, as far as its bytes and its stamp reveal them. @throws SQLiteError for an unreadable file
 */
export function checkStamp(path: string): string[] {
  const { fault, loss } = inspect(path, readWhileRunning(dirname(path)));
  return [fault?.text, loss && inEnglish(loss)].filter((text) => text !== undefined);
}
