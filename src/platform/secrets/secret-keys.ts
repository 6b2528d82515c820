import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { naming } from "../files/data-file.ts";
import { StartupError } from "../process/startup-error.ts";

/** Size of every key of the gateway. */
export const KEY_BYTES = 32;

/**
 * Keys in `secrets/`, with the purposes of their encrypted values in the databases. `storage.key` also creates keyed hashes of tokens that are
 * stored encrypted. `jwt.key` signs access tokens and encrypts nothing that is stored.
 */
export const KEY_PURPOSES = {
  "storage.key": [
    "second factor",
    "mails",
    "gateway settings",
    "dashboard links",
    "provisioning",
    "device tokens",
    "opcua",
    // Only a hash of each is kept, which a new key does not fit: devices that wait send their request again.
    "claiming",
  ],
  "outbound.key": ["outbound requests", "integrations", "uplinks"],
  "jwt.key": [],
} as const satisfies Record<string, readonly string[]>;

/** Databases with secrets encrypted by the keys. */
export const SEALED_FILES: readonly string[] = ["lineside.db", "identity.db"];

export type KeyName = keyof typeof KEY_PURPOSES;
export const KEY_NAMES = Object.keys(KEY_PURPOSES) as KeyName[];

export const isKeyName = (name: string): name is KeyName => Object.hasOwn(KEY_PURPOSES, name);

/** Returns the file in `secrets/` with the key that is about to replace another. */
export const nextKeyFile = (name: KeyName) => `${name}.next` as const;

/** Returns whether the directory contains databases, whose keys must not be recreated. */
export const hasDatabases = (dataPath: string): boolean => existsSync(join(dataPath, "lineside.db"));

/** Returns a key of the data directory; undefined if it is missing or truncated, which would make it guessable. */
export function readKey(dataPath: string, name: string): Buffer | undefined {
  const file = join(dataPath, "secrets", name);
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const kept = isFile ? naming(file, () => readFileSync(file)) : undefined;
  return kept !== undefined && kept.length >= KEY_BYTES ? kept : undefined;
}

/** Returns the error text for a key that is missing beside databases. */
export const keyMissing = (dataPath: string, name: string): StartupError =>
  new StartupError(
    `The key secrets/${name} is missing from the data directory ${dataPath}, or cut off. Put it back, or restore a backup: lineside restore --replace. If it is lost, run: lineside keys create-missing --data ${dataPath}. That ends all sessions and loses the passwords and tokens that the key protects.`,
  );
