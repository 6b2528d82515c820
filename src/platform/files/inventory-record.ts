import { createHash } from "node:crypto";
import { join } from "node:path";
import { isJsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Stamp } from "../database/database-stamp.ts";
import { KEY_NAMES, type KeyName, readKey } from "../secrets/secret-keys.ts";
import { readOwnFile } from "./data-file.ts";
import { writeDurably, writeDurablyInBackground } from "./durable-file.ts";
import { giveToFolderOwner } from "./file-owner.ts";
import { storageFaultOf } from "./storage-fault.ts";

export const INVENTORY_FILE = "inventory.json";
const CHECK_DIGITS = 16;

/** Loss of data, listed until an owner acknowledges it. */
export interface Loss extends Text {
  /** Epoch ms of its detection. */
  readonly at: number;
  /** True once an owner has acknowledged it. */
  readonly acknowledged?: boolean;
}

/** Returns the texts that are not listed yet, without duplicates. */
export function unlisted(texts: readonly Text[], losses: readonly Loss[]): Text[] {
  const keyOf = ({ code, params }: Text) => JSON.stringify([code, params]);
  const listed = new Set(losses.map(keyOf));
  return texts.filter((text) => {
    const isNew = !listed.has(keyOf(text));
    listed.add(keyOf(text));
    return isNew;
  });
}

/** Expected content of the data directory at a start. */
export interface InventoryRecord extends Stamp {
  /** Files that the next start accepts in any state, or creates: restored files, and files that were set aside. */
  readonly accepted: readonly string[];
  /** Databases whose write-ahead logs have lost changes, possibly including the newest stamp, until another stamp is written. */
  readonly cutLogs: readonly string[];
  /** Check values of the keys in `secrets/`; two during the replacement of a key. */
  readonly keys: Readonly<Partial<Record<KeyName, readonly string[]>>>;
  readonly losses: readonly Loss[];
  /** Last finished check of all files. */
  readonly checked?: { readonly at: number; readonly hours: number };
  /** True while the generation is incremented, when databases may be one ahead. */
  readonly isAdvancing: boolean;
  /** Number of starts and hours of the data directory. */
  readonly hours: number;
  /** Id of the lock file of the last gateway. */
  readonly lock?: string | undefined;
}

const digest = (text: string | Uint8Array, purpose: string): string =>
  createHash("sha256").update(purpose).update(text).digest("hex").slice(0, CHECK_DIGITS);

/** Returns the check value of a key, which does not reveal the key. */
export const keyCheckOf = (key: Uint8Array): string => digest(key, "key check");

/** Returns the check values of all existing keys. */
export function keyChecksOf(dataPath: string): InventoryRecord["keys"] {
  const checks: Partial<Record<KeyName, readonly string[]>> = {};
  for (const name of KEY_NAMES) {
    const key = readKey(dataPath, name);
    if (key !== undefined) checks[name] = [keyCheckOf(key)];
  }
  return checks;
}

export const createRecord = (stamp: Stamp): InventoryRecord => ({
  ...stamp,
  accepted: [],
  cutLogs: [],
  losses: [],
  isAdvancing: false,
  hours: 0,
});

/** Returns the record; `null` if it is damaged, `undefined` if there is none. @throws the error of a file that may not be opened */
export function readRecord(dataPath: string): InventoryRecord | null | undefined {
  const path = join(dataPath, INVENTORY_FILE);
  try {
    const bytes = readOwnFile(path);
    if (bytes === undefined) return undefined;
    const file: unknown = JSON.parse(bytes.toString());
    if (!isJsonObject(file) || typeof file.inventory !== "object") return null;
    const { inventory, check } = file;
    if (check !== digest(JSON.stringify(inventory), "inventory")) return null;
    return inventory as unknown as InventoryRecord; // as it was written: its check value is right
  } catch (error) {
    const fault = storageFaultOf(error);
    if (fault !== undefined && fault !== "unreadable") throw error; // a file without access is not damaged
    return null;
  }
}

function encodeRecord(record: InventoryRecord): Buffer {
  const check = digest(JSON.stringify(record), "inventory");
  return Buffer.from(`${JSON.stringify({ check, inventory: record }, null, 2)}\n`);
}

const HOW = { mode: 0o600, prepare: giveToFolderOwner };

/** Replaces the record, which is on disk on return. */
export function writeRecord(dataPath: string, record: InventoryRecord): void {
  writeDurably(join(dataPath, INVENTORY_FILE), encodeRecord(record), HOW);
}

/** Like `writeRecord`, for a running gateway, which never waits for the disk. Calls must not overlap. */
export async function writeRecordInBackground(dataPath: string, record: InventoryRecord): Promise<void> {
  await writeDurablyInBackground(join(dataPath, INVENTORY_FILE), encodeRecord(record), HOW);
}
