import { afterAll, beforeAll, expect } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;

export const tokens: Record<"owner" | "writer" | "reader" | "limited" | "stranger", string> = {
  owner: "",
  writer: "",
  reader: "",
  limited: "",
  stranger: "",
};

interface Created {
  readonly deviceId: string;
  readonly token: string;
}

export let oven: Created;
export let press: Created;
export let now: number;
export type Who = keyof typeof tokens;

export const call = (method: string, path: string, body?: unknown, who: Who = "owner") =>
  fixture.call(method, `/api/dashboards${path}`, {
    token: tokens[who],
    ...(body !== undefined && { body }),
  });

export async function create(fields: Record<string, unknown> = {}) {
  const response = await call("POST", "", { name: "board", ...fields });
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.body;
}

export const content = () => ({
  states: [
    { id: "main", name: "Main" },
    { id: "detail", name: "Detail" },
  ],
  layout: [{ i: "chart", x: 0, y: 0, w: 6, h: 4 }],
  widgets: [
    { widgetId: "chart", type: "timeseries", name: "T", config: { aliasId: "all", keys: ["t"] } },
    { widgetId: "now", type: "value", name: "T", config: { aliasId: "one", key: "t", aggregation: "max" } },
    {
      widgetId: "table",
      type: "deviceTable",
      name: "All",
      config: { alias: "Everything", keys: ["t", "mode"] },
    },
    { widgetId: "text", type: "markdown", name: "", config: { text: "# Hall" } },
    { widgetId: "alarms", type: "alarmList", name: "", config: {} },
    {
      widgetId: "only",
      type: "gauge",
      name: "",
      config: { aliasId: "context", key: "t" },
      dashboardStateId: "detail",
    },
  ],
  aliases: [
    { id: "all", name: "Everything", type: "deviceList", deviceIds: [oven.deviceId, press.deviceId] },
    { id: "one", name: "Oven", type: "singleDevice", config: { deviceId: oven.deviceId } },
    { id: "context", name: "This", type: "stateEntity" },
  ],
  timeWindow: { mode: "relative", durationMs: 3_600_000 },
});

/** Starts the app of a test file with a user of every role and two devices with telemetry. */
export function useDashboards(): void {
  beforeAll(async () => {
    const clock = new FakeClock(Date.UTC(2026, 5, 10, 12));
    now = clock.now();
    fixture = await createTestApp({ clock });
    tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
    tokens.writer = (await fixture.signIn("TENANT_RW")).token;
    tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
    tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    oven = await fixture.createDevice(tokens.owner, { name: "oven", deviceType: "oven", tags: ["hall-1"] });
    press = await fixture.createDevice(tokens.owner, {
      name: "press",
      deviceType: "press",
      assetId: "line-2",
    });
    tokens.limited = (await fixture.signIn("TENANT_READ_ONLY", { devices: [oven.deviceId] })).token;
    for (const [index, device] of [oven, press].entries())
      for (let minute = 50; minute >= 0; minute -= 10)
        await fixture.call("POST", `/api/v1/${device.token}/telemetry`, {
          body: {
            ts: now - minute * 60_000,
            values: { t: index * 100 + minute, mode: "on", ok: minute > 20 },
          },
        });
  });
  afterAll(() => fixture.stop());
}
