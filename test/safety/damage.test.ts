/*
 * Damages every file of a data directory in every way, after the gateway that wrote it was killed. Each acknowledged value has to be there
 * afterwards, or its loss has to be named: by a start that refuses, or as a problem of the gateway within 10 s.
 *
 * LINESIDE_DAMAGE_CASES=all runs all cases (some minutes), otherwise a sample of each file's; LINESIDE_SEED selects another sample.
 */
import { Database, SQLiteError } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "../../src/lib/data/random.ts";
import { isDamage } from "../../src/platform/database/database-check.ts";
import { StartupError } from "../../src/platform/process/startup-error.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const MESSAGES = 40;
const NAMED_WITHIN_MS = 10_000;
const CASES_PER_FILE = 3;
const root = mkdtempSync(join(tmpdir(), "lineside-damage-"));
/** As the kill left it, and as it was one start earlier. */
const killed = join(root, "killed");
const older = join(root, "older");
/** Values that were acknowledged: device id → time → value. */
const acknowledged = new Map<string, Map<number, number>>();
/** Newest attribute that was acknowledged: device id → value. */
const attributes = new Map<string, number>();
/** Sealings after the last start: without a checkpoint, their blocks lie in the write-ahead log alone, since the files of the hot log are used again. */
const SEALINGS = 4;
const firstTime = Date.now() - 3_600_000;

type Fault = readonly [name: string, damage: (path: string) => void];

function edit(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}

const flip = (offset: number, bit: number): Fault => [
  `bit ${bit} of byte ${offset} flipped`,
  (path) =>
    edit(path, (bytes) => {
      const index = Math.min(offset, bytes.length - 1);
      bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
    }),
];

function faultsOf(file: string): Fault[] {
  const { size } = statSync(join(killed, file));
  const pages = Math.ceil(size / 4_096);
  const cuts = new Set(
    [1, 31, 32, 33, size >> 1, size - 1, (size >> 13) << 12].filter((length) => length > 0 && length < size),
  );
  const zeroed = new Set([0, 1, pages >> 1, pages - 1].filter((page) => page >= 0 && page < pages));
  const old = join(older, file);
  return [
    ["deleted", (path) => rmSync(path)],
    ["empty", (path) => truncateSync(path, 0)],
    ...[...cuts].map((length): Fault => [`cut at ${length}`, (path) => truncateSync(path, length)]),
    ...[...zeroed].map(
      (page): Fault => [
        `page ${page} zeroed`,
        (path) => edit(path, (bytes) => void bytes.subarray(page * 4_096, (page + 1) * 4_096).fill(0)),
      ],
    ),
    ...[3, 20, 27, 100, 4_100, size >> 1, size - 5]
      .filter((offset) => offset < size)
      .map((offset) => flip(offset, offset % 8)),
    ...(existsSync(old)
      ? [["swapped with an older generation", (path: string) => cpSync(old, path)] as Fault]
      : []),
  ];
}

/** Faults of several files at once, by the names of the files. */
const pairs: readonly (readonly [name: string, (data: string) => void])[] = [
  ...["lineside.db", "identity.db", "telemetry.db"].map(
    (file) =>
      [
        `half of ${file}-wal, without its position`,
        (data: string) => {
          const wal = join(data, `${file}-wal`);
          truncateSync(wal, statSync(wal).size >> 1);
          rmSync(join(data, `${file}-synced`));
        },
      ] as const,
  ),
  [
    "hot log and its position, from an older generation",
    (data) => {
      for (const name of readdirSync(older).filter((file) => /^telemetry\.db-(hot\d+|position)$/.test(file)))
        cpSync(join(older, name), join(data, name));
    },
  ],
  ...["lineside.db", "identity.db", "telemetry.db"].map(
    (file) =>
      [
        `${file} and the inventory, from an older generation`,
        (data: string) => {
          for (const suffix of ["-wal", "-shm", "-synced"])
            rmSync(join(data, file + suffix), { force: true });
          for (const name of [file, "inventory.json"]) cpSync(join(older, name), join(data, name));
        },
      ] as const,
  ),
];

/** Files of the directory that the gateway wrote, secrets included. */
const files = () =>
  [...readdirSync(killed), ...readdirSync(join(killed, "secrets")).map((name) => `secrets/${name}`)].filter(
    (name) => !/-shm$|^ballast$|\.lock$|^secrets$/.test(name) && statSync(join(killed, name)).isFile(),
  );

async function send(
  fixture: TestApp,
  devices: readonly { deviceId: string; token: string }[],
): Promise<void> {
  for (const { deviceId, token } of devices) {
    const values = acknowledged.get(deviceId) ?? new Map<number, number>();
    acknowledged.set(deviceId, values);
    for (let index = 0; index < MESSAGES; index++) {
      const ts = firstTime + values.size * 1_000;
      const { status } = await fixture.call("POST", `/api/v1/${token}/telemetry`, {
        body: { ts, values: { level: values.size, text: "x".repeat(200) } },
      });
      if (status === 200) values.set(ts, values.size);
    }
    const response = await fixture.call("POST", `/api/v1/${token}/attributes`, {
      body: { count: values.size },
    });
    if (response.status === 200) attributes.set(deviceId, values.size);
  }
}

