import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parquetReadObjects } from "hyparquet";
import type { Target, UplinkRecord } from "../../../../../src/modules/uplinks/target.types.ts";
import type { ParquetSettings } from "../../../../../src/modules/uplinks/targets/parquet/parquet.schemas.ts";
import { createParquetTarget } from "../../../../../src/modules/uplinks/targets/parquet/parquet.target.ts";
import { encodeValues } from "../../../../../src/modules/uplinks/targets/parquet/parquet-file.ts";
import { S3Store } from "../../../../../src/modules/uplinks/targets/parquet/s3-store.ts";
import {
  decodeStaged,
  encodeStaged,
} from "../../../../../src/modules/uplinks/targets/parquet/staged-rows.ts";
import { signS3 } from "../../../../../src/platform/network/s3-bucket.ts";
import { createS3Server, hasS3Server, type S3Server } from "../../../../support/s3-server.ts";
import { until } from "../../../../support/until.ts";
import {
  batchOf,
  contextOf,
  deviceOf,
  eventsOf,
  failureOf,
  neverAborted,
  rowsOf,
} from "../../../../support/uplink-batches.ts";

const HOUR_MS = 3_600_000;
const T0 = Date.parse("2026-03-02T03:30:00.123Z");
const device = deviceOf({ tags: { line: "3" } });
const folder = mkdtempSync(join(tmpdir(), "lineside-parquet-"));
const closing: Array<() => unknown> = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Row = Record<string, unknown>;

const rowsOfFile = async (bytes: Uint8Array): Promise<Row[]> =>
  parquetReadObjects({
    file: Uint8Array.from(bytes).buffer,
    compressors: { ZSTD: (input) => Bun.zstdDecompressSync(Uint8Array.from(input)) },
  });

const ownFolder = () => mkdtempSync(join(folder, "place-"));
const settingsOf = (
  place: ParquetSettings["place"],
  changes: Partial<ParquetSettings> = {},
): ParquetSettings => ({
  type: "PARQUET",
  place,
  partition: "HOUR",
  rowsPerFile: 100_000,
  timeoutMs: 5_000,
  tls: null,
  ...changes,
});
function targetIn(
  path: string,
  changes: Partial<ParquetSettings> = {},
  setAside: (file: string) => void = () => undefined,
): Target {
  const settings = settingsOf({ kind: "FOLDER", path }, changes);
  const target = createParquetTarget(settings, { ...contextOf(), setAside });
  closing.push(() => target.close());
  return target;
}
const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(path, name), { throwIfNoEntry: false })?.isFile()) // one may just be renamed
    .sort();
async function valuesIn(path: string): Promise<Row[]> {
  const files = filesIn(path).filter((name) => name.startsWith("telemetry/") && name.endsWith(".parquet"));
  const rows = await Promise.all(files.map((name) => rowsOfFile(readFileSync(join(path, name)))));
  return rows.flat();
}
const send = (target: Target, id: string, ...records: UplinkRecord[]) =>
  target.send(batchOf(id, ...records), neverAborted());
const row = (key: string, ts: number, value: Row) => ({
  device: device.deviceId,
  name: "Pump 1",
  type: "pump",
  tags: '{"line":"3"}',
  key,
  ts: new Date(ts),
  ...{ number: null, boolean: null, text: null, json: null },
  ...value,
});

test("values of every type arrive exactly, in a folder for each hour", async () => {
  const path = ownFolder();
  const target = targetIn(path);
  await target.check(neverAborted());
  const ts = [T0, T0 + 1, T0 + HOUR_MS];
  const rows = rowsOf(device, ts, {
    temperature: [21.53, -0, Number.NaN],
    'odd "key"': [true, "two\nlines ✓", false],
    json: [{ a: [1, null] }, undefined, undefined],
  });
  await send(target, "1", rows);
  expect(target.bytesSent).toBeGreaterThan(0);
  expect(await valuesIn(path)).toEqual([]);
  await target.close();
  const names = filesIn(path).filter((name) => name.endsWith(".parquet"));
  expect(names.map((name) => name.slice(0, name.lastIndexOf("/")))).toEqual([
    "telemetry/site=Plant%20A/date=2026-03-02/hour=03",
    "telemetry/site=Plant%20A/date=2026-03-02/hour=04",
  ]);
  expect(await valuesIn(path)).toEqual([
    row("json", T0, { json: '{"a":[1,null]}' }),
    row('odd "key"', T0, { boolean: true }),
    row('odd "key"', T0 + 1, { text: "two\nlines ✓" }),
    row("temperature", T0, { number: 21.53 }),
    row("temperature", T0 + 1, { number: -0 }),
    row('odd "key"', T0 + HOUR_MS, { boolean: false }),
    row("temperature", T0 + HOUR_MS, { number: Number.NaN }),
  ]);
});

