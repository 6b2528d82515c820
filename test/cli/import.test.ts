import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { importCommand } from "../../src/cli/commands/import.ts";
import { StartupError } from "../../src/platform/process/startup-error.ts";
import { importParts } from "../../src/web/features/telemetry/file-chunks.ts";
import { PASSWORD } from "../support/test-app.ts";
import { type Gateway, OWNER, startGateway } from "./site-fixture.ts";

let gateway: Gateway;
let directory: string;
let number = 0;

beforeAll(async () => {
  gateway = await startGateway();
  directory = mkdtempSync(join(tmpdir(), "lineside-import-"));
});
afterAll(async () => {
  await gateway.fixture.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Outcome {
  /** What is stored, as NDJSON. */
  readonly stored: string;
  /** Reasons of the first refused rows, with their numbers. */
  readonly errors: readonly string[];
  readonly refusal: string | undefined;
}

async function storedOf(deviceId: string): Promise<string> {
  const { text } = await gateway.call("GET", `/api/devices/${deviceId}/telemetry/export?format=ndjson`);
  return text;
}

const newDevice = async () =>
  (await gateway.call("POST", "/api/devices", { name: `http ${++number}`, deviceType: "imported" })).body
    .deviceId;

type Answer = {
  errors?: { row: number; message: string }[];
  message?: string;
  rows: number;
  lastTs?: number;
};

async function send(
  deviceId: string,
  query: Record<string, string>,
  body: Uint8Array,
  type = "text/csv",
): Promise<{ status: number; body: Answer }> {
  const path = `/api/devices/${deviceId}/telemetry/import?${new URLSearchParams(query)}`;
  const response = await gateway.fixture.call("POST", path, {
    token: gateway.token,
    raw: body,
    headers: { "content-type": type },
  });
  return response as never;
}

const linesOf = ({ errors = [] }: Answer, shift = 0) =>
  errors.slice(0, 20).map(({ row, message }) => `row ${row + shift}: ${message}`);

async function byHttp(file: Uint8Array, query: Record<string, string>, type?: string): Promise<Outcome> {
  const deviceId = await newDevice();
  const { status, body } = await send(deviceId, query, file, type);
  const refusal = status === 200 ? undefined : body.message;
  return { stored: await storedOf(deviceId), errors: linesOf(body), refusal };
}

/** Sends the file in parts, as the console does. */
async function byParts(file: Uint8Array, query: Record<string, string>): Promise<Outcome> {
  const deviceId = await newDevice();
  const sizes = { partBytes: 40_000, sampleLines: 1_200, sampleBytes: 1_200_000 };
  const errors: string[] = [];
  let [rows, sampleRows, previousTs] = [0, 0, ""];
  const stream = new Blob([file as Uint8Array<ArrayBuffer>]);
  for await (const part of importParts(stream, "csv", sizes)) {
    const repeated = part.hasSample ? { skipRows: String(sampleRows), previousTs } : {};
    const { status, body } = await send(
      deviceId,
      { ...query, ...repeated },
      new Uint8Array(await part.body.arrayBuffer()),
    );
    if (status !== 200) return { stored: await storedOf(deviceId), errors, refusal: body.message };
    errors.push(...linesOf(body, part.hasSample ? rows - sampleRows : 0));
    if (!part.hasSample) sampleRows = body.rows;
    rows += body.rows;
    previousTs = String(body.lastTs);
  }
  return { stored: await storedOf(deviceId), errors: errors.slice(0, 20), refusal: undefined };
}

async function byCommand(
  file: Uint8Array,
  args: readonly string[],
  ending = "csv",
): Promise<Outcome & { code: number }> {
  const name = `cli ${++number}`;
  const path = join(directory, `${number}.${ending}`);
  writeFileSync(path, file);
  const [log, error] = [spyOn(console, "log").mockReturnValue(), spyOn(console, "error").mockReturnValue()];
  const access = ["--url", gateway.fixture.app.url, "--email", OWNER, "--password", PASSWORD];
  let code = 1;
  let refusal: string | undefined;
  try {
    code = await importCommand([path, "--device", name, ...access, ...args]);
  } catch (caught) {
    if (!(caught instanceof StartupError)) throw caught;
    refusal = caught.message.replace(`${number}.${ending}: `, "");
  }
  const errors = error.mock.calls.map(([line]) => String(line).replace(`${number}.${ending}, `, ""));
  log.mockRestore();
  error.mockRestore();
  const [device] = (await gateway.call("GET", `/api/devices?search=${encodeURIComponent(name)}`)).body;
  return { stored: device === undefined ? "" : await storedOf(device.deviceId), errors, refusal, code };
}

const T0 = Date.UTC(2025, 9, 25, 12);
const wall = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "Europe/Berlin",
  dateStyle: "short",
  timeStyle: "medium",
});
const german = (ts: number) => wall.format(ts).replace(/^(\d+)-(\d+)-(\d+)/, "$3.$2.$1");
const timeForms: ReadonlyArray<(ts: number) => string> = [
  (ts) => String(ts),
  (ts) => String(ts / 1_000),
  (ts) => String(BigInt(ts) * 1_000_000n),
  (ts) => new Date(ts).toISOString(),
  (ts) => wall.format(ts),
  german,
  (ts) => wall.format(ts).replace(/^(\d+)-(\d+)-(\d+)/, "$2/$3/$1"),
];
const columns: ReadonlyArray<(row: number, sign: string) => string> = [
  (row, sign) => (row / 8).toFixed(2).replace(".", sign),
  (row) => String(row),
  (row) => (row % 7 === 0 ? "NA" : String(row % 100)),
  (row) => ["on", "off", "unknown"][row % 3] ?? "",
  (row) => String(row).padStart(5, "0"),
  (row) => `${row % 100} %`,
  (row) => (row % 5 === 0 ? "" : `Größe ${row % 4}`),
  (row) => String(9007199254740990n + BigInt(row)),
  (row, sign) => (row % 50 === 3 ? "12,3abc" : `1${sign === "," ? "." : ","}234${sign}5`),
];

