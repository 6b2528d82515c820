import { type Database, SQLiteError } from "bun:sqlite";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { keepBackupSeries } from "./backup-series.ts";
import { isDamage } from "./database-check.ts";
import { closeKeepingLog, openDatabaseFile } from "./database-file.ts";
import { syncPath } from "./durable-file.ts";
import { acceptKeys, acceptNextKey } from "./inventory.ts";
import { cannotOpen } from "./inventory-check.ts";
import { readRecord } from "./inventory-record.ts";
import type { Logger } from "./log.ts";
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
import { setAside } from "./set-aside.ts";
import { createStoredSecrets, type StoredSecrets } from "./stored-secrets.ts";
import { forgetMovedLog } from "./wal-position.ts";

/*
 * A rotation writes the new key as `secrets/<name>.next`, seals everything anew in one transaction for each database, and gives the new key the
 * name of the old one. Both keys exist until that rename. What opens with the old key is sealed with the new one, and everything else is left alone, so
 * a rotation that was killed is simply repeated: a start does so before it opens the databases. The directory is verified first: secrets of a database that
 * is missing, or sealed with a key that was swapped, would be lost with the old key. The new key's check value is recorded before anything is sealed with it.
 */

/** An initialization vector and a tag, at least, in base64url. */
const SEALED_TEXT = /[A-Za-z0-9_-]{38,}/g;
const HASH_COLUMN = /^(.+)_hash$/;

interface KeyPair {
  readonly old: StoredSecrets;
  readonly new: StoredSecrets;
}

interface TextColumn {
  readonly table: string;
  readonly column: string;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Replaces keys of a data directory that has been verified. Nothing may have the databases open. A failure leaves the databases and the keys as they are.
 * @throws StartupError for a database that cannot be read
 */
export function rotateKeys(dataPath: string, names: readonly KeyName[]): KeyName[] {
  const begun = beginKeyRotation(dataPath, names);
  try {
    return finishKeyRotation(dataPath);
  } catch (error) {
    const record = readRecord(dataPath);
    for (const name of begun)
      if ((record?.keys[name] ?? []).length < 2) rmSync(nextPathOf(dataPath, name), { force: true });
    throw error;
  }
}

const nextPathOf = (dataPath: string, name: KeyName) => join(dataPath, "secrets", nextKeyFile(name));

/** Writes new keys, which `finishKeyRotation` puts into use. Returns those that an earlier rotation had not written. */
export function beginKeyRotation(dataPath: string, names: readonly KeyName[]): KeyName[] {
  const begun = names.filter((name) => !existsSync(nextPathOf(dataPath, name)));
  for (const name of begun)
    replaceSecret(nextPathOf(dataPath, name), crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
  return begun;
}

/**
 * Puts new keys into use, also those of a rotation that was killed. Returns the names of the keys that were replaced. The data directory must have been
 * verified, and nothing may have the databases open. @throws StartupError for a database that cannot be read
 */
export function finishKeyRotation(dataPath: string, log?: Logger): KeyName[] {
  const begun = KEY_NAMES.filter((name) => existsSync(nextPathOf(dataPath, name)));
  const replaced = begun.filter((name) => finishKey(dataPath, name));
  if (replaced.length > 0) log?.info("keys were replaced", { keys: replaced });
  for (const name of begun.filter((other) => !replaced.includes(other)))
    log?.warn("unfinished key was set aside", { file: `secrets/${nextKeyFile(name)}` });
  return replaced;
}

/** Returns whether the key was replaced. A new key that was cut off while it was written has sealed nothing, and is set aside. */
function finishKey(dataPath: string, name: KeyName): boolean {
  const [oldKey, newKey] = [readKey(dataPath, name), readKey(dataPath, nextKeyFile(name))];
  if (oldKey === undefined || newKey === undefined) {
    setAside(nextPathOf(dataPath, name), dataPath);
    return false;
  }
  const pairs = KEY_PURPOSES[name].map((purpose) => ({
    old: createStoredSecrets(oldKey, purpose),
    new: createStoredSecrets(newKey, purpose),
  }));
  reseal(dataPath, pairs, () => {
    if (name === "storage.key") keepBackupSeries(dataPath, oldKey);
    acceptNextKey(dataPath, name, newKey);
  });
  renameSync(nextPathOf(dataPath, name), join(dataPath, "secrets", name));
  syncPath(join(dataPath, "secrets"));
  acceptKeys(dataPath, [name]); // the old key would open nothing
  return true;
}

/** Seals everything anew. Nothing is committed, and `beforeCommit` is not called, unless every database can be read and written. */
function reseal(dataPath: string, pairs: readonly KeyPair[], beforeCommit: () => void): void {
  const opened: Database[] = [];
  try {
    if (pairs.length > 0)
      for (const name of SEALED_FILES) opened.push(beginReseal(join(dataPath, name), pairs));
    beforeCommit();
  } catch (error) {
    for (const database of opened) closeUnchanged(database);
    throw error;
  }
  for (const database of opened) {
    const { filename } = database;
    try {
      database.run("COMMIT");
    } finally {
      database.close();
      forgetMovedLog(filename);
    }
  }
}

/** Seals the content of a database anew, in a transaction that is left open. */
function beginReseal(file: string, pairs: readonly KeyPair[]): Database {
  const database = openDatabaseFile(file, "write");
  try {
    database.run("PRAGMA busy_timeout=5000");
    database.run("PRAGMA synchronous=FULL"); // the old key is gone a moment later
    database.run("BEGIN IMMEDIATE");
    for (const column of textColumns(database)) resealColumn(database, column, pairs);
    return database;
  } catch (error) {
    closeUnchanged(database);
    throw error instanceof SQLiteError && isDamage(error) ? cannotOpen(file, error.message) : error;
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

/** Seals anew what a column holds, also within JSON, with the keyed hash beside it. */
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

/** Returns the column with the keyed hash of what `<name>_sealed` holds, which is `<name>_hash`. */
function hashColumnOf(database: Database, { table, column }: TextColumn): string | undefined {
  return textColumns(database)
    .filter((other) => other.table === table)
    .map((other) => other.column)
    .find((name) => `${HASH_COLUMN.exec(name)?.[1]}_sealed` === column);
}
