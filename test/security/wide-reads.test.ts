import { afterAll, beforeAll, expect, test } from "bun:test";
import { EXPORTS_MAX } from "../../src/platform/load/response-space.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const KEYS = 2_000;
const ROWS = 60;
const START = 1_700_000_000_000;
const RANGE = `from=${START}&to=${START + ROWS * 1_000}`;

let fixture: TestApp;
let wide: { token: string; deviceId: string };
let neighbour: { token: string; deviceId: string };

/** A device whose keys each come at times of their own, which costs most to read. */
async function fill(deviceToken: string): Promise<void> {
  for (let from = 0; from < KEYS; from += 500) {
    const items = Array.from({ length: ROWS }, (_, row) => ({
      ts: START + row * 1_000 + from / 500,
      telemetry: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${from + index}`, row])),
    }));
    const { status } = await fixture.call("POST", `/api/v1/${deviceToken}/telemetry/batch`, {
      body: { items },
    });
    expect(status).toBe(200);
  }
}

beforeAll(async () => {
  fixture = await createTestApp();
  const owner = await fixture.signIn("TENANT_OWNER");
  const device = await fixture.createDevice(owner.token);
  wide = { token: owner.token, deviceId: device.deviceId };
  await fill(device.token);
  await fixture.app.services.store.compact();
  const other = await fixture.signIn("TENANT_OWNER", { tenant: "a neighbour" });
  const theirs = await fixture.createDevice(other.token);
  neighbour = { token: other.token, deviceId: theirs.deviceId };
  await fixture.call("POST", `/api/v1/${theirs.token}/telemetry`, { body: { ts: START, values: { t: 1 } } });
});
afterAll(() => fixture.stop());

const open = (path: string, signal: AbortSignal) =>
  fetch(`${fixture.app.url}${path}`, { headers: { authorization: `Bearer ${wide.token}` }, signal });

test("only some exports of a wide device run, hold up no other tenant, and end when their readers have gone", async () => {
  const gone = new AbortController();
  const path = `/api/devices/${wide.deviceId}/telemetry/export?format=csv&${RANGE}`;
  const exports = await Promise.all(Array.from({ length: 8 }, () => open(path, gone.signal)));
  const running = exports.filter(({ status }) => status === 200);
  expect(running).toHaveLength(EXPORTS_MAX.user);
  for (const refused of exports.filter((response) => !running.includes(response)))
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      429,
      "response.exports_running",
    ]);
  const first = await running[0]?.body?.getReader().read();
  expect(first?.done).toBe(false);
  const response = await fixture.call("GET", `/api/devices/${neighbour.deviceId}/telemetry/range?${RANGE}`, {
    token: neighbour.token,
  });
  expect(response.body.data[0].series[0].points).toEqual([{ ts: START, value: 1 }]);
  gone.abort();
  // What was cancelled is worked on no more: the store is idle when the next answer comes.
  const { status } = await fixture.call("GET", `/api/devices/${wide.deviceId}/telemetry/latest`, {
    token: wide.token,
  });
  expect(status).toBe(200);
});

test("an export has every value of a wide device once", async () => {
  const path = `/api/devices/${wide.deviceId}/telemetry/export?format=csv&${RANGE}`;
  const text = await (await open(path, new AbortController().signal)).text();
  const [header = "", ...rows] = text.trimEnd().split("\r\n");
  expect(header.split(",")).toHaveLength(KEYS + 1);
  expect(rows).toHaveLength(ROWS * (KEYS / 500));
  const sums = rows.map(
    (row) =>
      row
        .split(",")
        .slice(1)
        .filter((cell) => cell !== "").length,
  );
  expect(sums.reduce((sum, cells) => sum + cells, 0)).toBe(KEYS * ROWS);
});

test("a scan that is cancelled while the store reads ends at once", async () => {
  const { store } = fixture.app.services;
  const reading = new AbortController();
  const chunks = store.scan(
    { deviceIds: [wide.deviceId as never], keys: [], from: START, to: START + ROWS * 1_000 },
    reading.signal,
  );
  const next = chunks[Symbol.asyncIterator]().next();
  reading.abort(new Error("gone"));
  const outcome = await next.then(
    () => "read",
    (error: Error) => error.message,
  );
  expect(outcome).toBe("gone");
});
