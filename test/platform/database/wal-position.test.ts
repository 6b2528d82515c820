// What a damaged write-ahead log of a main database loses is named.
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createLogger } from "../../../src/platform/core/log.ts";
import { storedSchema } from "../../../src/platform/database/data-schemas.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";
import { readCheckpointedStamp } from "../../../src/platform/database/database-stamp.ts";
import { isOverwritten, walLossOf, walMismatchOf } from "../../../src/platform/database/wal-position.ts";
import { createRecord, readRecord, writeRecord } from "../../../src/platform/files/inventory-record.ts";
import { until } from "../../support/until.ts";

let root: string;
let database: MainDatabase;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lineside-wal-"));
  database = openMainDatabase(join(root, "live", "lineside.db"), "lineside", createLogger("test"));
  database.sqlite.run("CREATE TABLE kept (text TEXT)");
});
afterEach(() => {
  database.close();
  rmSync(root, { recursive: true, force: true });
});

async function change(rows = 20): Promise<void> {
  for (let row = 0; row < rows; row++) {
    database.transact(() => void database.sqlite.run("INSERT INTO kept VALUES (?)", ["x".repeat(3_000)]));
    await database.durable();
  }
}

/** Files as a kill leaves them. */
function killed(): string {
  const folder = mkdtempSync(join(root, "killed-"));
  for (const name of readdirSync(join(root, "live")).filter((file) => file.startsWith("lineside.db")))
    copyFileSync(join(root, "live", name), join(folder, name));
  return join(folder, "lineside.db");
}

test("a log that a kill left is whole", async () => {
  await change();
  expect(walLossOf(killed())).toBeUndefined();
});

test("a database in use and its log are told apart from ones that were truncated or overwritten", async () => {
  await change();
  database.beforeCheckpoint(() => database.stamp({ gateway: "a", generation: 7, keys: {} }));
  await change(1_500); // begins a checkpoint
  await until(() => readCheckpointedStamp(join(root, "live", "lineside.db"))?.generation === 7);
  await change(); // begins the log anew
  const path = killed();
  expect(isOverwritten(path)).toBe(false);
  const harms: ((file: string) => void)[] = [
    (file) => truncateSync(file, 0),
    (file) => writeFileSync(file, Buffer.alloc(8_192, 7), { flag: "r+" }),
  ];
  for (const file of [path, `${path}-wal`])
    for (const harm of harms) {
      const intact = readFileSync(file);
      harm(file);
      expect(isOverwritten(path)).toBe(true);
      writeFileSync(file, intact);
      expect(isOverwritten(path)).toBe(false);
    }
});

test.each<[string, (wal: string) => void]>([
  ["missing", (wal) => rmSync(wal)],
  ["empty", (wal) => truncateSync(wal, 0)],
  ["cut to its half", (wal) => truncateSync(wal, statSync(wal).size >> 1)],
  ["cut by its last frame", (wal) => truncateSync(wal, statSync(wal).size - 4_120)],
  [
    "with one bit flipped",
    (wal) => {
      const bytes = readFileSync(wal);
      bytes[bytes.length - 100]! ^= 1;
      writeFileSync(wal, bytes);
    },
  ],
])("a log that is %s is named", async (_, damage) => {
  await change();
  const path = killed();
  damage(`${path}-wal`);
  expect(walLossOf(path)).toEqual({
    code: "loss.log_cut",
    params: { file: "lineside.db-wal", found: expect.any(Number), synced: expect.any(Number) },
  });
});

test("an older copy of the database with its log is named while its log has not begun anew", async () => {
  await change();
  const older = killed();
  await change();
  const path = killed();
  for (const suffix of ["", "-wal"]) copyFileSync(older + suffix, path + suffix);
  expect(walLossOf(path)).toBeDefined();
});

/** A checkpoint as the gateway makes it once the log is long. */
async function checkpoint(generation: number): Promise<void> {
  database.beforeCheckpoint(() => database.stamp({ gateway: "here", generation, keys: {} }));
  await change(1_200);
  await until(() => readCheckpointedStamp(join(root, "live", "lineside.db"))?.generation === generation);
  await change(1); // begins the log anew
}

