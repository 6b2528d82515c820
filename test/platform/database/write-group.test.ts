import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";

let directory: string;
let database: MainDatabase;
/** What became of the writes, in this order. */
let ends: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-writes-"));
  database = openMainDatabase(join(directory, "a.db"), "identity", createLogger("test"));
  database.sqlite.run("CREATE TABLE parents (id TEXT PRIMARY KEY)");
  database.sqlite.run(
    "CREATE TABLE notes (text TEXT UNIQUE, parent TEXT REFERENCES parents DEFERRABLE INITIALLY DEFERRED)",
  );
  ends = [];
});
afterEach(async () => {
  database.close();
  await rm(directory, { recursive: true, force: true });
});

function add(text: string, parent: string | null = null, committed: () => void = () => undefined): void {
  database.writes.add({
    write: () => void database.sqlite.run("INSERT INTO notes VALUES (?, ?)", [text, parent]),
    committed() {
      ends.push(`${text.slice(0, 9)} committed`);
      committed();
    },
    failed: (error) => void ends.push(`${text.slice(0, 9)} ${(error as { code: string }).code}`),
  });
}

const textsIn = (sqlite: Database) =>
  sqlite
    .query<{ text: string }, []>("SELECT text FROM notes ORDER BY rowid")
    .all()
    .map(({ text }) => text);

/** What is committed, as a connection of its own sees it. */
function committedTexts(): string[] {
  const other = new Database(join(directory, "a.db"), { readonly: true });
  const texts = textsIn(other);
  other.close();
  return texts;
}

test("commits the writes of one turn together and in order, before it calls back", async () => {
  const seen: string[][] = [];
  add("a", null, () => seen.push(committedTexts()));
  add("b");
  expect([committedTexts(), ends]).toEqual([[], []]);
  await database.durable();
  expect(seen).toEqual([["a", "b"]]);
  expect(ends).toEqual(["a committed", "b committed"]);
  expect(database.writes.pending).toBeUndefined();
});

test("fails only the write that a constraint refuses", async () => {
  add("a");
  add("a");
  add("b");
  await database.durable();
  expect(ends).toEqual(["a committed", "a SQLITE_CONSTRAINT_UNIQUE", "b committed"]);
  expect(committedTexts()).toEqual(["a", "b"]);
});

test("fails all writes of a turn on a full disk, stores none of them, and goes on when there is room", async () => {
  const { page_count } = database.sqlite.query("PRAGMA page_count").get() as { page_count: number };
  database.sqlite.run(`PRAGMA max_page_count=${page_count}`);
  add("a");
  add("x".repeat(20_000));
  add("c");
  await expect(database.durable()).rejects.toMatchObject({ code: "SQLITE_FULL" });
  expect(ends).toEqual(["a SQLITE_FULL", "xxxxxxxxx SQLITE_FULL", "c SQLITE_FULL"]);
  expect(database.sqlite.inTransaction).toBe(false);
  expect(textsIn(database.sqlite)).toEqual([]);
  database.sqlite.run("PRAGMA max_page_count=1000000");
  add("d");
  await database.durable();
  expect(committedTexts()).toEqual(["d"]);
});

test("fails all writes of a turn when the commit itself fails", async () => {
  add("a");
  add("b", "no such parent");
  await expect(database.durable()).rejects.toThrow();
  expect(ends).toEqual(["a SQLITE_CONSTRAINT_FOREIGNKEY", "b SQLITE_CONSTRAINT_FOREIGNKEY"]);
  expect(database.sqlite.inTransaction).toBe(false);
  expect(textsIn(database.sqlite)).toEqual([]);
});

test("a failed group in which every write is optional fails nobody who waits", async () => {
  database.writes.add({
    isOptional: true,
    write: () => void database.sqlite.run("INSERT INTO notes VALUES ('a', 'no such parent')"),
    committed: () => ends.push("committed"),
    failed: () => ends.push("failed"),
  });
  await database.durable();
  expect(ends).toEqual(["failed"]);
});

test("flushes at once for a reader, who hears of a failure", () => {
  add("a");
  database.writes.flush();
  expect(committedTexts()).toEqual(["a"]);
  add("b", "no such parent");
  expect(() => database.writes.flush()).toThrow();
  expect(ends).toEqual(["a committed", "b SQLITE_CONSTRAINT_FOREIGNKEY"]);
});

test("commits what is added by those who hear of a commit in the next turn, with what comes in it", async () => {
  const seen: string[][] = [];
  add("a", null, () => add("b", null, () => seen.push(committedTexts())));
  await database.writes.pending;
  add("c");
  await database.durable();
  expect(seen).toEqual([["a", "b", "c"]]);
});

test("settles what is added by those who hear of a commit", () => {
  add("a", null, () => add("b"));
  database.writes.settle();
  expect(committedTexts()).toEqual(["a", "b"]);
});

test("a write within a transaction is part of it, and what waited before is not", () => {
  add("a");
  expect(() =>
    database.transact(() => {
      add("b");
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(committedTexts()).toEqual(["a"]);
  database.transact(() => add("c"));
  expect(committedTexts()).toEqual(["a", "c"]);
});

test("closing commits what waits", () => {
  add("a");
  database.close();
  database = openMainDatabase(join(directory, "a.db"), "identity", createLogger("test"));
  expect(textsIn(database.sqlite)).toEqual(["a"]);
});