beforeAll(async () => {
  const data = join(root, "data");
  let fixture = await createTestApp({ directory: data });
  const { token } = await fixture.signIn("TENANT_OWNER");
  const devices = [await fixture.createDevice(token), await fixture.createDevice(token)];
  await send(fixture, devices);
  await fixture.app.services.store.compact();
  await send(fixture, devices);
  await fixture.stop();
  cpSync(data, older, { recursive: true });
  fixture = await createTestApp({ directory: data });
  await until(() => readFileSync(join(data, "inventory.json"), "utf8").includes('"generation": 2'));
  for (let sealing = 0; sealing < SEALINGS; sealing++) {
    await send(fixture, devices);
    await fixture.app.services.store.compact();
  }
  await send(fixture, devices);
  cpSync(data, killed, { recursive: true }); // nothing is being written: what a kill leaves
  await fixture.stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Outcome {
  readonly missing: number;
  readonly wrong: number;
  /** Sentence of the refusal, or codes of the problems. */
  readonly named: string;
}

async function readBack(fixture: TestApp): Promise<{ missing: number; wrong: number }> {
  let [missing, wrong] = [0, 0];
  for (const [deviceId, values] of acknowledged) {
    const query = {
      deviceIds: [deviceId as never], // any string is an id
      keys: ["level"],
      from: firstTime - 1,
      to: Date.now() + 1_000,
      aggregation: "none",
      maxDataPoints: 100_000,
    } as const;
    // A read that fails loses all values of its device for now.
    const [response] = await fixture.app.services.store.query(query).catch(() => []);
    const points = new Map([...(response?.series[0]?.points ?? [])].map(({ ts, value }) => [ts, value]));
    for (const [ts, value] of values)
      if (!points.has(ts)) missing++;
      else if (points.get(ts) !== value) wrong++;
    for (const ts of points.keys()) if (!values.has(ts)) wrong++;
  }
  const database = new Database(join(fixture.directory, "lineside.db"), { readonly: true });
  const attribute = database.query<{ value: string }, [string]>(
    "SELECT value FROM attributes WHERE device_id = ? AND scope = 'CLIENT' AND key = 'count'",
  );
  for (const [deviceId, value] of attributes)
    if (attribute.get(deviceId)?.value !== JSON.stringify(value)) missing++;
  database.close();
  return { missing, wrong };
}

/** Codes that say that something is lost, damaged or in doubt. */
const NAMES = /^(storage\.(lost|damaged|unknown_devices)|system\.clock_)/;

async function start(data: string, waitMs = NAMED_WITHIN_MS): Promise<Outcome> {
  let fixture: TestApp;
  try {
    fixture = await createTestApp({ directory: data });
  } catch (error) {
    const isDamaged = error instanceof SQLiteError && isDamage(error); // the command says so in one sentence
    if (!(error instanceof StartupError) && !isDamaged) throw error;
    return { missing: -1, wrong: 0, named: String(error) };
  }
  try {
    const found = await readBack(fixture);
    const codes = () => fixture.app.health.problems().flatMap(({ code }) => (NAMES.test(code) ? [code] : []));
    const deadline = performance.now() + waitMs;
    if (found.missing > 0) await until(() => codes().length > 0 || performance.now() > deadline);
    return { ...found, named: codes().join(" ") };
  } finally {
    await fixture.stop();
  }
}

const isAll = process.env.LINESIDE_DAMAGE_CASES === "all";

test.each(pairs)("%s: no loss in silence", async (_, damage) => {
  const data = mkdtempSync(join(root, "pair-"));
  cpSync(killed, data, { recursive: true });
  damage(data);
  const { missing, wrong, named } = await start(data);
  expect([wrong, named === "" ? missing : 0]).toEqual([0, 0]);
  expect(missing !== 0 || named !== "").toBe(true);
});

test("no damage of any file loses an acknowledged value in silence", async () => {
  const random = createRandom(Number(process.env.LINESIDE_SEED ?? 1));
  const counts = { cases: 0, whole: 0, named: 0, refused: 0 };
  const silent: string[] = [];
  for (const file of files()) {
    const all = faultsOf(file);
    const chosen = isAll ? all : all.toSorted(() => random() - 0.5).slice(0, CASES_PER_FILE);
    for (const [name, damage] of chosen) {
      const data = mkdtempSync(join(root, "case-"));
      cpSync(killed, data, { recursive: true });
      damage(join(data, file));
      const { missing, wrong, named } = await start(data);
      counts.cases++;
      if (missing === -1) counts.refused++;
      else if (missing > 0) counts.named++;
      else counts.whole++;
      const isSilent = wrong > 0 || (missing !== 0 && named === "");
      if (isSilent) silent.push(`${file} ${name}: ${missing} missing, ${wrong} wrong`);
      rmSync(data, { recursive: true, force: true });
    }
  }
  console.log("damage:", JSON.stringify(counts));
  expect(silent).toEqual([]);
  expect(counts.refused + counts.named).toBeGreaterThan(0);
}, 900_000);

test("control: values that were never stored are found missing", async () => {
  const values = acknowledged.values().next().value;
  values?.set(firstTime - 1_000, 1);
  const data = join(root, "control");
  cpSync(killed, data, { recursive: true });
  const { missing, wrong } = await start(data, 0);
  expect([missing, wrong]).toEqual([1, 0]);
  values?.delete(firstTime - 1_000);
});
