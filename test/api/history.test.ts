import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let fixture: TestApp;
let owner: string;
let reader: string;
let device: { deviceId: string; token: string };
const csv = { "content-type": "text/csv" };
const ndjson = { "content-type": "application/x-ndjson" };
const T0 = Date.parse("2026-01-01T00:00:00Z");

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

const send = (raw: string | Uint8Array, headers: Record<string, string> = csv, query = "") => ({
  method: "POST",
  path: `/api/devices/${device.deviceId}/telemetry/import${query}`,
  token: owner,
  raw,
  headers,
});
const points = async (key: string) => {
  const { body } = await fixture.call(
    "GET",
    `/api/devices/${device.deviceId}/telemetry/range?from=0&to=${Date.now()}&keys=${key}&maxDataPoints=100000`,
    { token: owner },
  );
  return body.data[0]?.series[0]?.points ?? [];
};

describe("importing history", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "a reader may not",
        request: () => ({ ...send("ts,a\n1,1\n"), token: reader }),
        status: 403,
        answer: "error",
      },
      {
        name: "another content type is 415",
        request: () => send("x", { "content-type": "text/plain" }),
        status: 415,
        answer: "error",
      },
      {
        name: "a header without a time is 400",
        request: () => send("a,b\n1,2\n"),
        status: 400,
        answer: "error",
      },
      {
        name: "broken quotes are 400",
        request: () => send('ts,a\n1767225600000,"x\n'),
        status: 400,
        answer: "error",
      },
      {
        name: "bytes that are no text are 400",
        request: () => send(new Uint8Array([0x7b, 0xff, 0xfe, 0x0a]), ndjson),
        status: 400,
        answer: "error",
      },
      {
        name: "CSV: numbers, texts, truth values, empty cells and times of every kind",
        request: () =>
          send(
            `\ufeffts,temperature,state,ok\n${T0},21.5,"run, fast",true\n2026-01-01T00:00:01Z,22,,false\n${T0 / 1000 + 2},,idle,\n`,
          ),
        status: 200,
        answer: ({ body }) =>
          expect(body).toEqual({
            ...{ success: true, rows: 3, points: 6, failed: 0, errors: [], sameTime: 0, missing: 0 },
            ...{ timeColumns: ["ts"], unnamedColumns: [], lastTs: T0 + 2000, newestTs: T0 + 2000 },
          }),
      },
      {
        name: "NDJSON: rows that are refused are named and do not stop the others",
        request: () =>
          send(
            `{"ts":${T0 + 5000},"values":{"temperature":25}}\nbroken\n\n{"values":{"temperature":1}}\n{"ts":"never","temperature":1}\n{"ts":${T0 + 6000},"temperature":26}`,
            ndjson,
          ),
        status: 200,
        answer: ({ body }) =>
          expect(body).toMatchObject({
            success: false,
            rows: 5,
            points: 2,
            failed: 3,
            newestTs: T0 + 6000,
            errors: [
              {
                row: 2,
                message: expect.stringContaining("Write one object per line, such as {"),
                code: "import_error.line_not_json",
                params: { example: expect.any(String) },
              },
              { row: 3, message: "`ts` is required.", code: "import.ts_missing", params: {} },
              {
                row: 4,
                message:
                  "`ts` must be an epoch time (s, ms, µs or ns) or a date such as 2026-12-31T10:00:00Z.",
                code: "telemetry.ts_invalid",
                params: {},
              },
            ],
          }),
      },
    ],
  );

  test("is there with its types, and is no sign of life", async () => {
    expect(await points("temperature")).toEqual([
      { ts: T0, value: 21.5 },
      { ts: T0 + 1000, value: 22 },
      { ts: T0 + 5000, value: 25 },
      { ts: T0 + 6000, value: 26 },
    ]);
    expect(await points("ok")).toEqual([
      { ts: T0, value: true },
      { ts: T0 + 1000, value: false },
    ]);
    expect(await points("state")).toEqual([
      { ts: T0, value: "run, fast" },
      { ts: T0 + 2000, value: "idle" },
    ]);
    expect((await fixture.call("GET", `/api/devices/${device.deviceId}`, { token: owner })).body.active).toBe(
      false,
    );
  });

  test("takes the CSV of another country: semicolons, decimal commas, its dates and its time zone", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    const post = (raw: string, query = "") =>
      fixture.call("POST", `/api/devices/${deviceId}/telemetry/import${query}`, {
        token: owner,
        raw,
        headers: csv,
      });
    const file = "Zeit;Druck;Zustand\r\n05.01.2026 10:00;1.234,5;läuft\r\n2026-07-05 10:00:00;-0,25;\r\n";
    expect((await post(file, "?timezone=Europe/Berlin")).body).toMatchObject({
      success: true,
      rows: 2,
      points: 3,
    });
    const path = `/api/devices/${deviceId}/telemetry/range?from=0&to=1800000000000`;
    const { data } = (await fixture.call("GET", path, { token: owner })).body;
    const series = Object.fromEntries(
      data[0].series.map(({ key, points: list }: { key: string; points: unknown }) => [key, list]),
    );
    expect(series).toEqual({
      Druck: [
        { ts: Date.UTC(2026, 0, 5, 9), value: 1234.5 },
        { ts: Date.UTC(2026, 6, 5, 8), value: -0.25 },
      ],
      Zustand: [{ ts: Date.UTC(2026, 0, 5, 9), value: "läuft" }],
    });
    expect((await post("ts\ta\n2026-01-05T10:00:00Z\t1,5\n")).body).toMatchObject({ points: 1 });
    expect((await post(file, "?timezone=Mars/Base")).status).toBe(400);
  });

  test("quotes a time of a CSV file that it cannot read", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    const path = `/api/devices/${deviceId}/telemetry/import`;
    const raw = "Zeit;Druck\n32.01.2026 10:00;1,5\n31.01.2026 10:00;1,5\n";
    expect((await fixture.call("POST", path, { token: owner, raw, headers: csv })).body).toMatchObject({
      points: 1,
      errors: [{ row: 1, code: "import_error.time", params: { cell: "32.01.2026 10:00" } }],
    });
  });

  test("never stores what looks like a number as a text", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    const post = (raw: string, query = "") =>
      fixture.call("POST", `/api/devices/${deviceId}/telemetry/import${query}`, {
        token: owner,
        raw,
        headers: csv,
      });
    const file =
      'ts,a\n2026-01-05T10:00:00Z,"21,5"\n2026-01-05T10:00:01Z,"1,234"\n2026-01-05T10:00:02Z,22.5\n';
    expect((await post(file)).body).toMatchObject({
      success: false,
      rows: 3,
      points: 1,
      failed: 2,
      errors: [
        {
          row: 1,
          message:
            "Column `a`: “21,5” is not a number with a decimal point. Select the decimal sign of the file.",
          code: "import_error.value",
          params: {
            name: "a",
            rule: {
              code: "import_error.sign_unclear",
              params: {
                rule: {
                  code: "rule.number_sign",
                  params: { cell: "21,5", sign: { code: "decimal_sign.point", params: {} } },
                },
              },
            },
          },
        },
        {
          row: 2,
          message: expect.stringContaining("Column `a`: “1,234”"),
          code: "import_error.value",
          params: expect.any(Object),
        },
      ],
    });
    expect((await post(file, "?decimal=comma")).body).toMatchObject({ success: true, points: 3 });
    const texts = await post("ts,a\n2026-01-05T11:00:00Z,1.2.3\n2026-01-05T11:00:01Z,10.0.0.1\n");
    expect(texts.body).toMatchObject({ success: true, points: 2 });
  });

  test("reads thousands by the other values of the column, and refuses what they leave open", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    const path = `/api/devices/${deviceId}/telemetry/import`;
    const post = (raw: string, query = "") =>
      fixture.call("POST", `${path}${query}`, { token: owner, raw, headers: csv });
    const file = (...rows: string[]) =>
      `ts;a;b\n${rows.map((row, index) => `${T0 + index * 1000};${row}\n`).join("")}`;
    expect((await post(file("1.234;1.234", "1.234,5;7", "2;12,3abc"))).body).toMatchObject({
      points: 2,
      failed: 2,
      errors: [
        { row: 1, message: expect.stringContaining("Column `b`: “1.234” can be 1.234 or 1234") },
        { row: 3, message: expect.stringContaining("Column `b`: “12,3abc” is not a number") },
      ],
    });
    const stored = async () => {
      const range = `from=${T0}&to=${T0 + 10_000}`;
      const url = `/api/devices/${deviceId}/telemetry/range?${range}`;
      const { data } = (await fixture.call("GET", url, { token: owner })).body;
      return data[0].series[0].points.map(({ value }: { value: number }) => value);
    };
    expect(await stored()).toEqual([1234.5]);
    expect((await post(file("1.234;", "1.234,5;"))).body).toMatchObject({ success: true });
    expect(await stored()).toEqual([1234, 1234.5]);
    expect((await post(file("1.234;"), "?decimal=point")).body).toMatchObject({ success: true });
    expect(await stored()).toEqual([1.234, 1234.5]);
  });

  test("with progress, in parts, and again: every point once", async () => {
    const rows = Array.from({ length: 16_000 }, (_, index) => `${T0 + index * 1000},${index}`);
    const file = `ts,counter\n${rows.join("\n")}\n`;
    const { method, path, token, raw, headers } = send(file, csv, "?progress=true");
    const first = await fixture.call(method, path, { token, raw, headers });
    const lines = first.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.rows)).toEqual([5_000, 10_000, 16_000]);
    expect(lines.at(-1)).toMatchObject({
      success: true,
      rows: 16_000,
      points: 16_000,
      failed: 0,
      errors: [],
    });
    const again = send(file, csv, "?skipRows=15500");
    expect((await fixture.call(again.method, again.path, again)).body).toMatchObject({
      rows: 500,
      points: 500,
    });
    const stored = await points("counter");
    expect(stored).toHaveLength(16_000);
    expect(stored.every(({ ts, value }: { ts: number; value: number }) => ts === T0 + value * 1000)).toBe(
      true,
    );
  });
});

