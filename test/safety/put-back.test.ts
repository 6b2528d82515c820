/*
 * Damages a database of a gateway that was killed, lets the gateway or a command meet it, and puts the right file back. A gateway or command
 * that refuses has changed nothing, and with the right file nothing is missing and no loss is listed.
 *
 * LINESIDE_DAMAGE_CASES=all runs all cases (some minutes), otherwise a sample; LINESIDE_SEED selects another sample.
 */
import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, mock, spyOn, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkDatabases } from "../../src/cli/check-databases.ts";
import { backupCommand } from "../../src/cli/commands/backup.ts";
import { checkCommand } from "../../src/cli/commands/check.ts";
import { keysCommand } from "../../src/cli/commands/keys.ts";
import { supportBundleCommand } from "../../src/cli/commands/support-bundle.ts";
import { userCommand } from "../../src/cli/commands/user.ts";
import { inEnglish } from "../../src/lib/core/domain-error.ts";
import { createRandom } from "../../src/lib/data/random.ts";
import { DATABASE_FILES } from "../../src/platform/files/inventory.ts";
import { readRecord } from "../../src/platform/files/inventory-record.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const PAGE_BYTES = 2_048;
const ATTRIBUTES = 40;
const root = mkdtempSync(join(tmpdir(), "lineside-put-back-"));
const killed = join(root, "killed");
const isAll = process.env.LINESIDE_DAMAGE_CASES === "all";
const random = createRandom(Number(process.env.LINESIDE_SEED ?? 1));
let device: { deviceId: string; token: string };

const flip =
  (offset: number, bit = 0) =>
  (bytes: Buffer) => {
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
    return bytes;
  };
const zero = (page: number) => (bytes: Buffer) => bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);

/** Returns the content of a damaged file. */
const faults: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  "is empty": () => Buffer.alloc(0),
  "has its first page zeroed": zero(0),
  "has a page in the middle zeroed": (bytes) => zero(Math.floor(bytes.length / PAGE_BYTES / 2))(bytes),
  "has its second page zeroed": (bytes) => bytes.fill(0, 4_096, 8_192),
  "has byte 0 flipped": flip(0),
  "has byte 18 flipped": flip(18),
  "has bit 7 of byte 18 flipped": flip(18, 7),
  "has byte 19 flipped": flip(19),
  "has byte 105 flipped": flip(105, 3),
  "has random bytes": (bytes) => Buffer.from(bytes.map(() => random() * 256)),
  "is all zeros": (bytes) => bytes.fill(0),
  "is cut to one byte": (bytes) => bytes.subarray(0, 1),
  "is cut to its half": (bytes) => bytes.subarray(0, bytes.length >> 1),
};

/** Commands, which return an exit code or throw. */
const commands: Readonly<Record<string, (data: string) => Promise<number>>> = {
  start: async (data) => {
    await (await createTestApp({ directory: data })).stop();
    return 0;
  },
  check: (data) => checkCommand(["--data", data]),
  backup: (data) => backupCommand(["--to", `${data}-backups`, "--data", data]),
  "support-bundle": (data) => supportBundleCommand(["--to", `${data}.tar.gz`, "--data", data]),
  "user list": (data) => userCommand(["list", "--data", data]),
  "keys rotate": (data) => keysCommand(["rotate", "--data", data]),
};
/** Commands that change nothing, whatever they find. */
const readers = ["check", "support-bundle"];

/** Returns all files but SQLite's index of a log, locks, and logs that hold nothing. */
function filesOf(data: string): Map<string, Buffer> {
  Bun.gc(true); // a database that was left open is closed by it
  const entries = readdirSync(data, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !/-shm$|\.lock(-journal)?$|^ballast$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const contents = files.sort().map((path) => [path.slice(data.length + 1), readFileSync(path)] as const);
  return new Map(contents.filter(([name, bytes]) => !name.endsWith("-wal") || bytes.length > 0));
}

/** Returns the names of files that differ. A start that fails late has noted the time, and may have added to a log. */
function changesOf(before: Map<string, Buffer>, after: Map<string, Buffer>, isStart: boolean): string[] {
  const isKept = (name: string) => {
    const [old, now] = [before.get(name), after.get(name)];
    if (isStart && name === "clock") return true;
    return (
      old !== undefined &&
      now?.subarray(0, isStart && name.endsWith("-wal") ? old.length : undefined).equals(old)
    );
  };
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => !isKept(name));
}

