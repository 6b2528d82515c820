import { expect, test } from "bun:test";
import { DomainError, unavailable } from "../../../src/lib/core/domain-error.ts";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/core/ids.ts";
import { createDashboardData } from "../../../src/modules/dashboards/dashboard-data.ts";
import type { Widget } from "../../../src/modules/dashboards/dashboards.types.ts";
import { PackedPoints, type Point } from "../../../src/modules/telemetry/telemetry.types.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";

const KIB = 1024;
const POINTS = 1_000;
const deviceId = "device" as DeviceId;
const principal: Principal = {
  userId: "user" as UserId,
  tenantId: "tenant" as TenantId,
  email: "a@b.c",
  role: "TENANT_READ_ONLY",
  sessionId: "",
  canAcknowledgeAlarms: false,
  devices: "all",
};
const widget = (index: number, type: string): Widget => ({
  widgetId: `w${index}`,
  type,
  name: "",
  config: { keys: ["t"], maxDataPoints: 100 + index }, // a query of its own
});

/** Reads widgets while the response has this many bytes of space. Returns the number of queries and the reserved bytes. */
async function read(widgets: readonly Widget[], roomBytes: number, value: unknown = 1, devices = 1) {
  let queries = 0;
  let resolved = 0;
  let reserved = 0;
  const points = new PackedPoints(
    Float64Array.from({ length: POINTS }, (_, ts) => ts),
    Array.from({ length: POINTS }, () => value as Point["value"]),
  );
  const dataOf = createDashboardData({
    telemetry: {
      async *latestOf() {
        queries++;
        yield [{ deviceId, lastSeenAt: null, values: { t: value }, timestamps: { t: 1 } } as never];
      },
      query: async () => {
        queries++;
        return { data: [{ deviceId, series: [{ key: "t", points }] }] } as never;
      },
    },
    alarms: { page: () => Promise.reject(new Error("not used")) },
  });
  const room = {
    reserve(bytes: number) {
      if (reserved + bytes > roomBytes) throw unavailable("response.unread");
      reserved += bytes;
    },
  };
  const outcome = await dataOf(principal, widgets, {
    room,
    windowOf: () => ({ from: 0, to: 1_000 }),
    async devicesOf() {
      resolved++;
      const device = {
        deviceId,
        name: "",
        deviceType: "",
        active: true,
        state: "ACTIVE",
        assetId: null,
      } as const;
      return Array(devices).fill(device);
    },
  }).catch((error: unknown) => error);
  return { queries, reserved, resolved, outcome };
}

const charts = Array.from({ length: 50 }, (_, index) => widget(index, "timeseries"));

test("what a dashboard reads counts at once, and nothing more is read when there is no space", async () => {
  const { queries, outcome } = await read(charts, 100 * KIB);
  expect(outcome).toBeInstanceOf(DomainError);
  expect(outcome).toMatchObject({ code: "response.unread" });
  expect(queries).toBe(5);
});

test("with space, each widget has its data, and the space is about that of the response", async () => {
  const { queries, reserved, outcome } = await read(charts, 10_000 * KIB);
  expect(queries).toBe(charts.length);
  const { length } = JSON.stringify(outcome);
  expect(reserved).toBeGreaterThan(length / 2);
  expect(reserved).toBeLessThan(length * 1.5);
});

test("too many newest values are refused before they are read, and before the devices of further widgets are listed", async () => {
  const gauges = Array.from({ length: 100 }, (_, index) => widget(index, "gauge"));
  const { outcome, queries, resolved } = await read(gauges, 10_000 * KIB, 1, 40_000);
  expect(outcome).toMatchObject({ kind: "too_large" });
  expect([queries, resolved]).toEqual([0, 3]);
});

test("long texts and objects count with their length", async () => {
  const long = await read([widget(0, "gauge")], 1_000 * KIB, "x".repeat(10_000));
  expect(long.reserved).toBeGreaterThan(10_000);
  const object = await read([widget(0, "gauge")], 1_000 * KIB, { text: "x".repeat(10_000) });
  expect(object.reserved).toBeGreaterThan(10_000);
});
