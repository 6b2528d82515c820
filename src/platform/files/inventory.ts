import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { detail } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { readStampOf, type Stamp } from "../database/database-stamp.ts";
import { isHotLog } from "../database/hot-log-names.ts";
import { KEY_NAMES, type KeyName, SEALED_FILES } from "../secrets/secret-keys.ts";
import {
  createRecord,
  type InventoryRecord,
  keyCheckOf,
  keyChecksOf,
  readRecord,
  unlisted,
  writeRecord,
} from "./inventory-record.ts";
import { copyAside } from "./set-aside.ts";

/*
 * The inventory of the data directory. `inventory.json` lists the files that belong to it; each database has a stamp with the id of the directory and
 * a generation, which is incremented at every start, stop, hour and checkpoint: first in all databases, then in the inventory. A file that is missing, empty, truncated,
 * from another directory or older than the rest is reported, and nothing is recreated or deleted because of it.
 */

/** Databases of a gateway, all created at the first start. */
export const DATABASE_NAMES = ["lineside", "identity", "telemetry", "mqtt"] as const;
export type DatabaseName = (typeof DATABASE_NAMES)[number];
/** File names of the databases, in the order of `DATABASE_NAMES`. */
export const DATABASE_FILES = DATABASE_NAMES.map((name) => `${name}.db` as const);
/** Files whose absence loses no data, but leaves the absence of other data uncertain. */
export const WATCHED_FILES = [
  "telemetry.db-position",
  ...DATABASE_FILES.map((name) => `${name}-synced` as const),
  "clock",
] as const;
const ID_BYTES = 8;

const createGatewayId = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString("hex");

const isDatabase = (name: string): boolean => (DATABASE_FILES as readonly string[]).includes(name);

/** Returns whether a file exists only if a gateway has stored data. */
const isTrace = (name: string): boolean => isDatabase(name) || isHotLog(name);

function stampIfReadable(path: string): Stamp | undefined {
  try {
    return readStampOf(path);
  } catch {
    return undefined;
  }
}

const mergeChecks = (stamps: readonly Stamp[]): Stamp["keys"] =>
  Object.fromEntries(
    KEY_NAMES.map(
      (name) => [name, [...new Set(stamps.flatMap(({ keys }) => keys[name] ?? []))]] as const,
    ).filter(([, checks]) => checks.length > 0),
  );

/** Recreates a lost inventory from the stamps of the databases. */
export function recordOf(dataPath: string): InventoryRecord {
  const stampsOf = (names: readonly string[]) =>
    names.flatMap((name) => stampIfReadable(join(dataPath, name)) ?? []);
  const newest = stampsOf(DATABASE_FILES).toSorted((left, right) => right.generation - left.generation)[0];
  if (newest === undefined) return createRecord({ gateway: createGatewayId(), generation: 0, keys: {} });
  // Replacing a key changes the stamps of these databases alone. An interrupted replacement leaves both keys in them.
  const sealed = stampsOf(SEALED_FILES).filter(({ gateway }) => gateway === newest.gateway);
  const keys = sealed.length > 0 ? mergeChecks(sealed) : newest.keys;
  return {
    ...createRecord({ ...newest, keys, generation: Math.max(1, newest.generation - 1) }),
    isAdvancing: true,
  };
}

/** Returns the report about an inventory that a start or command recreates; undefined if nothing is lost with it. */
export function recreationOf(
  found: InventoryRecord | null | undefined,
  { generation }: InventoryRecord,
): Text | undefined {
  if (found === null) return detail("loss.inventory_damaged");
  return found === undefined && generation > 0 ? detail("loss.inventory_missing") : undefined;
}

/** Returns the inventory for a change by a command. A recreated inventory lists its loss. */
export function recordToChange(dataPath: string): InventoryRecord {
  const found = readRecord(dataPath);
  if (found != null) return found;
  const record = recordOf(dataPath);
  const text = recreationOf(found, record);
  return { ...record, losses: text === undefined ? [] : [{ at: Date.now(), ...text }] };
}

/** Returns whether the directory contains files that exist only if a gateway has stored data. */
export const hasTraces = (dataPath: string): boolean =>
  readdirSync(dataPath).some(isTrace) ||
  KEY_NAMES.some((name) => existsSync(join(dataPath, "secrets", name)));

