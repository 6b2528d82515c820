import { type Database, SQLiteError } from "bun:sqlite";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../core/log.ts";
import { isDamage } from "../database/database-check.ts";
import { closeKeepingLog, DatabaseFileError, openDatabaseFile } from "../database/database-file.ts";
import { readStamp, writeStamp } from "../database/database-stamp.ts";
import { forgetLog } from "../database/wal-position.ts";
import { keepBackupSeries } from "../files/backup-series.ts";
import { syncPath } from "../files/durable-file.ts";
import { acceptKeys, acceptNextKey } from "../files/inventory.ts";
import { cannotOpen } from "../files/inventory-check.ts";
import { keyCheckOf, readRecord } from "../files/inventory-record.ts";
import { setAside } from "../files/set-aside.ts";
import { StartupError } from "../process/startup-error.ts";
import { replaceSecret } from "./secret-files.ts";
import {
  KEY_BYTES,
  KEY_NAMES,
  KEY_PURPOSES,
  type KeyName,
  nextKeyFile,
  readKey,
  SEALED_FILES,
} from "./secret-keys.ts";
import { createStoredSecrets, type StoredSecrets } from "./stored-secrets.ts";

/*
 * A rotation writes the new key to `secrets/<name>.next`, re-encrypts everything in one transaction per database, and renames the new key. Both keys
 * exist until that rename. Whatever opens with the old key is encrypted with the new key, and everything else is left unchanged, so an interrupted
 * rotation can be repeated: a start does so before it opens the databases. The directory is verified first, because secrets of a missing database, or
 * with a swapped key, would be lost with the old key. The check values of both keys are recorded before anything is encrypted with the new key, and
 * kept until the new key is in place. A new key with a recorded check value may open a database, so it is never deleted.
 */

/** Min. initialization vector and tag, in base64url. */
const SEALED_TEXT = /[A-Za-z0-9_-]{38,}/g;
const HASH_COLUMN = /^(.+)_hash$/;

interface KeyPair {
  readonly old: StoredSecrets;
  readonly new: StoredSecrets;
}

interface Replacement {
  readonly name: KeyName;
  readonly oldKey: Uint8Array;
  readonly newKey: Uint8Array;
}

