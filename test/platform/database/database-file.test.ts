// Damaged database files: what a look at their bytes finds, and that SQLite changes neither them nor their logs.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inEnglish } from "../../../src/lib/core/domain-error.ts";
import { startProblem } from "../../../src/modules/telemetry/store/upkeep/start-problem.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabases, openVerifiedDatabases } from "../../../src/platform/database/database.ts";
import {
  closeKeepingLog,
  headerProblem,
  openDatabaseFile,
} from "../../../src/platform/database/database-file.ts";
import { walLossOf } from "../../../src/platform/database/wal-position.ts";
import { readRecord } from "../../../src/platform/files/inventory-record.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const root = mkdtempSync(join(tmpdir(), "lineside-database-file-"));
const killed = join(root, "killed");
let data: string;

beforeAll(async () => {
  const live = join(root, "live");
  const app = async (work: (fixture: TestApp) => Promise<void>) => {
    const fixture = await createTestApp({ directory: live });
    await until(() => (readRecord(live)?.generation ?? 0) > 0 && readRecord(live)?.isAdvancing === false);
    await work(fixture);
    await fixture.stop();
  };
  await app(async (fixture) => void (await fixture.signIn("TENANT_OWNER")));
  await app(async () => cpSync(live, killed, { recursive: true })); // nothing is being written: what a kill leaves
});
beforeEach(() => {
  data = mkdtempSync(join(root, "data-"));
  cpSync(killed, data, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function edit(name: string, change: (bytes: Buffer) => void): Buffer {
  const bytes = readFileSync(join(data, name));
  change(bytes);
  writeFileSync(join(data, name), bytes);
  return bytes;
}

const flip = (offset: number) => (bytes: Buffer) => {
  bytes[offset]! ^= 1;
};

test.each<[string, string, (bytes: Buffer) => void]>([
  ["another first byte", "is not a database: its first bytes are damaged", flip(0)],
  ["zeros", "is not a database: its first bytes are damaged", (bytes) => void bytes.fill(0)],
  ["a page size that is none", "has a damaged header", flip(16)],
  ["another write version", "has a damaged header", flip(18)],
  ["another read version", "has a damaged header", flip(19)],
  ["another fraction", "has a damaged header", flip(22)],
])("a file with %s %s", (_, problem, damage) => {
  const path = join(data, "lineside.db");
  expect(headerProblem(path)).toBeUndefined();
  edit("lineside.db", damage);
  expect(headerProblem(path)).toBe(problem);
  for (const mode of ["read", "write", "create"] as const)
    expect(() => openDatabaseFile(path, mode)).toThrow(`lineside.db ${problem}`);
});

test("a file without content keeps its log, however it is opened", () => {
  const path = join(data, "lineside.db");
  const log = readFileSync(`${path}-wal`);
  writeFileSync(path, "");
  for (const mode of ["read", "write", "create"] as const)
    expect(() => openDatabaseFile(path, mode)).toThrow("lineside.db is empty");
  expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
});

test("a copy that has no log, made with VACUUM INTO, is a database", () => {
  const [path, copy] = [join(data, "lineside.db"), join(data, "copy.db")];
  const database = openDatabaseFile(path, "read");
  database.run(`VACUUM INTO '${copy}'`);
  database.close(true);
  expect(headerProblem(copy)).toBeUndefined();
  cpSync(`${path}-wal`, `${copy}-wal`);
  expect(headerProblem(copy)).toBe("has a damaged header");
});

test("a database is closed without moving its log into it", () => {
  const path = join(data, "lineside.db");
  const bytes = [path, `${path}-wal`].map((file) => readFileSync(file));
  const database = openDatabaseFile(path, "write");
  database.run("BEGIN IMMEDIATE; COMMIT");
  closeKeepingLog(database);
  expect([path, `${path}-wal`].map((file) => readFileSync(file))).toEqual(bytes);
  openDatabaseFile(path, "write").close(true); // opens nothing yet
  const other = openDatabaseFile(path, "write");
  other.run("BEGIN IMMEDIATE; COMMIT");
  other.close(true);
  expect(existsSync(`${path}-wal`)).toBe(false); // the control: closing alone moves it
});

test("a look at a file that this process has open keeps SQLite's locks on it", () => {
  const path = join(data, "lineside.db");
  const database = new Database(path);
  database.run("BEGIN IMMEDIATE; COMMIT");
  const locks = () =>
    readFileSync("/proc/locks", "utf8")
      .split("\n")
      .filter((line) => line.includes(`:${statSync(path).ino} `)).length;
  const before = locks();
  expect(before).toBeGreaterThan(0);
  expect(headerProblem(path)).toBeUndefined();
  expect(locks()).toBe(before);
  database.close();
});

test("if one of two databases cannot be opened, the other's log is neither moved nor missed", () => {
  edit("identity.db", (bytes) => void bytes.fill(0, 4_096, 8_192));
  const log = readFileSync(join(data, "lineside.db-wal"));
  expect(() => openMainDatabases(data, ["lineside", "identity"], createLogger("test"))).toThrow(
    "identity.db cannot be opened",
  );
  Bun.gc(true);
  expect(readFileSync(join(data, "lineside.db-wal")).equals(log)).toBe(true);
  expect(walLossOf(join(data, "lineside.db"))).toBeUndefined();
});

test("a log whose index may not be opened does not make the database a damaged one", () => {
  const error = Object.assign(new Error("unable to open database file"), {
    name: "SQLiteError",
    code: "SQLITE_CANTOPEN",
  });
  expect(startProblem(error)).toEndWith("Check owner, permissions and links in the data directory.");
  rmSync(join(data, "lineside.db-shm"), { force: true });
  symlinkSync(join(data, "nowhere", "index"), join(data, "lineside.db-shm"));
  const opening = () => openVerifiedDatabases(data, ["lineside"], createLogger("test"));
  expect(opening).toThrow("unable to open database file");
  expect(opening).not.toThrow("set-aside");
});

test("a session file whose log is damaged is used as far as it goes, and the loss is listed", async () => {
  const { size } = statSync(join(data, "mqtt.db-wal"));
  writeFileSync(join(data, "mqtt.db-wal"), crypto.getRandomValues(new Uint8Array(size)));
  const fixture = await createTestApp({ directory: data });
  expect(fixture.app.health.problems().map(({ code }) => code)).toContain("storage.lost");
  await fixture.stop();
  const losses = readRecord(data)?.losses.map(inEnglish);
  expect(losses).toEqual([expect.stringMatching(/^mqtt.db-wal has 0 of /)]);
});

test("a session file with a damaged header is set aside, and the loss is listed", async () => {
  const bytes = edit("mqtt.db", flip(19));
  const fixture = await createTestApp({ directory: data });
  expect(fixture.app.health.problems().map(({ code }) => code)).toContain("storage.lost");
  await fixture.stop();
  expect(readFileSync(join(data, "set-aside", "mqtt.db.1")).equals(bytes)).toBe(true);
});
