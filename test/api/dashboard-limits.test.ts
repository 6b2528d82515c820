// How much a dashboard shows: points per series, series and aliases.
import { expect, test } from "bun:test";
import { STATE_POINTS_MAX } from "../../src/modules/telemetry/telemetry.types.ts";
import { call, content, create, now, oven, useDashboards } from "./dashboards-fixture.ts";

useDashboards();

test("a series says that points were left out, and a limit is that of queries", async () => {
  const { aliases } = content();
  const of = (widgetId: string, fields: object) => ({
    widgetId,
    type: "timeseries",
    name: "",
    config: { aliasId: "all", keys: ["t"], series: [`${oven.deviceId}/t`], ...fields },
  });
  const widgets = [
    of("all", {}),
    of("few", { maxDataPoints: 1 }),
    of("states", { keys: ["mode"], series: null, aggregation: "timeIn", maxDataPoints: 100_000 }),
  ];
  const timeRange = { from: now - 10 * 86_400_000, to: now };
  const { body } = await call("POST", "/preview", { dashboard: { aliases, widgets }, timeRange });
  const first = (widgetId: string) => body.data[widgetId].series[0].series[0];
  expect([first("all").thinned, first("few").thinned]).toEqual([undefined, true]);
  expect(first("states").points.length).toBeLessThanOrEqual(STATE_POINTS_MAX);
});

test("too many lines are refused widget by widget, and points are shared out", async () => {
  const { aliases } = content();
  const keys = (n: number) => Array.from({ length: 50 }, (_, index) => `k${n}-${index}`);
  const widgets = Array.from({ length: 60 }, (_, n) => ({
    widgetId: `w${n}`,
    type: "timeseries",
    name: "",
    config: { aliasId: "all", keys: n === 0 ? ["t"] : keys(n), maxDataPoints: 100_000 - n },
  }));
  const { id } = await create({ aliases, widgets });
  const { status, body } = await call("POST", `/${id}/execute`, {
    timeRange: { mode: "live", durationMs: 3_600_000 },
  });
  expect(status).toBe(200);
  expect(body.data.w0.series[0].series[0].points.length).toBeGreaterThan(3);
  expect(body.data.w0.series[0].series[0]).not.toHaveProperty("thinned");
  expect([body.data.w1.error, body.data.w59.error]).toEqual([
    undefined,
    "A dashboard can show at most 5000 series. Select fewer devices or keys.",
  ]);
  const many = Array.from({ length: 101 }, (_, n) => ({ id: `a${n}`, name: "", type: "stateEntity" }));
  expect((await call("POST", "", { name: "x", aliases: many })).status).toBe(400);
});

test("a dashboard of too many parts is refused, whatever its bytes", async () => {
  const symbols = Array.from({ length: 30_000 }, () => ({}));
  const widgets = [{ widgetId: "w", type: "synoptic", name: "", config: { symbols } }];
  const { status, body } = await call("POST", "", { name: "many", widgets });
  expect([status, body.params.rule.code]).toEqual([400, "rule.parts_max"]);
  const fewer = [{ ...widgets[0], config: { symbols: symbols.slice(0, 29_000) } }];
  expect((await call("POST", "", { name: "fewer", widgets: fewer })).status).toBe(201);
});

test("a file names the devices that exist among thousands of other ids, and is imported by their names", async () => {
  const ids = Array.from({ length: 3_000 }, () => crypto.randomUUID());
  const configuration = { ids: [...ids, oven.deviceId] };
  const { id } = await create({ configuration });
  const file = (await call("GET", `/${id}/export`)).body;
  expect(file.devices).toEqual([{ deviceId: oven.deviceId, name: "oven" }]);
  const [unknown] = ids;
  const devices = [
    ...ids.slice(1).map((deviceId) => ({ deviceId, name: "nobody" })),
    { deviceId: unknown, name: "oven" },
  ];
  const imported = await call("POST", "/import", { ...file, devices });
  expect(imported.status).toBe(200);
  expect(imported.body.configuration.ids).toEqual([oven.deviceId, ...ids.slice(1), oven.deviceId]);
});
