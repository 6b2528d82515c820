// Charts beside which the previous year is shown.
import { expect, test } from "bun:test";
import { yearsLater } from "../../src/lib/time/same-time.ts";
import { call, fixture, now, tokens, useDashboards } from "./dashboards-fixture.ts";

useDashboards();

test("beside a chart of the previous year are the same local times, in the zone of the widget", async () => {
  const { deviceId, token } = await fixture.createDevice(tokens.owner, {
    name: "counter",
    deviceType: "counter",
  });
  const earlier = yearsLater(now, -1, "Europe/Berlin").ts;
  for (const minutes of [0, 10])
    await fixture.call("POST", `/api/v1/${token}/telemetry`, {
      body: { ts: earlier - minutes * 60_000, values: { t: minutes } },
    });
  const config = { aliasId: "own", keys: ["t"], compare: "year", timezone: "Europe/Berlin" };
  const widgets = ["year", "wrong"].map((widgetId) => ({
    widgetId,
    type: "timeseries",
    name: "",
    config: widgetId === "wrong" ? { ...config, timezone: "Moon/Base" } : config,
  }));
  const aliases = [{ id: "own", name: "own", type: "deviceList", deviceIds: [deviceId] }];
  const { body } = await call("POST", "/preview", {
    dashboard: { aliases, widgets },
    timeRange: { from: now - 25 * 60_000, to: now },
  });
  expect(body.data.year.previous[0].series[0].points).toEqual(
    [10, 0].map((minutes) => ({ ts: now - minutes * 60_000, value: minutes })),
  );
  expect(body.data.wrong).toMatchObject({ errorText: { code: "dashboard.invalid" } });
});
