import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

async function deviceFor(type: "text/csv" | "application/x-ndjson") {
  const { deviceId } = await fixture.createDevice(owner);
  const path = `/api/devices/${deviceId}/telemetry`;
  return {
    post: async (raw: string | Uint8Array, query = "") =>
      (
        await fixture.call("POST", `${path}/import${query}`, {
          token: owner,
          raw,
          headers: { "content-type": type },
        })
      ).body,
    exported: async (format: "csv" | "ndjson") =>
      (await fixture.call("GET", `${path}/export?format=${format}`, { token: owner })).text,
  };
}

test("a list in one line of NDJSON is read item by item", async () => {
  const { post, exported } = await deviceFor("application/x-ndjson");
  const items = [
    { ts: 1704067200000, values: { a: 1 } },
    { ts: 1704067260000, values: { a: 2 } },
    { values: { a: 3 } },
  ];
  expect(await post(JSON.stringify(items))).toMatchObject({
    rows: 3,
    points: 2,
    errors: [{ row: 3, code: "import.ts_missing" }],
  });
  expect(await exported("ndjson")).toBe(
    items
      .slice(0, 2)
      .map((item) => `${JSON.stringify(item)}\n`)
      .join(""),
  );
});

test("options for CSV are refused for NDJSON", async () => {
  const { post } = await deviceFor("application/x-ndjson");
  expect(await post('{"ts":1704067200000,"a":1}\n', "?timezone=UTC&skipColumns=a")).toMatchObject({
    statusCode: 400,
    code: "import.csv_only",
    params: { names: "timezone, skipColumns" },
  });
});

test.each(["csv", "ndjson"] as const)("times before 2000 come back from an export as %s", async (format) => {
  const { post, exported } = await deviceFor("text/csv");
  const file = "ts,v\n1970-01-10 00:00,1\n1971-05-01 00:00,2\n2024-01-01,3\n";
  expect(await post(file)).toMatchObject({ success: true, points: 3 });
  const out = await exported(format);
  const again = await deviceFor(format === "csv" ? "text/csv" : "application/x-ndjson");
  expect(await again.post(out)).toMatchObject({ success: true, points: 3 });
  expect(await again.exported(format)).toBe(out);
});

test("a number of NDJSON is an epoch from 2000 on, and up to now", async () => {
  const { post } = await deviceFor("application/x-ndjson");
  const lines = [0, 20240101, 2024010100, 1704067200, 1704067200000000].map((ts) =>
    JSON.stringify({ ts, a: 1 }),
  );
  expect(await post(lines.join("\n"))).toMatchObject({
    points: 2,
    errors: ["telemetry.ts_number", "telemetry.ts_compact", "telemetry.ts_compact"].map((code) => ({ code })),
  });
});

test("parts of a file tell the hour that comes twice by the part before", async () => {
  const { post, exported } = await deviceFor("text/csv");
  const head = "Zeit;a\n";
  const first = "26.10.2025 01:30;1\n26.10.2025 02:00;2\n26.10.2025 02:30;3\n";
  const second = "26.10.2025 02:00;4\n26.10.2025 02:30;5\n26.10.2025 03:00;6\n";
  const zone = "?timezone=Europe/Berlin";
  const { rows, lastTs } = await post(head + first, zone);
  const response = await post(head + first + second, `${zone}&skipRows=${rows}&previousTs=${lastTs}`);
  expect(response).toMatchObject({ success: true, rows: 3, points: 3, sameTime: 0 });
  expect((await exported("csv")).split("\r\n").slice(1, -1)).toEqual([
    "2025-10-25T23:30:00.000Z,1",
    "2025-10-26T00:00:00.000Z,2",
    "2025-10-26T00:30:00.000Z,3",
    "2025-10-26T01:00:00.000Z,4",
    "2025-10-26T01:30:00.000Z,5",
    "2025-10-26T02:00:00.000Z,6",
  ]);
});