test("an older copy of the database alone is named, however new it is", async () => {
  await checkpoint(1);
  const older = killed();
  expect(walMismatchOf(older)).toBeUndefined();
  await checkpoint(2);
  expect(walMismatchOf(killed())).toBeUndefined();
  let path = "";
  await until(() => {
    path = killed();
    copyFileSync(older, path);
    return walMismatchOf(path) === "is older than its write-ahead log: its newer content is missing";
  });
});

test("an older write-ahead log alone is named", async () => {
  await checkpoint(1);
  const older = killed();
  await checkpoint(2);
  await until(async () => {
    await change(1); // begins the log anew once the checkpoint has ended
    const path = killed();
    copyFileSync(`${older}-wal`, `${path}-wal`);
    return walMismatchOf(path) === "has a write-ahead log that is older than the database";
  });
});

test("a look at the schema of a database leaves it and its log as they are", async () => {
  await change();
  const path = killed();
  const bytes = [path, `${path}-wal`].map((file) => readFileSync(file));
  expect(storedSchema(dirname(path), basename(path))).toBeGreaterThan(0);
  expect([path, `${path}-wal`].map((file) => readFileSync(file))).toEqual(bytes);
  expect(walLossOf(path)).toBeUndefined();
});

test("a log that is missing is not excused by a newer database file", async () => {
  await change();
  const path = killed();
  rmSync(`${path}-wal`);
  utimesSync(path, new Date(), new Date(Date.now() + 5_000));
  expect(walLossOf(path)?.params).toMatchObject({ found: 0 });
});

test("a command that opens a database records what its log has lost", async () => {
  await change();
  const path = killed();
  cpSync(join(root, "live", "secrets"), join(path, "..", "secrets"), { recursive: true });
  writeRecord(join(path, ".."), createRecord({ gateway: "here", generation: 0, keys: {} }));
  truncateSync(`${path}-wal`, statSync(`${path}-wal`).size >> 1);
  openMainDatabase(path, "lineside", createLogger("test")).close();
  expect(walLossOf(path)).toBeUndefined();
  expect(readRecord(join(path, ".."))?.losses).toMatchObject([
    { code: "loss.log_cut", params: { file: "lineside.db-wal" } },
  ]);
  expect(readdirSync(join(path, "..", "set-aside"))).toEqual(["lineside.db-wal.1"]);
});

test.each(["missing", "damaged"])(
  "a command that opens a database records what its log has lost while the inventory is %s",
  async (state) => {
    await database.stamp({ gateway: "here", generation: 3, keys: {} });
    await change();
    const path = killed();
    const data = dirname(path);
    cpSync(join(root, "live", "secrets"), join(data, "secrets"), { recursive: true });
    if (state === "damaged") writeFileSync(join(data, "inventory.json"), "{}");
    truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 100);
    openMainDatabase(path, "lineside", createLogger("test")).close();
    expect(readRecord(data)).toMatchObject({
      gateway: "here",
      cutLogs: ["lineside.db"],
      losses: [
        { code: `loss.inventory_${state}` },
        { code: "loss.log_cut", params: { file: "lineside.db-wal" } },
      ],
    });
    expect(readdirSync(join(data, "set-aside"))).toEqual(["lineside.db-wal.1"]);
  },
);

test("changes that were not synced are not missed", async () => {
  await change();
  database.transact(() => void database.sqlite.run("INSERT INTO kept VALUES (?)", ["y".repeat(9_000)]));
  const path = killed();
  truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 100);
  expect(walLossOf(path)).toBeUndefined();
});

test("a log that begins anew after a checkpoint, and a database that was closed, miss nothing", async () => {
  await change();
  database.sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.transact(() => void database.sqlite.run("INSERT INTO kept VALUES ('z')"));
  expect(walLossOf(killed())).toBeUndefined();
  await database.durable();
  expect(walLossOf(killed())).toBeUndefined();
  const path = join(root, "live", "other.db");
  const other = openMainDatabase(path, "lineside", createLogger("test"));
  await other.durable();
  other.close();
  expect([existsSync(`${path}-wal`), walLossOf(path)]).toEqual([false, undefined]);
});
