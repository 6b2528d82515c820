import { beforeAll, describe, expect, test } from "bun:test";
import { call, fixture, tokens, useDashboards } from "./dashboards-fixture.ts";

useDashboards();

test("a dashboard for a device type is created from the keys that its devices send", async () => {
  const apiResponse = await call("POST", "/for-type", { deviceType: "oven", name: "Ovens" });
  expect([apiResponse.status, apiResponse.body.name]).toEqual([201, "Ovens"]);
  const types = apiResponse.body.widgets.map(({ type }: { type: string }) => type);
  expect(new Set(types)).toEqual(
    new Set(["statusGrid", "alarmList", "value", "timeseries", "stateTimeline", "deviceTable"]),
  );
  const { body } = await call("POST", `/${apiResponse.body.id}/execute`);
  const chart = apiResponse.body.widgets.find(({ type }: { type: string }) => type === "timeseries");
  expect(body.data[chart.widgetId].series[0].series[0]).toMatchObject({ key: "t" });
  expect(body.data[chart.widgetId].series[0].series[0].points.length).toBeGreaterThan(3);
});

describe("a dashboard for a device type follows the metadata of its keys", () => {
  type Created = { type: string; name: string; config: Record<string, unknown> };
  const deviceType = "press line";
  async function createFor(request: object = {}): Promise<Created[]> {
    const { status, body } = await call("POST", "/for-type", { deviceType, ...request });
    expect(status).toBe(201);
    return body.widgets;
  }

  beforeAll(async () => {
    const token = tokens.owner;
    const keyMetadata = [
      { key: "bearing", name: "Bearing", unit: "°C", kind: "gauge", limits: { low: 10, high: 80 } },
      { key: "parts", kind: "counter" },
      { key: "phase", kind: "state", states: [{ value: 1, name: "Run" }] },
    ];
    const profile = await fixture.call("POST", "/api/device-profiles", {
      token,
      body: { name: deviceType, keyMetadata },
    });
    const { profileId } = profile.body;
    const device = await fixture.createDevice(token, { deviceType, profileId });
    const body = { bearing: 40, parts: 7, phase: 1, battery: 90, rssi: -80, note: "x" };
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body });
  });

  test("gauges for limits, consumption for counters, lanes for states", async () => {
    const widgets = await createFor({ timezone: "Europe/Berlin" });
    const of = (type: string) => widgets.filter((widget) => widget.type === type);
    expect(of("gauge")).toMatchObject([{ name: "Bearing", config: { key: "bearing", min: 0, max: 90 } }]);
    expect(of("energy")).toMatchObject([{ config: { keys: ["parts"], timezone: "Europe/Berlin" } }]);
    expect(of("stateTimeline").map(({ config }) => config.keys)).toContainEqual(["phase"]);
    expect(of("timeseries").map(({ config }) => config.keys)).not.toContainEqual(["phase"]);
  });

  test("a template decides what comes first", async () => {
    const firstChart = async (template: string) =>
      (await createFor({ template })).find(({ type }) => type === "timeseries")?.config.keys;
    expect(await firstChart("LORAWAN")).toEqual(["battery"]);
    expect(await firstChart("MOTOR")).toEqual(["bearing"]);
  });

  test("a type that no device has is refused", async () => {
    expect(await call("POST", "/for-type", { deviceType: "unicorn" })).toMatchObject({
      status: 404,
      body: { message: "No device has this type." },
    });
  });

  test("an unknown template and time zone are refused", async () => {
    for (const wrong of [{ template: "FISH" }, { timezone: "Mars/Olympus" }])
      expect((await call("POST", "/for-type", { deviceType, ...wrong })).status).toBe(400);
  });
});
