import { expect, test } from "bun:test";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/core/ids.ts";
import { createDashboardData } from "../../../src/modules/dashboards/dashboard-data.ts";
import { PackedPoints } from "../../../src/modules/telemetry/telemetry.types.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";

const POINTS = 60_000;
const YEAR_MS = 365 * 86_400_000;
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

test.each([true, "year"])(
  "many points that are compared (%p) leave turns of the event loop to others",
  async (compare) => {
    const before = Date.parse("2025-03-01T00:00:00Z");
    const points = new PackedPoints(
      Float64Array.from({ length: POINTS }, (_, index) => before + index * 1_000),
      new Float64Array(POINTS).fill(7),
    );
    const dataOf = createDashboardData({
      telemetry: {
        async *latestOf() {},
        query: async () => ({ data: [{ deviceId, series: [{ key: "t", points }] }] }) as never,
      },
      alarms: { page: () => Promise.reject(new Error("not used")) },
    });
    const range = { from: before + YEAR_MS, to: before + YEAR_MS + POINTS * 1_000 };
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    turn();
    const { w } = await dataOf(
      principal,
      [
        {
          widgetId: "w",
          type: "timeseries",
          name: "",
          config: { keys: ["t"], compare, timezone: "Europe/Berlin" },
        },
      ],
      {
        room: { reserve: () => undefined },
        windowOf: () => ({
          ...range,
          before: { from: before, to: before + POINTS * 1_000 },
          ...(compare === "year" && { yearZone: "Europe/Berlin" }),
        }),
        devicesOf: async () => [
          { deviceId, name: "", deviceType: "", active: true, state: "ACTIVE", assetId: null },
        ],
      },
    );
    isOver = true;
    const [moved] = w?.previous?.[0]?.series ?? [];
    expect([moved?.points.length, moved?.points.ts[0]]).toEqual([POINTS, range.from]);
    expect(turns).toBeGreaterThan(10);
  },
);
