import { afterAll, beforeAll, expect, jest, test } from "bun:test";
import { copyFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { openDataDirectory } from "../../../src/platform/files/data-directory.ts";
import { StartupError } from "../../../src/platform/process/startup-error.ts";
import { until } from "../../support/until.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-database-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const open = (name: string) => openMainDatabase(join(directory, name), "identity", createLogger("test"));

test("its state changes with what this process writes and with what another connection writes", () => {
  const database = open("state.db");
  const other = open("state.db");
  const insert = ({ sqlite }: typeof database, id: string) =>
    sqlite.run(
      "INSERT INTO accounts (account_id, email, password_hash, created_at, updated_at) VALUES (?, ?, 'x', 1, 1)",
      [id, id],
    );
  const before = database.state();
  expect(database.state()).toBe(before);
  insert(database, "one");
  const own = database.state();
  expect(own).not.toBe(before);
  insert(other, "two");
  const foreign = database.state();
  expect([before, own]).not.toContain(foreign);
  expect(database.state()).toBe(foreign);
  other.close();
  database.close();
});

test("a failed transaction leaves nothing, a nested one joins the outer", () => {
  const database = open("a.db");
  const insert = (id: string) =>
    database.sqlite.run(
      "INSERT INTO accounts (account_id, email, password_hash, created_at, updated_at) VALUES (?, ?, 'x', 1, 1)",
      [id, id],
    );
  const count = () => database.sqlite.query<{ n: number }, []>("SELECT count(*) AS n FROM accounts").get()?.n;
  expect(() =>
    database.transact(() => {
      insert("one");
      database.transact(() => insert("two"));
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(count()).toBe(0);
  database.transact(() => insert("three"));
  expect(count()).toBe(1);
  database.close();
});

test("a database with a newer migration is refused with a sentence that names it", () => {
  const newer = open("newer.db");
  newer.sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', 99999999999999)");
  newer.close();
  expect(() => open("newer.db")).toThrow(
    new StartupError(
      "The database identity.db was written by a newer Lineside; start that version, or restore an earlier copy of the data directory.",
    ),
  );
});

test("a database of another history of migrations is refused", () => {
  const other = open("other.db");
  other.sqlite.run("UPDATE __drizzle_migrations SET hash = 'x', created_at = 1");
  other.close();
  expect(() => open("other.db")).toThrow(/unreleased/);
});

test("opening again migrates nothing and keeps what is there", () => {
  const first = open("b.db");
  first.sqlite.run(
    "INSERT INTO accounts (account_id, email, password_hash, created_at, updated_at) VALUES ('a', 'a', 'x', 1, 1)",
  );
  const applied = first.sqlite.query("SELECT hash FROM __drizzle_migrations").all();
  first.close();
  const second = open("b.db");
  expect(second.sqlite.query("SELECT hash FROM __drizzle_migrations").all()).toEqual(applied);
  expect(second.sqlite.query("SELECT account_id FROM accounts").all()).toEqual([{ account_id: "a" }]);
  second.close();
});

test("whoever waits for durability while a sync runs shares the next one, and nothing is synced twice", async () => {
  const database = open("c.db");
  const write = (id: string) =>
    database.sqlite.run(
      "INSERT INTO accounts (account_id, email, password_hash, created_at, updated_at) VALUES (?, ?, 'x', 1, 1)",
      [id, id],
    );
  write("1");
  const first = database.durable();
  write("2");
  const second = database.durable();
  write("3");
  const third = database.durable();
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  await Promise.all([first, second, third]);
  let settled = false;
  const idle = database.durable().then(() => {
    settled = true;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect(settled).toBe(true); // no write since: nothing to wait for
  await idle;
  database.close();
});

test("a long log that a crash has left is moved into the database at the start", async () => {
  const database = open("long.db");
  database.sqlite.run("CREATE TABLE long (text BLOB)");
  database.sqlite.run("INSERT INTO long VALUES (zeroblob(5000000))");
  for (const suffix of ["", "-wal"])
    copyFileSync(join(directory, `long.db${suffix}`), join(directory, `crashed.db${suffix}`));
  database.close();
  const crashed = open("crashed.db");
  await until(() => statSync(join(directory, "crashed.db")).size > 5_000_000, "the checkpoint");
  crashed.close();
});

test("a long log is moved between two checkpoints, although no caller waits for the disk", async () => {
  jest.useFakeTimers();
  const database = open("growing.db");
  database.sqlite.run("CREATE TABLE long (text BLOB)");
  database.transact(() => database.sqlite.run("INSERT INTO long VALUES (zeroblob(40000000))"));
  jest.advanceTimersByTime(600);
  jest.useRealTimers();
  await until(() => statSync(join(directory, "growing.db")).size > 40_000_000, "the checkpoint");
  database.close();
});

test("one process owns a data directory at a time", () => {
  const path = join(directory, "owned");
  const owner = openDataDirectory(path);
  expect(() => openDataDirectory(path)).toThrow(StartupError);
  owner.release();
  openDataDirectory(path).release();
});

test("a secret is made once and readable by its owner alone", async () => {
  const data = openDataDirectory(join(directory, "secret"));
  const secret = data.secret("jwt.key", 32);
  expect(secret.byteLength).toBe(32);
  expect(data.secret("jwt.key", 32)).toEqual(secret);
  const { mode } = await Bun.file(data.file("secrets/jwt.key")).stat();
  expect(mode & 0o777).toBe(0o600);
  data.release();
});