describe("exporting history", () => {
  const get = (query: string, token = owner) => ({
    method: "GET",
    path: `/api/devices/${device.deviceId}/telemetry/export?${query}`,
    token,
  });
  apiRows(
    () => fixture,
    [
      { name: "a reversed range is 400", request: () => get("from=5&to=1"), status: 400, answer: "error" },
      { name: "a range in words is 400", request: () => get("from=monday"), status: 400, answer: "error" },
      { name: "another format is 400", request: () => get("format=xlsx"), status: 400, answer: "error" },
      {
        name: "CSV has a column a key, empty where the device did not report it",
        request: () => get(`keys=temperature,state,ok,nothing&from=${T0}&to=${T0 + 2000}`, reader),
        status: 200,
        answer: ({ text, headers }) => {
          expect(headers.get("content-disposition")).toContain(`${device.deviceId}.csv`);
          expect(text.split("\r\n")).toEqual([
            "ts,ok,state,temperature",
            '2026-01-01T00:00:00.000Z,true,"run, fast",21.5',
            "2026-01-01T00:00:01.000Z,false,,22",
            "2026-01-01T00:00:02.000Z,,idle,",
            "",
          ]);
        },
      },
      {
        name: "NDJSON has every value as it came",
        request: () => get(`format=ndjson&keys=temperature&from=${T0}&to=${T0 + 1000}`),
        status: 200,
        answer: ({ text }) =>
          expect(text).toBe(
            `{"ts":${T0},"values":{"temperature":21.5}}\n{"ts":${T0 + 1000},"values":{"temperature":22}}\n`,
          ),
      },
    ],
  );

  test("nothing to export is an empty file, with its header", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    expect(
      (await fixture.call("GET", `/api/devices/${deviceId}/telemetry/export`, { token: owner })).text,
    ).toBe("ts\r\n");
  });

  test("what NDJSON gives out goes in again as the same, bit for bit; texts do not become formulas in CSV", async () => {
    const values = {
      a: -0,
      b: 5e-324,
      c: 0.1 + 0.2,
      d: "=1+1",
      e: "5",
      f: { g: [null, true, "\u2028"] },
      h: 1e308,
      'key, "x"': false,
    };
    const [from, to] = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
    const body = JSON.stringify({ ts: T0, values }).replace('"a":0', '"a":-0');
    await fixture.call("POST", `/api/v1/${from.token}/telemetry`, {
      raw: body,
      headers: { "content-type": "application/json" },
    });
    const path = (deviceId: string) => `/api/devices/${deviceId}/telemetry`;
    const first = await fixture.call("GET", `${path(from.deviceId)}/export?format=ndjson`, { token: owner });
    await fixture.call("POST", `${path(to.deviceId)}/import`, {
      token: owner,
      raw: first.text,
      headers: ndjson,
    });
    const second = await fixture.call("GET", `${path(to.deviceId)}/export?format=ndjson`, { token: owner });
    expect(second.text).toBe(first.text);
    expect(second.text).toContain('"a":-0');
    const table = (await fixture.call("GET", `${path(from.deviceId)}/export`, { token: owner })).text;
    expect(table).toContain(",'=1+1,");
    expect(table.split("\r\n")[0]).toBe('ts,a,b,c,d,e,f,h,"key, ""x"""');
  });

  test("a reader that goes away ends the export", async () => {
    const response = await fetch(
      `${fixture.app.url}/api/devices/${device.deviceId}/telemetry/export?format=ndjson`,
      { headers: { authorization: `Bearer ${owner}` } },
    );
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await fixture.call("GET", "/readyz")).status).toBe(200);
  });
});

test("telemetry that a crash left behind is gone after the next start", async () => {
  const first = await createTestApp();
  const admin = (await first.signIn("TENANT_OWNER")).token;
  const { deviceId, token } = await first.createDevice(admin);
  await first.call("POST", `/api/v1/${token}/telemetry`, { body: { a: 1 } });
  await first.app.stop();
  const sqlite = new Database(join(first.directory, "lineside.db"));
  sqlite.run("DELETE FROM devices WHERE device_id = ?", [deviceId]);
  sqlite.close();
  const second = await createTestApp({ directory: first.directory });
  await until(async () => (await second.app.services.store.deviceIds()).length === 0);
  expect(await second.app.services.store.deviceIds()).toEqual([]);
  await second.stop();
  await rm(first.directory, { recursive: true, force: true });
});
