import { SQLiteError } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readStampOf, type Stamp } from "./database-stamp.ts";
import { shortageOf } from "./file-length.ts";
import { isHotLog } from "./hot-log-names.ts";
import {
  createRecord,
  INVENTORY_FILE,
  type InventoryRecord,
  keyCheckOf,
  keyChecksOf,
  readRecord,
  writeRecord,
} from "./inventory-record.ts";
import { loggedPages } from "./logged-pages.ts";
import { KEY_NAMES, readKey } from "./secret-keys.ts";
import { copyAside } from "./set-aside.ts";
import { StartupError } from "./startup-error.ts";
import { hasWalPosition, walLossOf, walMismatchOf } from "./wal-position.ts";

/*
 * The inventory of the data directory. `inventory.json` lists the files that belong to it; each database has a stamp with the id of the directory and
 * a generation, which is incremented at every start, stop, hour and checkpoint: first in all databases, then in the inventory. A file that is missing, empty, truncated,
 * from another directory or older than the rest is reported, and nothing is recreated or deleted because of it.
 */

/** Databases of a gateway. The first start creates all of them. */
export const DATABASE_NAMES = ["lineside", "identity", "telemetry", "mqtt"] as const;
export type DatabaseName = (typeof DATABASE_NAMES)[number];
/** Their files in the data directory. */
export const DATABASE_FILES = DATABASE_NAMES.map((name) => `${name}.db` as const);
/** Files whose absence loses no data, but leaves it uncertain whether other data is missing. */
const WATCHED_FILES = [
  "telemetry.db-position",
  ...DATABASE_FILES.map((name) => `${name}-synced` as const),
  "clock",
] as const;
/** Database that is repaired after truncation, because its other pages stay readable. */
const MENDED_FILE = "telemetry.db";
const ID_BYTES = 8;

const createGatewayId = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString("hex");

/** Describes why a required database file has no content, without opening it. */
function absenceProblem(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "is missing";
  return stats.size === 0 && loggedPages(`${path}-wal`).fileSize === null ? "is empty" : undefined;
}

