import { Database } from "bun:sqlite";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { keepBackupSeries } from "./backup-series.ts";
import { syncPath } from "./durable-file.ts";
import { acceptNextKey, recordCutLogs } from "./inventory.ts";
import { replaceSecret } from "./secret-files.ts";
import { KEY_BYTES, KEY_NAMES, KEY_PURPOSES, type KeyName, readKey, SEALED_FILES } from "./secret-keys.ts";
import { createStoredSecrets, type StoredSecrets } from "./stored-secrets.ts";
import { forgetMovedLog } from "./wal-position.ts";

/*
 * A rotation writes the new key as `secrets/<name>.next`, seals everything anew in one transaction for each database, and gives the new key the
 * name of the old one. Both keys exist until that rename. What opens with the old key is sealed with the new one, and everything else is left alone, so
 * a rotation that was killed is simply repeated: a start does so before it opens the databases.
 */

const NEXT = ".next";
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

/** Writes new keys, which `finishKeyRotation` puts into use. Nothing may have the databases open. */
export function beginKeyRotation(dataPath: string, names: readonly KeyName[]): void {
  for (const name of names) {
    const next = join(dataPath, "secrets", `${name}${NEXT}`);
    if (!existsSync(next)) replaceSecret(next, crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
  }
}

/** Puts new keys into use, also those of a rotation that was killed. Returns their names. Nothing may have the databases open. */
export function finishKeyRotation(dataPath: string): KeyName[] {
  const names = KEY_NAMES.filter((name) => existsSync(join(dataPath, "secrets", `${name}${NEXT}`)));
  if (names.length > 0) recordCutLogs(dataPath, SEALED_FILES);
  for (const name of names) finishKey(dataPath, name);
  return names;
}

function finishKey(dataPath: string, name: KeyName): void {
  const [oldKey, newKey] = [readKey(dataPath, name), readKey(dataPath, `${name}${NEXT}`)];
  const next = join(dataPath, "secrets", `${name}${NEXT}`);
  if (oldKey === undefined || newKey === undefined) {
    rmSync(next, { force: true });
    return;
  }
  const pairs = KEY_PURPOSES[name].map((purpose) => ({
    old: createStoredSecrets(oldKey, purpose),
    new: createStoredSecrets(newKey, purpose),
  }));
  if (name === "storage.key") keepBackupSeries(dataPath, oldKey);
  if (pairs.length > 0) for (const file of SEALED_FILES) resealDatabase(join(dataPath, file), pairs);
  acceptNextKey(dataPath, name, newKey);
  renameSync(next, join(dataPath, "secrets", name));
  syncPath(join(dataPath, "secrets"));
}

function resealDatabase(file: string, pairs: readonly KeyPair[]): void {
  if (!existsSync(file)) return;
  const database = new Database(file, { readwrite: true, create: false, strict: true });
  try {
    database.run("PRAGMA busy_timeout=5000");
    database.run("PRAGMA synchronous=FULL"); // the old key is gone a moment later
    database.transaction(() => {
      for (const column of textColumns(database)) resealColumn(database, column, pairs);
    })();
  } finally {
    database.close();
    forgetMovedLog(file);
  }
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
    const { next, hashed } = reseal(value, pairs);
    if (next !== value) update.run({ next, value, ...(hash !== undefined && { hash: hashed }) });
  }
}

function reseal(value: string, pairs: readonly KeyPair[]): { next: string; hashed: string } {
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