interface TextColumn {
  readonly table: string;
  readonly column: string;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Replaces keys of a verified data directory. The databases must not be open. After a failure, either nothing has changed, or the new keys remain
 * and the next start finishes the replacement (`begunKeysOf`).
 * @throws StartupError for a database that cannot be read
 */
export function rotateKeys(dataPath: string, names: readonly KeyName[]): KeyName[] {
  const missing = SEALED_FILES.find((name) => !existsSync(join(dataPath, name)));
  if (missing !== undefined)
    throw new StartupError(
      `${missing} is missing. Start the gateway once, so that it creates the file, then replace the keys.`,
    );
  const begun = beginKeyRotation(dataPath, names);
  try {
    return finishKeyRotation(dataPath);
  } catch (error) {
    for (const name of begun)
      if (isUnused(dataPath, name)) rmSync(nextPathOf(dataPath, name), { force: true });
    throw error;
  }
}

const nextPathOf = (dataPath: string, name: KeyName) => join(dataPath, "secrets", nextKeyFile(name));

/** Returns whether a new key cannot have been used: the inventory lists only the check value of the present key. */
function isUnused(dataPath: string, name: KeyName): boolean {
  const [checks, key] = [readRecord(dataPath)?.keys[name], readKey(dataPath, name)];
  return key !== undefined && checks?.length === 1 && checks[0] === keyCheckOf(key);
}

/** Returns the keys whose replacement has begun and is not finished. */
export const begunKeysOf = (dataPath: string): KeyName[] =>
  KEY_NAMES.filter((name) => existsSync(nextPathOf(dataPath, name)));

/** Writes new keys, which `finishKeyRotation` activates. Returns those that an earlier rotation had not written. */
export function beginKeyRotation(dataPath: string, names: readonly KeyName[]): KeyName[] {
  const begun = names.filter((name) => !existsSync(nextPathOf(dataPath, name)));
  if (begun.length > 0) acceptKeys(dataPath, begun); // also drops the check value of a key that was replaced before
  for (const name of begun)
    replaceSecret(nextPathOf(dataPath, name), crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
  return begun;
}

/**
 * Activates new keys, including those of a rotation that was killed. Returns the names of the replaced keys. The data directory must have been
 * verified, and the databases must not be open. @throws StartupError for a database that cannot be read
 */
export function finishKeyRotation(dataPath: string, log?: Logger): KeyName[] {
  const begun = begunKeysOf(dataPath);
  const replaced = begun.filter((name) => finishKey(dataPath, name));
  if (replaced.length > 0) log?.info("keys were replaced", { keys: replaced });
  for (const name of begun.filter((other) => !replaced.includes(other)))
    log?.warn("unfinished key was set aside", { file: `secrets/${nextKeyFile(name)}` });
  return replaced;
}

/** Returns whether the key was replaced. A new key that was truncated during its write was not used, and is set aside. */
function finishKey(dataPath: string, name: KeyName): boolean {
  const [oldKey, newKey] = [readKey(dataPath, name), readKey(dataPath, nextKeyFile(name))];
  if (oldKey === undefined || newKey === undefined) {
    setAside(nextPathOf(dataPath, name), dataPath);
    return false;
  }
  reseal(dataPath, { name, oldKey, newKey }, () => {
    if (name === "storage.key") keepBackupSeries(dataPath, oldKey);
    acceptNextKey(dataPath, name, { old: oldKey, next: newKey });
  });
  renameSync(nextPathOf(dataPath, name), join(dataPath, "secrets", name));
  syncPath(join(dataPath, "secrets"));
  acceptKeys(dataPath, [name]); // the old key would open nothing
  return true;
}

/**
 * Reseals all secrets in all existing databases; the next start creates databases that were set aside. Commits nothing and does not call
 * `beforeCommit` unless every database can be read and written.
 */
function reseal(dataPath: string, replacement: Replacement, beforeCommit: () => void): void {
  const opened: Database[] = [];
  try {
    for (const name of SEALED_FILES)
      if (existsSync(join(dataPath, name))) opened.push(beginReseal(join(dataPath, name), replacement));
    beforeCommit();
  } catch (error) {
    for (const database of opened) closeUnchanged(database);
    throw error;
  }
  commitAll(opened);
}

/** Commits and closes databases. After a failure, the remaining ones are unchanged. */
function commitAll(databases: readonly Database[]): void {
  const committed: Database[] = [];
  try {
    for (const database of databases) {
      database.run("COMMIT");
      committed.push(database);
    }
  } finally {
    for (const database of databases.filter((other) => !committed.includes(other))) closeUnchanged(database);
    for (const database of committed) {
      forgetLog(database.filename); // before closing, which moves the log into the database
      database.close();
    }
  }
}

/** Reseals the secrets of a database, in a transaction that remains open. */
function beginReseal(file: string, { name, oldKey, newKey }: Replacement): Database {
  const pairs = KEY_PURPOSES[name].map((purpose) => ({
    old: createStoredSecrets(oldKey, purpose),
    new: createStoredSecrets(newKey, purpose),
  }));
  const database = openSealed(file);
  try {
    database.run("PRAGMA busy_timeout=5000");
    database.run("PRAGMA synchronous=FULL"); // the old key is gone a moment later
    database.run("BEGIN IMMEDIATE");
    if (pairs.length > 0) for (const column of textColumns(database)) resealColumn(database, column, pairs);
    stampKey(database, name, newKey);
    return database;
  } catch (error) {
    closeUnchanged(database);
    throw error instanceof SQLiteError && isDamage(error) ? cannotOpen(file, error.message) : error;
  }
}

/** Adds the check value of a new key to the stamp: if the inventory is lost, only the stamps remain. */
function stampKey(database: Database, name: KeyName, key: Uint8Array): void {
  const stamp = readStamp(database);
  if (stamp !== undefined)
    writeStamp(database, { ...stamp, keys: { ...stamp.keys, [name]: [keyCheckOf(key)] } });
}

function openSealed(file: string): Database {
  try {
    return openDatabaseFile(file, "write");
  } catch (error) {
    throw error instanceof DatabaseFileError ? cannotOpen(file, error.message) : error;
  }
}

function closeUnchanged(database: Database): void {
  if (database.inTransaction) database.run("ROLLBACK");
  closeKeepingLog(database);
}

function textColumns(database: Database): TextColumn[] {
  return database
    .query<TextColumn & { type: string }, []>(
      `SELECT t.name AS "table", c.name AS "column", c.type AS type FROM pragma_table_list t, pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all()
    .filter(({ type }) => type.toLowerCase() === "text");
}

/** Reseals the secrets of a column, also within JSON, and updates the row's keyed hash. */
function resealColumn(database: Database, { table, column }: TextColumn, pairs: readonly KeyPair[]): void {
  const [tableName, columnName] = [quote(table), quote(column)];
  const hash = hashColumnOf(database, { table, column });
  const rows = database.query<{ value: string }, []>(
    `SELECT DISTINCT ${columnName} AS value FROM ${tableName} WHERE length(${columnName}) >= 38`,
  );
  const setHash = hash === undefined ? "" : `, ${quote(hash)} = $hash`;
  const update = database.query(
    `UPDATE ${tableName} SET ${columnName} = $next${setHash} WHERE ${columnName} = $value`,
  );
  for (const { value } of rows.all()) {
    const { next, hashed } = resealText(value, pairs);
    if (next !== value) update.run({ next, value, ...(hash !== undefined && { hash: hashed }) });
  }
}

function resealText(value: string, pairs: readonly KeyPair[]): { next: string; hashed: string } {
  let hashed = "";
  const next = value.replace(SEALED_TEXT, (sealed) => {
    for (const pair of pairs) {
      const text = pair.old.open(sealed);
      if (text === undefined) continue;
      hashed = pair.new.hash(text);
      return pair.new.seal(text);
    }
    return sealed;
  });
  return { next, hashed };
}

/** Returns the column `<name>_hash` with the keyed hash of `<name>_sealed`. */
function hashColumnOf(database: Database, { table, column }: TextColumn): string | undefined {
  return textColumns(database)
    .filter((other) => other.table === table)
    .map((other) => other.column)
    .find((name) => `${HASH_COLUMN.exec(name)?.[1]}_sealed` === column);
}