/** Describes the problem of a required database file; undefined if the file can be opened. */
function fileProblem(path: string): string | undefined {
  const absence = absenceProblem(path);
  if (absence !== undefined) return absence;
  const shortage = basename(path) === MENDED_FILE ? undefined : shortageOf(path);
  if (shortage === undefined) return walMismatchOf(path);
  return `was cut off: it has ${shortage.bytes} of ${shortage.wholeBytes} bytes`;
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

function keyProblems(dataPath: string, { keys }: InventoryRecord): string[] {
  return KEY_NAMES.flatMap((name) => {
    const [key, checks] = [readKey(dataPath, name), keys[name]];
    if (key === undefined || checks === undefined || checks.includes(keyCheckOf(key))) return [];
    return [`secrets/${name} is damaged, or from another gateway`];
  });
}

const isDatabase = (name: string): boolean => (DATABASE_FILES as readonly string[]).includes(name);

/** Files that exist only if a gateway has stored data. */
const isTrace = (name: string): boolean => isDatabase(name) || isHotLog(name);

/** Returns the required databases that a start cannot use, judging by their files alone. */
function missingFiles(dataPath: string, record: InventoryRecord): string[] {
  if (record.generation === 0) return [];
  return DATABASE_FILES.flatMap((name) => {
    const problem = record.accepted.includes(name) ? undefined : fileProblem(join(dataPath, name));
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
}

/** Reads a stamp; null for a file that is not a database, which is reported when it is opened. */
function stampIfReadable(path: string): Stamp | undefined | null {
  try {
    return readStampOf(path);
  } catch {
    return null;
  }
}

/** Recreates a lost inventory from the stamps of the databases. */
function recordOf(dataPath: string): InventoryRecord {
  const stamps = DATABASE_FILES.flatMap((name) => {
    const path = join(dataPath, name);
    const stamp = existsSync(path) && statSync(path).size > 0 ? stampIfReadable(path) : undefined;
    return stamp == null ? [] : [stamp];
  });
  const newest = stamps.toSorted((left, right) => right.generation - left.generation)[0];
  if (newest === undefined) return createRecord({ gateway: createGatewayId(), generation: 0, keys: {} });
  return {
    ...createRecord({ ...newest, generation: Math.max(1, newest.generation - 1) }),
    isAdvancing: true,
  };
}

/** @param problems lines that begin with the name of a file */
function refusal(dataPath: string, problems: readonly string[]): StartupError {
  const files = problems.map((problem) => problem.split(" ")[0]);
  return new StartupError(
    [
      `The data directory ${dataPath} is damaged. Nothing was changed.`,
      ...problems.map((problem) => `  - ${problem}`),
      `To restore a backup: lineside restore --replace --data ${dataPath} --from <place>`,
      `To start without these files: lineside set-aside ${[...new Set(files)].join(" ")} --data ${dataPath}`,
      "The command moves what is left of them to the folder set-aside and deletes nothing.",
    ].join("\n"),
  );
}

/** Returns the error for a database that SQLite cannot open or read. A complete sentence is its own message. */
export function cannotOpen(path: string, reason: string): StartupError {
  if (reason.endsWith(".")) return new StartupError(reason);
  return refusal(dirname(path), [`${basename(path)} cannot be opened: ${reason}`]);
}

/**
 * Compares a data directory with its inventory before anything is opened. Returns files missing without loss of data, a line each.
 * @throws StartupError that names all missing, empty or truncated files, and what to do
 */
export function verifyInventory(dataPath: string): { record: InventoryRecord; warnings: string[] } {
  const found = readRecord(dataPath);
  const record = found ?? recordOf(dataPath);
  // The inventory is the first file that a first start writes: without it, whatever else is there belongs to a gateway that had all files.
  const expected = found == null && hasTraces(dataPath) ? { ...record, generation: Infinity } : record;
  const problems = [...missingFiles(dataPath, expected), ...keyProblems(dataPath, record)];
  if (problems.length > 0) throw refusal(dataPath, problems);
  const warnings = missingWatched(dataPath, record).map(
    (name) => `${name} was missing or damaged, and has been recreated`,
  );
  if (found === null) warnings.push(`${INVENTORY_FILE} was damaged and has been recreated`);
  if (found === undefined && record.generation > 0)
    warnings.push(`${INVENTORY_FILE} was missing and has been recreated`);
  return { record, warnings };
}

const missingKeysOf = (dataPath: string): string[] =>
  KEY_NAMES.filter((name) => readKey(dataPath, name) === undefined).map(
    (name) => `secrets/${name} is missing or truncated`,
  );

/** Describes why a database cannot be backed up. @throws SQLiteError for a busy database */
function sourceProblem(path: string, record: InventoryRecord): string | undefined {
  const absence = absenceProblem(path);
  if (absence !== undefined || record.accepted.includes(basename(path))) return absence;
  const damage = walMismatchOf(path) ?? walLossOf(path);
  if (damage !== undefined) return damage;
  try {
    return stampProblem(readStampOf(path), record);
  } catch (error) {
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY")) throw error;
    return `cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Reads the inventory before the stamps of a gateway that may be running: these may become one newer meanwhile, never older. */
function readWhileRunning(dataPath: string): InventoryRecord | null | undefined {
  const record = readRecord(dataPath);
  return record && { ...record, isAdvancing: true };
}

/**
 * Returns why a data directory must not be backed up, a line each: databases that are missing, older or from another gateway, and missing or foreign keys. A
 * directory whose first start is still to come has not all databases. Works beside a running gateway, and within its process: databases are opened by
 * SQLite alone. @throws SQLiteError for a busy database
 */
export function checkSources(dataPath: string): string[] {
  const record = readWhileRunning(dataPath) ?? recordOf(dataPath);
  const databases = DATABASE_FILES.flatMap((name) => {
    const problem = sourceProblem(join(dataPath, name), record);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
  return [...databases, ...missingKeysOf(dataPath), ...keyProblems(dataPath, record)];
}

const isReadable = (path: string): boolean =>
  path.endsWith("-synced") ? hasWalPosition(path.slice(0, -"-synced".length)) : existsSync(path);

/** Returns the watched files that are unexpectedly missing or damaged. */
const missingWatched = (dataPath: string, { generation, accepted }: InventoryRecord): string[] =>
  WATCHED_FILES.filter(
    (name) => generation > 0 && !accepted.includes(name) && !isReadable(join(dataPath, name)),
  );

/** Returns all problems of a data directory's files, a line each, without writing anything. */
export function checkInventory(dataPath: string): string[] {
  const record = readRecord(dataPath);
  if (record === null) return [`${INVENTORY_FILE} is damaged`];
  if (record === undefined) return [`${INVENTORY_FILE} is missing`];
  const missingKeys = missingKeysOf(dataPath);
  const watched = missingWatched(dataPath, record).map((name) => `${name} is missing or damaged`);
  return [...missingFiles(dataPath, record), ...missingKeys, ...keyProblems(dataPath, record), ...watched];
}

/**
 * Checks whether a database belongs to its data directory. Call it before the database is opened for writing: closing that would move a damaged
 * write-ahead log into it. A file that cannot be read passes, since opening it says why. If the log has lost changes, the newest stamp may be among them.
 * @param isInUse whether a gateway may be running
 * @throws StartupError
 */
export function verifyDatabase(path: string, { isInUse = false } = {}): void {
  const [dataPath, name] = [dirname(path), basename(path)];
  const record = isInUse ? readWhileRunning(dataPath) : readRecord(dataPath);
  if (record == null || record.generation === 0 || record.accepted.includes(name)) return;
  const stamp = stampIfReadable(path);
  if (stamp === null) return;
  const isCut = record.cutLogs.includes(name);
  if (isCut && stamp?.gateway === record.gateway && stamp.generation <= record.generation) return;
  const isEmptied = isCut && stamp === undefined;
  const problem = isEmptied ? "has lost all content with its write-ahead log" : stampProblem(stamp, record);
  if (problem !== undefined) throw refusal(dataPath, [`${name} ${problem}`]);
}

/** Describes why a database, which may be in use, does not belong to its data directory. @throws SQLiteError for an unreadable file */
export function checkStamp(path: string): string[] {
  const record = readWhileRunning(dirname(path));
  if (record == null || record.accepted.includes(basename(path))) return [];
  const problem = stampProblem(readStampOf(path), record);
  return problem === undefined ? [] : [problem];
}

/** Returns whether the directory contains files that exist only if a gateway has stored data. */
export const hasTraces = (dataPath: string): boolean =>
  readdirSync(dataPath).some(isTrace) ||
  KEY_NAMES.some((name) => existsSync(join(dataPath, "secrets", name)));

/** Writes the inventory of a new data directory, before any other file. Does nothing if there is one, or anything else of a gateway. */
export function beginInventory(dataPath: string): void {
  mkdirSync(dataPath, { recursive: true, mode: 0o700 });
  if (readRecord(dataPath) === undefined && !hasTraces(dataPath)) writeRecord(dataPath, recordOf(dataPath));
}

/** Checks that opening a database does not create a file that should already exist. @throws StartupError */
export function verifyFile(path: string): void {
  const [dataPath, name] = [dirname(path), basename(path)];
  const record = readRecord(dataPath);
  if (record == null || record.generation === 0 || record.accepted.includes(name)) return;
  const problem = fileProblem(path);
  if (problem !== undefined) throw refusal(dataPath, [`${name} ${problem}`]);
}

/** Lets the next start accept these files as they are, or create them. Nothing may have them open. */
export function acceptFiles(
  dataPath: string,
  names: readonly string[],
  losses: InventoryRecord["losses"] = [],
): void {
  const record = readRecord(dataPath) ?? recordOf(dataPath);
  const accepted = [...new Set([...record.accepted, ...names])];
  writeRecord(dataPath, { ...record, accepted, losses: [...record.losses, ...losses] });
}

/**
 * Records what the write-ahead logs of databases have lost, before anything opens them, and keeps a copy of each damaged log. Returns the losses, in
 * English. Later starts accept an older stamp in these databases until a new one is written.
 */
export function recordCutLogs(dataPath: string, names: readonly string[] = DATABASE_FILES): string[] {
  const record = readRecord(dataPath);
  if (record == null) return [];
  const found = names.flatMap((name) => {
    const loss = record.accepted.includes(name) ? undefined : walLossOf(join(dataPath, name));
    return loss === undefined ? [] : [{ name, loss }];
  });
  if (found.length === 0) return [];
  const cutLogs = [...new Set([...record.cutLogs, ...found.map(({ name }) => name)])];
  const added = found.filter(({ loss }) => !record.losses.some(({ text }) => text === loss));
  for (const { name } of added) copyAside(join(dataPath, `${name}-wal`));
  const losses = [...record.losses, ...added.map(({ loss }) => ({ at: Date.now(), text: loss }))];
  writeRecord(dataPath, { ...record, cutLogs, losses });
  return found.map(({ loss }) => loss);
}

/** Accepts the current keys of the data directory. */
export function acceptKeys(dataPath: string): void {
  const record = readRecord(dataPath) ?? recordOf(dataPath);
  writeRecord(dataPath, { ...record, keys: keyChecksOf(dataPath) });
}

/** Lets the next start accept every file that a restoration is about to replace or does not contain. */
export function acceptRestored(dataPath: string, names: readonly string[]): void {
  const isWhole = DATABASE_FILES.every((name) => names.includes(name));
  const watched = WATCHED_FILES.filter(
    (name) => isWhole || names.some((database) => name.startsWith(database)),
  );
  acceptFiles(dataPath, [...names, ...watched]);
  const record = readRecord(dataPath);
  if (record != null && isWhole) writeRecord(dataPath, { ...record, keys: {} });
}

/** Prepares a key's replacement by `next`: until the next start, both keys are accepted. */
export function acceptNextKey(dataPath: string, name: (typeof KEY_NAMES)[number], next: Uint8Array): void {
  const record = readRecord(dataPath);
  if (record == null) return;
  const checks = [...new Set([...(record.keys[name] ?? []), keyCheckOf(next)])];
  writeRecord(dataPath, { ...record, keys: { ...record.keys, [name]: checks } });
}
