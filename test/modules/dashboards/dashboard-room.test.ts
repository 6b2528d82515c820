import { expect, test } from "bun:test";
import { DomainError, unavailable } from "../../../src/lib/core/domain-error.ts";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/core/ids.ts";
import { createDashboardData } from "../../../src/modules/dashboards/dashboard-data.ts";
import type { Widget } from "../../../src/modules/dashboards/dashboards.types.ts";
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
async function read(widgets: readonly Widget[], roomBytes: number, value: unknown = 1) {
  let queries = 0;
  let reserved = 0;
  const points = Array.from({ length: POINTS }, (_, ts) => ({ ts, value }));
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
      if (reserved + bytes > roomBytes) throw unavailable("answer.unread");
      reserved += bytes;
    },
  };
  const outcome = await dataOf(principal, widgets, {
    room,
    windowOf: () => ({ from: 0, to: 1_000 }),
    devicesOf: () => [{ deviceId, name: "", deviceType: "", active: true, state: "ACTIVE", assetId: null }],
  }).catch((error: unknown) => error);
  return { queries, reserved, outcome };
}

const charts = Array.from({ length: 50 }, (_, index) => widget(index, "timeseries"));

test("what a dashboard reads counts at once, and nothing more is read when there is no space", async () => {
  const { queries, outcome } = await read(charts, 100 * KIB);
  expect(outcome).toBeInstanceOf(DomainError);
  expect(outcome).toMatchObject({ code: "answer.unread" });
  expect(queries).toBe(5);
});

test("with space, each widget has its data, and the space is about that of the response", async () => {
  const { queries, reserved, outcome } = await read(charts, 10_000 * KIB);
  expect(queries).toBe(charts.length);
  const { length } = JSON.stringify(outcome);
  expect(reserved).toBeGreaterThan(length / 2);
  expect(reserved).toBeLessThan(length * 1.5);
});

test("long texts and objects count with their length", async () => {
  const long = await read([widget(0, "gauge")], 1_000 * KIB, "x".repeat(10_000));
  expect(long.reserved).toBeGreaterThan(10_000);
  const object = await read([widget(0, "gauge")], 1_000 * KIB, { text: "x".repeat(10_000) });
  expect(object.reserved).toBeGreaterThan(10_000);
});