test("what is staged and what is in the file is what came, whatever it is", async () => {
  const value = fc.oneof(fc.constant(undefined), fc.double(), fc.boolean(), fc.string({ unit: "grapheme" }));
  const columns = fc.dictionary(
    fc.string({ minLength: 1 }),
    fc.array(value, { minLength: 30, maxLength: 30 }),
    {
      maxKeys: 5,
      noNullPrototype: true,
    },
  );
  await fc.assert(
    fc.asyncProperty(columns, async (values) => {
      const ts = Array.from({ length: 30 }, (_, index) => T0 + index * 7);
      const staged = decodeStaged(encodeStaged({ rows: [rowsOf(device, ts, values)], events: [] }));
      const stored = await rowsOfFile(await encodeValues([staged]));
      const expected = Object.keys(values)
        .sort()
        .flatMap((key) =>
          ts.flatMap((time, index) => {
            const item = values[key]?.[index];
            return item === undefined ? [] : [{ key, time, item }];
          }),
        );
      const actual = stored.map(({ key, ts: time, number, boolean, text }) => ({
        key,
        time: (time as Date).getTime(),
        item: number ?? boolean ?? text,
      }));
      expect(actual as unknown[]).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

test("a batch that comes again is stored once, before its file is written and after", async () => {
  const path = ownFolder();
  const first = batchOf("1", rowsOf(device, [T0, T0 + 1], { a: [1, 2] }));
  const second = batchOf("odd/id", rowsOf(device, [T0 + 1, T0 + 2], { a: [3, 4] }));
  const target = targetIn(path);
  for (const batch of [first, second, first]) await target.send(batch, neverAborted());
  await target.close();
  const before = filesIn(path);
  const again = targetIn(path);
  for (const batch of [first, second]) await again.send(batch, neverAborted());
  await again.close();
  expect(filesIn(path)).toEqual(before);
  // The later value of one timestamp is the one that is stored.
  expect((await valuesIn(path)).map(({ number }) => number)).toEqual([1, 3, 4]);
  await send(targetIn(path), "late", rowsOf(device, [T0 + 9], { a: [9] }));
  for (const close of closing.splice(0)) await close();
  expect((await valuesIn(path)).map(({ number }) => number).sort()).toEqual([1, 3, 4, 9]);
});

test("a staged batch that a full disk has cut holds up no others, and is stored when it comes again", async () => {
  const path = ownFolder();
  const reported: string[] = [];
  const target = targetIn(path, {}, (file) => reported.push(file));
  for (const index of [1, 2, 3]) await send(target, `${index}`, rowsOf(device, [T0 + index], { a: [index] }));
  const cut = filesIn(path).find((name) => name.includes("/2~")) ?? "";
  writeFileSync(join(path, cut), readFileSync(join(path, cut)).subarray(0, 40));
  await target.close();
  const numbers = async () => (await valuesIn(path)).map(({ number }) => number).sort();
  expect(await numbers()).toEqual([1, 3]);
  const damaged = filesIn(path).filter((name) => name.endsWith(".damaged"));
  expect(damaged.length).toBe(1);
  expect(reported).toEqual(damaged);
  const again = targetIn(path);
  await send(again, "2", rowsOf(device, [T0 + 2], { a: [2] }));
  await again.close();
  expect(await numbers()).toEqual([1, 2, 3]);
});

test("a staged batch that somebody else has put there is not unpacked beyond its limit", async () => {
  const path = ownFolder();
  const target = targetIn(path);
  await send(target, "1", rowsOf(device, [T0], { a: [1] }));
  const name = filesIn(path).find((file) => file.endsWith(".staged")) ?? "";
  const bomb = Bun.zstdCompressSync(Buffer.alloc(256 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(64 * 1024);
  expect(() => decodeStaged(bomb)).toThrow("larger than");
  const nested = "[".repeat(2_000_000) + "]".repeat(2_000_000);
  const head = Buffer.concat([Buffer.alloc(4), Buffer.from(nested)]);
  head.writeUInt32LE(nested.length);
  expect(() => decodeStaged(Bun.zstdCompressSync(head))).toThrow();
  writeFileSync(join(path, name), bomb);
  await target.close();
  expect(filesIn(path).filter((file) => file.endsWith(".parquet"))).toEqual([]);
  expect(filesIn(path).filter((file) => file.endsWith(".damaged")).length).toBe(1);
});

test("batches with much text become several files, and none is lost or stored twice", async () => {
  const path = ownFolder();
  const target = targetIn(path);
  const text = "x".repeat(60_000);
  for (const batch of [0, 1, 2, 3, 4]) {
    const ts = Array.from({ length: 150 }, (_, index) => T0 + batch * 1_000 + index);
    await send(target, `${batch}`, rowsOf(device, ts, { a: ts.map((time) => `${time} ${text}`) }));
  }
  await target.close();
  const files = filesIn(path).filter((name) => name.endsWith(".parquet"));
  expect(files.length).toBeGreaterThan(1);
  const stored = (await valuesIn(path)).map(({ text: found }) => String(found).slice(0, 13));
  expect(new Set(stored).size).toBe(750);
  expect(stored.length).toBe(750);
  expect(filesIn(path).filter((name) => name.endsWith(".staged"))).toEqual([]);
});

test("a file is written when enough values wait, or when its day is over and nothing comes any more", async () => {
  const path = ownFolder();
  const target = createParquetTarget(
    settingsOf({ kind: "FOLDER", path }, { partition: "DAY", rowsPerFile: 1_000 }),
    contextOf(),
    { tickMs: 10, graceMs: 50 },
  );
  closing.push(() => target.close());
  const now = Date.now();
  const many = Array.from({ length: 1_200 }, (_, index) => now + index);
  await send(target, "many", rowsOf(device, many, { a: many }));
  expect((await valuesIn(path)).length).toBe(1_200);
  await send(target, "few", rowsOf(device, [T0, now], { a: [1, 2] }));
  await until(async () => (await valuesIn(path)).length === 1_201);
  const days = filesIn(path).filter((name) => name.includes("date=2026-03-02/") && name.endsWith(".parquet"));
  expect(days.length).toBe(1);
  // The staged rows are removed when the file is there.
  await until(() => filesIn(path).filter((name) => name.endsWith(".staged")).length === 1);
});

test("everything but values is an event, also a deletion", async () => {
  const path = ownFolder();
  const target = targetIn(path);
  const deletion = { kind: "deletion", device, keys: ["a"], from: 5, to: T0 } as const;
  await send(target, "1", ...eventsOf(device, T0 + 1), deletion);
  await target.close();
  const [name = ""] = filesIn(path).filter((file) =>
    file.startsWith("events/site=Plant%20A/date=2026-03-02/"),
  );
  const stored = await rowsOfFile(readFileSync(join(path, name)));
  expect(stored.map(({ kind, ts }) => [kind, (ts as Date).getTime()])).toEqual([
    ["deletion", T0],
    ["device", T0 + 1],
    ["attributes", T0 + 1],
    ["alarm", T0 + 1],
  ]);
  expect(JSON.parse(String(stored[0]?.data))).toMatchObject({
    kind: "deletion",
    keys: ["a"],
    from: 5,
    to: T0,
  });
});

test("a folder that is missing is waited for, and one that cannot be used is an error of the settings", async () => {
  const missing = targetIn(join(folder, "unplugged"));
  expect(await failureOf(missing.check(neverAborted()))).toEqual({
    reaction: "retry",
    message: expect.stringContaining("does not exist"),
  });
  expect((await failureOf((async () => targetIn("relative/path"))())).reaction).toBe("settings");
});

test("nothing is lost or doubled when the gateway is killed while it sends and writes files", async () => {
  const path = ownFolder();
  const LAST = 59;
  const script = join(import.meta.dir, "../../../../support/parquet-sender-child.ts");
  let next = 0;
  for (let round = 0; next <= LAST; round++) {
    const child = Bun.spawn([process.execPath, script, path, `${next}`, `${LAST}`], { stderr: "inherit" });
    closing.push(() => child.kill("SIGKILL"));
    let output = "";
    for await (const chunk of child.stdout) {
      output += new TextDecoder().decode(chunk);
      // Files are written while the tenth batch is taken.
      if (round < 5 && output.split("\n").length > 8 + round) child.kill("SIGKILL");
    }
    const confirmed = output.split("\n").filter((line) => line !== "");
    // The batch before was confirmed, and the gateway did not come to remember it.
    if (confirmed.length > 0) next = Number(confirmed.at(-1)) + (round < 5 ? 0 : 1);
  }
  const numbers = (await valuesIn(path)).map(({ number }) => Number(number)).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: (LAST + 1) * 100 }, (_, index) => index));
  expect(filesIn(path).filter((name) => name.endsWith(".staged"))).toEqual([]);
});

// Examples of the documentation of S3: s3rver does not verify such signatures.
const documented: Array<[query: Record<string, string>, signature: string]> = [
  [{ lifecycle: "" }, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
  [{ prefix: "J", "max-keys": "2" }, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
];
test.each(documented)("a request to S3 with %j has the signature that is documented", (query, signature) => {
  const request = {
    method: "GET",
    host: "examplebucket.s3.amazonaws.com",
    path: "/",
    query,
    body: new Uint8Array(),
  };
  const credentials = {
    region: "us-east-1",
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  };
  const { authorization } = signS3(request, credentials, Date.UTC(2013, 4, 24));
  expect(authorization).toEndWith(`Signature=${signature}`);
});

describe.skipIf(!hasS3Server)("an S3-compatible server", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await createS3Server("plant");
  });
  afterAll(() => server?.stop());

  const placeWith = (changes: Partial<Extract<ParquetSettings["place"], { kind: "S3" }>> = {}) =>
    ({
      kind: "S3",
      endpoint: `http://127.0.0.1:${server.port}`,
      region: "us-east-1",
      bucket: "plant",
      prefix: "gateway (07)/",
      accessKeyId: "S3RVER",
      secretAccessKey: "S3RVER",
      ...changes,
    }) as const;
  function targetAt(place: ParquetSettings["place"]): Target {
    const target = createParquetTarget(settingsOf(place), contextOf());
    closing.push(() => target.close());
    return target;
  }

  test("has the files under their names, also when it is killed meanwhile", async () => {
    const target = targetAt(placeWith());
    await target.check(neverAborted());
    for (let number = 0; number < 12; number++) {
      const batch = batchOf(`${number}`, rowsOf(device, [T0 + number], { a: [number] }));
      const sending = failureOf(target.send(batch, neverAborted()));
      if (number === 6) {
        await server.kill();
        await sending;
        expect((await failureOf(target.send(batch, neverAborted()))).reaction).toBe("retry");
        await server.start();
        await target.send(batch, neverAborted());
      } else expect((await sending).reaction).toBe("none");
    }
    await target.close();
    const store = new S3Store(placeWith(), { tls: null, timeoutMs: 5_000, context: contextOf() });
    closing.push(() => store.close());
    const names = await store.list("telemetry/", neverAborted());
    expect(names.length).toBe(1);
    expect(names[0]).toStartWith("telemetry/site=Plant%20A/date=2026-03-02/hour=03/");
    const rows = await rowsOfFile(await store.read(names[0] ?? "", neverAborted()));
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, index) => index));
  });

  test("that refuses key or bucket is an error of the settings", async () => {
    const cases = [
      [{ accessKeyId: "nobody" }, "The AWS Access Key Id you provided does not exist in our records."],
      [{ bucket: "nowhere" }, "The specified bucket does not exist"],
    ] as const;
    for (const [changes, message] of cases) {
      const failure = await failureOf(targetAt(placeWith(changes)).check(neverAborted()));
      expect(failure).toEqual({ reaction: "settings", message: expect.stringContaining(message) });
    }
  });
});