async function sendAttributes({ call }: TestApp, count: number): Promise<void> {
  const { status } = await call("POST", `/api/v1/${device.token}/attributes`, { body: { count } });
  expect(status).toBe(200);
}

beforeAll(async () => {
  const data = join(root, "data");
  let fixture = await createTestApp({ directory: data });
  const { token } = await fixture.signIn("TENANT_OWNER");
  device = await fixture.createDevice(token);
  await sendAttributes(fixture, 0);
  await fixture.stop();
  fixture = await createTestApp({ directory: data });
  await until(() => readRecord(data)?.isAdvancing === false);
  for (let count = 1; count <= ATTRIBUTES; count++) await sendAttributes(fixture, count);
  await fixture.app.services.store.compact();
  cpSync(data, killed, { recursive: true }); // nothing is being written: what a kill leaves
  await fixture.stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(root, "case-"));
  cpSync(killed, data, { recursive: true });
  for (const method of ["log", "error"] as const) spyOn(console, method).mockImplementation(() => undefined);
});
afterEach(() => {
  mock.restore();
  rmSync(data, { recursive: true, force: true });
});

/** Starts the gateway, and returns what is wrong. */
async function problemsOf(): Promise<string[]> {
  let fixture: TestApp;
  try {
    fixture = await createTestApp({ directory: data });
  } catch (error) {
    return [String(error)];
  }
  const database = new Database(join(data, "lineside.db"), { readonly: true });
  const attribute = "SELECT value FROM attributes WHERE device_id = ? AND scope = 'CLIENT' AND key = 'count'";
  const found = database.query<{ value: string }, [string]>(attribute).get(device.deviceId)?.value;
  database.close();
  const { status } = await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  const losses = readRecord(data)?.losses.map(inEnglish) ?? ["no inventory"];
  await fixture.stop();
  return [
    ...losses,
    ...(found === String(ATTRIBUTES) ? [] : [`the newest attribute is ${found}`]),
    ...(status === 200 ? [] : [`the device is refused with ${status}`]),
  ];
}

const all = Object.keys(commands).flatMap((command) =>
  DATABASE_FILES.flatMap((file) => {
    const names = Object.keys(faults);
    const chosen = isAll ? names : names.toSorted(() => random() - 0.5).slice(0, 1);
    return chosen.map((fault) => [command, file, fault] as const);
  }),
);

test.each(all)("%s, if %s %s: nothing is lost once the right file is back", async (command, file, fault) => {
  const path = join(data, file);
  const right = readFileSync(path);
  writeFileSync(path, faults[fault]?.(Buffer.from(right)) ?? right);
  const before = filesOf(data);
  const isRefused = await commands[command]?.(data).then(
    (code) => code !== 0,
    () => true,
  );
  if (isRefused || readers.includes(command))
    expect(changesOf(before, filesOf(data), command === "start")).toEqual([]);
  else if (command === "start") {
    // Damage that is served around is found by the check, other damage is listed as a loss. A page whose newer copy is in the log does not count as damaged.
    const found = checkDatabases(data).flatMap(({ problems }) => problems);
    const named = [...found, ...(readRecord(data)?.losses ?? [])];
    if (named.length === 0) expect(await problemsOf()).toEqual([]);
    return;
  }
  writeFileSync(path, right);
  expect(await problemsOf()).toEqual([]);
});

test("control: a log that a command moved into a damaged file is missed", async () => {
  rmSync(join(data, "lineside.db-wal"));
  expect(await problemsOf()).not.toEqual([]);
});
