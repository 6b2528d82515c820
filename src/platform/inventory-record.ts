import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../lib/json.ts";
import type { Stamp } from "./database-stamp.ts";
import { writeDurably } from "./durable-file.ts";
import { giveToFolderOwner } from "./file-owner.ts";
import { KEY_NAMES, type KeyName, readKey } from "./secret-keys.ts";

export const INVENTORY_FILE = "inventory.json";
const CHECK_DIGITS = 16;

/** Something of the data directory that is lost, until a person has taken note of it. */
export interface Loss {
  /** Epoch ms at which it was found. */
  readonly at: number;
  /** In English, as the storage engine names it. */
  readonly text: string;
  /** True once a person has taken note of it. */
  readonly acknowledged?: boolean;
}

/** What a start expects to find in the data directory. */
export interface InventoryRecord extends Stamp {
  /** Files that the next start takes as they are, or creates: restored ones, and those that a person has set aside. */
  readonly accepted: readonly string[];
  /** Check values of the keys in `secrets/`; two while a key is being replaced. */
  readonly keys: Readonly<Partial<Record<KeyName, readonly string[]>>>;
  readonly losses: readonly Loss[];
  /** Whether the gateway stopped in order, so that a start need not look for damage. */
  readonly isClosed: boolean;
  /** The newest check of all files that finished. */
  readonly checked?: { readonly at: number; readonly generation: number };
}

const digest = (text: string | Uint8Array, purpose: string): string =>
  createHash("sha256").update(purpose).update(text).digest("hex").slice(0, CHECK_DIGITS);

/** Check value of a key, from which the key cannot be told. */
export const keyCheckOf = (key: Uint8Array): string => digest(key, "key check");

/** Check values of the keys that are there. */
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
  keys: {},
  losses: [],
  isClosed: false,
});

/** Returns the record; `null` for a damaged one, `undefined` if there is none. */
export function readRecord(dataPath: string): InventoryRecord | null | undefined {
  const path = join(dataPath, INVENTORY_FILE);
  if (!existsSync(path)) return undefined;
  try {
    const file: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isJsonObject(file) || typeof file.inventory !== "object") return null;
    const { inventory, check } = file;
    if (check !== digest(JSON.stringify(inventory), "inventory")) return null;
    return inventory as unknown as InventoryRecord; // as it was written: its check value is right
  } catch {
    return null;
  }
}

/** Replaces the record. It is on the disk on return. */
export function writeRecord(dataPath: string, record: InventoryRecord): void {
  const check = digest(JSON.stringify(record), "inventory");
  const text = `${JSON.stringify({ check, inventory: record }, null, 2)}\n`;
  writeDurably(join(dataPath, INVENTORY_FILE), Buffer.from(text), {
    mode: 0o600,
    prepare: giveToFolderOwner,
  });
}