/** Writes the inventory of a new data directory, before any other file. Does nothing if any file of a gateway exists. */
export function beginInventory(dataPath: string): void {
  mkdirSync(dataPath, { recursive: true, mode: 0o700 });
  if (readRecord(dataPath) === undefined && !hasTraces(dataPath)) writeRecord(dataPath, recordOf(dataPath));
}

/** Lets the next start accept these files in any state, or create them. They must not be open. */
export function acceptFiles(
  dataPath: string,
  names: readonly string[],
  losses: InventoryRecord["losses"] = [],
): void {
  const record = recordToChange(dataPath);
  const accepted = [...new Set([...record.accepted, ...names])];
  writeRecord(dataPath, { ...record, accepted, losses: [...record.losses, ...losses] });
}

/** Lost changes in the write-ahead log of a database. */
export interface LogLoss {
  /** File of the database. */
  readonly name: string;
  readonly text: Text;
}

/**
 * Records losses of write-ahead logs before the databases are opened for writing, and keeps a copy of each damaged log. Later starts accept an older
 * stamp in these databases until a new one is written.
 */
export function recordLosses(
  dataPath: string,
  record: InventoryRecord,
  found: readonly LogLoss[],
): InventoryRecord {
  if (found.length === 0) return record;
  const cutLogs = [...new Set([...record.cutLogs, ...found.map(({ name }) => name)])];
  const added = unlisted(
    found.map(({ text }) => text),
    record.losses,
  );
  for (const { name, text } of found) if (added.includes(text)) copyAside(join(dataPath, `${name}-wal`));
  const losses = [...record.losses, ...added.map((text) => ({ at: Date.now(), ...text }))];
  const next = { ...record, cutLogs, losses };
  writeRecord(dataPath, next);
  return next;
}

/** Accepts keys in their current state, even if missing. Check values of other keys remain. */
export function acceptKeys(dataPath: string, names: readonly KeyName[]): void {
  const record = recordToChange(dataPath);
  const others = Object.entries(record.keys).filter(([name]) => !(names as readonly string[]).includes(name));
  const accepted = Object.entries(keyChecksOf(dataPath)).filter(([name]) =>
    (names as readonly string[]).includes(name),
  );
  writeRecord(dataPath, { ...record, keys: Object.fromEntries([...others, ...accepted]) });
}

/**
 * Lets the next start accept every file that a restoration is about to replace or does not contain. A part restored into an empty directory does not
 * make a gateway: the start reports the other databases as missing instead of creating empty ones.
 */
export function acceptRestored(dataPath: string, names: readonly string[]): void {
  const isWhole = DATABASE_FILES.every((name) => names.includes(name));
  const watched = WATCHED_FILES.filter(
    (name) => isWhole || names.some((database) => name.startsWith(database)),
  );
  acceptFiles(dataPath, [...names, ...watched]);
  const record = readRecord(dataPath);
  if (record == null) return;
  if (isWhole) writeRecord(dataPath, { ...record, keys: {} });
  else if (record.generation === 0 && lacksDatabase(dataPath, names))
    writeRecord(dataPath, { ...record, generation: 1 });
}

const lacksDatabase = (dataPath: string, others: readonly string[]): boolean =>
  DATABASE_FILES.some((name) => !others.includes(name) && !existsSync(join(dataPath, name)));

/** Prepares the replacement of a key by `next`: both keys are accepted until `acceptKeys`, regardless of earlier records. */
export function acceptNextKey(
  dataPath: string,
  name: KeyName,
  keys: Record<"old" | "next", Uint8Array>,
): void {
  const record = recordToChange(dataPath);
  const checks = [keyCheckOf(keys.old), keyCheckOf(keys.next)];
  writeRecord(dataPath, { ...record, keys: { ...record.keys, [name]: checks } });
}

/** Prepares the creation of a lost key. Until `acceptKeys`, the new key is accepted, and so is the lost key if somebody puts it back. */
export function acceptKeyBesides(dataPath: string, name: KeyName, key: Uint8Array): void {
  const record = recordToChange(dataPath);
  const checks = [...(record.keys[name] ?? []), keyCheckOf(key)];
  writeRecord(dataPath, { ...record, keys: { ...record.keys, [name]: checks } });
}