const files = fc.record({
  timeOf: fc.constantFrom(...timeForms),
  columns: fc.uniqueArray(fc.constantFrom(...columns), { minLength: 1, maxLength: 4 }),
  delimiter: fc.constantFrom(",", ";", "\t", "|"),
  end: fc.constantFrom("\n", "\r\n"),
  encoding: fc.constantFrom("utf8" as const, "latin1" as const),
  rows: fc.constantFrom(30, 1_500, 4_000),
  /** Rows whose time is none, whose cells are too many, or which repeat the one before. */
  faults: fc.array(fc.tuple(fc.nat(3_999), fc.constantFrom("time", "cells", "repeat", "blank")), {
    maxLength: 5,
  }),
});

test("the command, the API and the console read any file as the same, and say the same", async () => {
  await fc.assert(
    fc.asyncProperty(files, async ({ timeOf, columns: kinds, delimiter, end, encoding, rows, faults }) => {
      const sign = delimiter === "," ? "." : ",";
      const faultOf = new Map(faults);
      const lines = Array.from({ length: rows }, (_, row) => {
        const cells = [timeOf(T0 + row * 300_000), ...kinds.map((cell) => cell(row, sign))];
        const fault = faultOf.get(row);
        if (fault === "time") cells[0] = "20240101";
        if (fault === "cells") cells.push("x");
        const line = cells.map((cell) => (cell.includes(delimiter) ? `"${cell}"` : cell)).join(delimiter);
        return fault === "blank" ? `${end}${line}` : fault === "repeat" ? `${line}${end}${line}` : line;
      });
      const header = ["Zeit", ...kinds.map((_, index) => `Spalte ä${index}`)].join(delimiter);
      const file = Buffer.from(`${header}${end}${lines.join(end)}${end}`, encoding);
      const http = await byHttp(file, { timezone: "Europe/Berlin" });
      expect(await byParts(file, { timezone: "Europe/Berlin" })).toEqual(http);
      const { code, ...command } = await byCommand(file, ["--timezone", "Europe/Berlin"]);
      expect(command).toEqual(http);
      expect(code).toBe(http.errors.length === 0 && http.refusal === undefined ? 0 : 1);
      expect(http.stored.length).toBeGreaterThan(rows);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["Date,kWh\n11/12/2023 00:00,1\n10/12/2023 00:00,4\n", {}, []],
  ["serial,kWh\n1234567890,1\n1234567890,2\n", {}, []],
  ["ts,t,t\n2024-01-01 00:00:00,1,2\n", {}, []],
  ["a,b\n2024-01-01,1\n", { timeColumn: "c" }, ["--time", "c"]],
  ["a,b\n5,2024-01-01\n", { timeColumn: "b" }, ["--time", "b"]],
  ["Date,kWh\n11/12/2023 00:00,1\n", { dates: "day-first" }, ["--dates", "day-first"]],
  ["ts,a\n2024-01-01,1\n", { skipColumns: "a" }, ["--skip", "a"]],
  ["PK\u0003\u0004", {}, []],
] as const)("%j is answered alike", async (text, query, args) => {
  const file = Buffer.from(text);
  const http = await byHttp(file, query);
  const { code: _, ...command } = await byCommand(file, args);
  expect(command).toEqual(http);
  expect(await byParts(file, query)).toEqual(http);
});

const ndjsonLines: Record<string, string> = {
  usual: '{"ts":1704067200000,"values":{"t":1.5,"big":9007199254740993}}',
  blank: "",
  list: '[{"ts":1704067260000,"values":{"t":2}},{"ts":1704067320000,"values":{"t":3}}]',
  broken: '{"ts":1704067200000,',
  timeless: '{"t":1}',
  early: '{"ts":5,"values":{"t":1}}',
};
test.each([
  ["lines of all kinds", Object.values(ndjsonLines).join("\n")],
  ["a file without lines", "\n\n"],
  ["more lines than a request has", `${ndjsonLines.usual}\n\n`.repeat(1_499) + ndjsonLines.broken],
  ["Windows line ends and a byte order mark", `\ufeff${ndjsonLines.usual}\r\n${ndjsonLines.list}\r\n`],
])("the command and the API read NDJSON as the same: %s", async (_, text) => {
  const file = Buffer.from(text);
  const http = await byHttp(file, {}, "application/x-ndjson");
  const { code, ...command } = await byCommand(file, [], "ndjson");
  expect(command).toEqual(http);
  expect(code).toBe(http.errors.length === 0 ? 0 : 1);
});

test("options for CSV are refused for NDJSON, before anything is imported", async () => {
  const [csv, ndjson] = [join(directory, "mixed.csv"), join(directory, "mixed.ndjson")];
  writeFileSync(csv, "time,kWh\n2024-01-01,1\n");
  writeFileSync(ndjson, `${ndjsonLines.usual}\n`);
  const zone = ["--timezone", "UTC"];
  for (const [args, names] of [
    [[ndjson, "--device-column", "t", "--skip", "a"], "--device-column, --skip"],
    [[ndjson, "--names", "ts,t", "--time", "1"], "--time, --names"],
    [[ndjson, "--delimiter", ";", "--decimal", "comma"], "--delimiter, --decimal"],
    [[csv, ndjson, "--dates", "day-first", ...zone], "--dates, --timezone"],
  ] as const)
    await expect(importCommand(args)).rejects.toThrow(
      new StartupError(`Options for CSV only: ${names}. Import mixed.ndjson without them.`),
    );
  expect((await gateway.call("GET", "/api/devices?search=mixed")).body).toEqual([]);
});

test("a column names the devices of a file", async () => {
  const path = join(directory, "hall.csv");
  writeFileSync(path, "time,meter,kWh\n2024-01-01,A,1\n2024-01-01,B,2\n2024-01-02,A,3\n");
  const { code, out } = await gateway.run(["import", path, "--device-column", "meter"]);
  expect([code, out]).toEqual([0, expect.stringContaining("3 rows, 3 values")]);
  expect(out).not.toContain("earlier row");
  const devices = (await gateway.call("GET", "/api/devices?search=hall")).body;
  expect(devices.map(({ name }: { name: string }) => name).sort()).toEqual(["hall A", "hall B"]);
});

test("a file that may have been cut within its last value is named", async () => {
  for (const [end, isNamed] of [
    ["21.5\n", false],
    ["21.5\r\n", false],
    ["21.", true],
  ] as const) {
    const file = join(directory, `cut-${++number}.csv`);
    writeFileSync(file, `time,t\n1767225600000,${end}`);
    const { code, out } = await gateway.run(["import", file]);
    expect([code, out.includes("the last line has no line break")]).toEqual([0, isNamed]);
  }
});
