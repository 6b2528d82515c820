// The energy widget compares the consumption so far with that of the previous period up to the same time.
import { afterEach, expect, test } from "bun:test";
import { consumptionOf, totalOf } from "../../src/web/lib/consumption.ts";
import { SeriesBuffer } from "../../src/web/lib/series-buffer.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const HOUR_MS = 3_600_000;
const DAYS = 75;

let app: TestApp | undefined;
afterEach(() => app?.stop());

interface Part {
  readonly series: ReadonlyArray<{
    readonly points: ReadonlyArray<{ readonly ts: number; readonly value: number }>;
  }>;
}

/** Returns the sum that the widget shows. */
function sumOf(parts: readonly Part[], interval: string): number {
  const buffers = parts.flatMap(({ series }) =>
    series.map(({ points }) => {
      const buffer = new SeriesBuffer();
      buffer.replace([...points]);
      return buffer;
    }),
  );
  return totalOf(consumptionOf(buffers, interval));
}

interface Reading {
  readonly ts: number;
  readonly values: { readonly energy: number };
}

/** Returns the readings of a meter that counts 1 kWh per hour, at half past. */
const hourly = (now: number): Reading[] =>
  Array.from({ length: DAYS * 24 + 1 }, (_, index) => DAYS * 24 - index).map((ago) => ({
    ts: now - (ago + 0.5) * HOUR_MS,
    values: { energy: 10_000 - ago },
  }));

/** Returns the data of an energy widget of a meter. */
async function dataAt(now: number, config: Record<string, unknown>, body: readonly Reading[] = hourly(now)) {
  app = await createTestApp({ clock: new FakeClock(now) });
  const { token: owner } = await app.signIn("TENANT_OWNER");
  const { token, deviceId } = await app.createDevice(owner, { name: "meter", deviceType: "meter" });
  expect((await app.call("POST", `/api/v1/${token}/telemetry`, { body })).status).toBe(200);
  const response = await app.call("POST", "/api/dashboards/preview", {
    token: owner,
    body: {
      dashboard: {
        aliases: [{ id: "meter", name: "", type: "singleDevice", deviceId }],
        widgets: [
          {
            widgetId: "w",
            type: "energy",
            name: "",
            config: { aliasId: "meter", keys: ["energy"], ...config },
          },
        ],
      },
    },
  });
  expect([response.status, response.body.data.w.error]).toEqual([200, undefined]);
  return response.body.data.w;
}

const thisMonth = { mode: "calendar", unit: "month", timezone: "UTC" };

test.each([
  ["2026-11-02T12:00Z", "1w", 36],
  ["2026-11-10T00:00Z", "1w", 216],
  ["2026-11-10T07:00Z", "1d", 223],
  ["2026-11-10T07:00Z", "1mo", 223],
])("a meter with constant power has consumed the same so far: %s, %s", async (now, interval, expected) => {
  const data = await dataAt(Date.parse(now), { interval, compare: true, timeWindow: thisMonth });
  expect([data.series, data.previousSoFar].map((parts) => sumOf(parts, interval))).toEqual([
    expected,
    expected,
  ]);
});

test("on the last day of a longer month, all of the shorter previous month counts", async () => {
  const now = Date.parse("2026-10-31T12:00Z");
  const data = await dataAt(now, { interval: "1w", compare: true, timeWindow: thisMonth });
  expect([data.series, data.previousSoFar].map((parts) => sumOf(parts, "1w"))).toEqual([732, 720]);
});

test("a period that is over is compared with the whole previous period, and only if wanted", async () => {
  const now = Date.parse("2026-11-02T12:00Z");
  const lastMonth = { ...thisMonth, offset: -1 };
  const data = await dataAt(now, { interval: "1w", compare: true, timeWindow: lastMonth });
  expect(data.previousSoFar).toBeUndefined();
  expect(data.previous).toHaveLength(1);
  await app?.stop();
  expect(await dataAt(now, { interval: "1w", timeWindow: thisMonth })).not.toHaveProperty("previousSoFar");
});

/** Returns readings at noon, UTC, of some dates. */
const atNoon = (...dates: string[]): Reading[] =>
  dates.map((date, index) => ({ ts: Date.parse(`${date}T12:00Z`), values: { energy: 10 * index } }));

test("bars of UTC days have those of the previous year behind them, also if the window has another zone", async () => {
  const day = { mode: "calendar", unit: "day", timezone: "Europe/Berlin" };
  const readings = atNoon("2025-10-25", "2025-10-26", "2026-10-25", "2026-10-26");
  const config = { interval: "1d", compare: "year", timeWindow: day };
  const { series, previous } = await dataAt(Date.parse("2026-10-26T20:00Z"), config, readings);
  const startsOf = (parts: readonly Part[]) => parts[0]?.series[0]?.points.map(({ ts }) => ts);
  expect([series, previous].map(startsOf)).toEqual([
    [Date.parse("2026-10-26T00:00Z")],
    [Date.parse("2026-10-26T00:00Z")],
  ]);
});

test("29 February is compared with nothing", async () => {
  const config = { interval: "1d", compare: "year", timeWindow: { ...thisMonth, unit: "day" } };
  const readings = atNoon("2027-02-27", "2027-02-28", "2028-02-28", "2028-02-29");
  const data = await dataAt(Date.parse("2028-02-29T20:00Z"), config, readings);
  expect(sumOf(data.series, "1d")).toBe(10);
  expect(data).not.toHaveProperty("previous");
  expect(data).not.toHaveProperty("previousSoFar");
});
