import { describe, expect, test } from "bun:test";
import {
  call,
  content,
  create,
  fixture,
  now,
  oven,
  press,
  tokens,
  useDashboards,
  type Who,
} from "./dashboards-fixture.ts";

useDashboards();

describe("execute", () => {
  test("answers with the window as two times, aliases as devices, and what each widget shows", async () => {
    const { id } = await create(content());
    const { status, body } = await call("POST", `/${id}/execute`, { context: { deviceId: press.deviceId } });
    expect(status).toBe(200);
    expect(body.timeWindow).toEqual({ from: now - 3_600_000, to: now });
    expect(body.devices.all).toMatchObject([
      { deviceId: oven.deviceId, name: "oven", deviceType: "oven", active: true, assetId: null },
      { deviceId: press.deviceId, name: "press", assetId: "line-2" },
    ]);
    const { chart, now: value, table, text, alarms, only } = body.data;
    expect(
      chart.series.map(
        (candidate: { series: Array<{ points: unknown[] }> }) => candidate.series[0]?.points.length,
      ),
    ).toEqual([6, 6]);
    expect(value.latest).toMatchObject([{ deviceId: oven.deviceId, values: { t: 0 } }]);
    expect(Math.max(...value.series[0].series[0].points.map((point: { value: number }) => point.value))).toBe(
      50,
    );
    expect(table.latest[1].values).toMatchObject({ t: 100, mode: "on" });
    expect(text).toEqual({ deviceIds: [] });
    expect(alarms.alarms).toEqual([]);
    expect(only.latest).toMatchObject([{ deviceId: press.deviceId }]);
  });

  test("answers with the widgets of one state, in the requested window", async () => {
    const { id } = await create(content());
    const timeRange = { from: now - 25 * 60_000, to: now };
    const { body } = await call("POST", `/${id}/execute`, { dashboardStateId: "main", timeRange });
    expect(Object.keys(body.data)).not.toContain("only");
    expect(body.timeWindow).toEqual(timeRange);
    expect(body.data.chart.series[0].series[0].points).toHaveLength(3);
    const bad = await call("POST", `/${id}/execute`, { timeRange: { from: now, to: 5 } });
    expect(bad.status).toBe(400);
  });

  test("a chart shows the series that it names alone, and beside them the window before", async () => {
    const own = `${oven.deviceId}/t`;
    const config = { aliasId: "all", keys: ["t", "ok"], series: [own], compare: true };
    const { aliases } = content();
    const { body } = await call("POST", "/preview", {
      dashboard: {
        aliases,
        widgets: [
          { widgetId: "own", type: "timeseries", name: "", config },
          { widgetId: "plain", type: "timeseries", name: "", config: { ...config, compare: false } },
        ],
      },
      timeRange: { from: now - 25 * 60_000, to: now },
    });
    type Series = Array<{ series: Array<{ key: string; points: Array<{ ts: number; value: number }> }> }>;
    const keysOf = (all: Series) => all.map(({ series }) => series.map(({ key }) => key));
    const { series, previous } = body.data.own;
    expect([keysOf(series), keysOf(previous)]).toEqual([
      [["t"], []],
      [["t"], []],
    ]);
    expect(body.data.plain.series).toEqual(series);
    expect(body.data.plain.previous).toBeUndefined();
    const shift = 25 * 60_000;
    expect(previous[0].series[0].points).toEqual(
      [50, 40, 30].map((minute) => ({ ts: now - minute * 60_000 + shift, value: minute })),
    );
    expect(series[0].series[0].points).toHaveLength(3);
  });

  test("the intervals of the previous period take the places of the current ones", async () => {
    const day = 86_400_000;
    const { token, deviceId } = await fixture.createDevice(tokens.owner, {
      name: "meter",
      deviceType: "meter",
    });
    const body = Array.from({ length: 61 }, (_, days) => ({
      ts: now - days * day,
      values: { energy: 1_000 - days },
    }));
    await fixture.call("POST", `/api/v1/${token}/telemetry`, { body });
    const config = { aliasId: "meter", keys: ["energy"], interval: "1w", compare: true };
    const response = await call("POST", "/preview", {
      dashboard: {
        aliases: [{ id: "meter", name: "", type: "singleDevice", deviceId }],
        widgets: [{ widgetId: "weeks", type: "energy", name: "", config }],
      },
      timeRange: { mode: "live", durationMs: 30 * day },
    });
    const { series, previous } = response.body.data.weeks;
    const starts = (all: typeof series) => all[0].series[0].points.map(({ ts }: { ts: number }) => ts);
    const current = starts(series);
    expect(current).toHaveLength(5);
    expect(starts(previous).slice(0, 5)).toEqual(current);
  });

  test("a chart that shows a band gets the average, the lowest and the highest value of each interval", async () => {
    const { aliases } = content();
    const config = { aliasId: "all", keys: ["t"], style: "band", series: [`${oven.deviceId}/t`] };
    const { body } = await call("POST", "/preview", {
      dashboard: {
        aliases,
        widgets: [
          { widgetId: "band", type: "timeseries", name: "", config: { ...config, maxDataPoints: 1 } },
          { widgetId: "line", type: "timeseries", name: "", config: { ...config, style: "line" } },
        ],
      },
      timeRange: { from: now - 25 * 60_000, to: now },
    });
    const valuesOf = (all: Array<{ series: Array<{ points: Array<{ value: number }> }> }>) =>
      all.flatMap(({ series }) => series.flatMap(({ points }) => points.map(({ value }) => value)));
    const { series, low, high } = body.data.band;
    expect([valuesOf(low), valuesOf(series), valuesOf(high)]).toEqual([[0], [10], [20]]);
    expect(body.data.line).not.toHaveProperty("low");
  });

  test("a pie shows newest values, or how long each state held", async () => {
    const { aliases } = content();
    const config = { aliasId: "all", key: "mode" };
    const widgets = [
      { widgetId: "devices", type: "statePie", name: "", config },
      { widgetId: "time", type: "statePie", name: "", config: { ...config, aggregation: "timeIn" } },
    ];
    const { body } = await call("POST", "/preview", { dashboard: { aliases, widgets } });
    expect(body.data.devices.latest).toHaveLength(2);
    expect(body.data.devices).not.toHaveProperty("series");
    const points = body.data.time.series.flatMap(
      ({ series }: { series: { points: { value: unknown }[] }[] }) => series.flatMap((own) => own.points),
    );
    expect(points[0].value).toContainEqual({ value: "on", ms: expect.any(Number) });
    expect(body.data.time).not.toHaveProperty("latest");
  });

  test("devices have the severity of their most severe open alarm and the number of open ones", async () => {
    const [{ profileId }] = (await fixture.call("GET", "/api/device-profiles", { token: tokens.owner })).body;
    const alarmRules = [
      {
        alarmType: "Hot",
        createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 500 } }],
      },
    ];
    const rules = (list: unknown) =>
      fixture.call("PATCH", `/api/device-profiles/${profileId}`, {
        token: tokens.owner,
        body: { alarmRules: list },
      });
    await rules(alarmRules);
    await fixture.call("POST", `/api/v1/${press.token}/telemetry`, {
      body: { ts: now + 1, values: { t: 501 } },
    });
    const { body } = await call("POST", "/preview", { dashboard: content() });
    const alarmsOf = ({ alarmSeverity, openAlarms }: { alarmSeverity?: string; openAlarms?: number }) => [
      alarmSeverity,
      openAlarms,
    ];
    expect(body.devices.all.map(alarmsOf)).toEqual([
      [undefined, undefined],
      ["MAJOR", 1],
    ]);
    await rules([]);
  });

  test("alarm lists have the most severe open alarms first, then the newest, before they are cut", async () => {
    const [{ profileId }] = (await fixture.call("GET", "/api/device-profiles", { token: tokens.owner })).body;
    const rule = (alarmType: string, severity: string, key: string) => ({
      alarmType,
      createRules: [{ severity, condition: { key, op: "GT", value: 0 } }],
      clearRule: { condition: { key, op: "LE", value: 0 } },
    });
    const alarmRules = [
      rule("Over", "CRITICAL", "over"),
      rule("Worst", "CRITICAL", "worst"),
      rule("Old", "MINOR", "old"),
      rule("New", "MINOR", "new"),
    ];
    const setRules = (list: unknown) =>
      fixture.call("PATCH", `/api/device-profiles/${profileId}`, {
        token: tokens.owner,
        body: { alarmRules: list },
      });
    await setRules(alarmRules);
    const values = [{ over: 1 }, { worst: 1 }, { old: 1 }, { new: 1 }, { over: 0 }];
    for (const [index, sent] of values.entries())
      await fixture.call("POST", `/api/v1/${press.token}/telemetry`, {
        body: { ts: now + 10 + index, values: sent },
      });
    const widgetOf = (widgetId: string, config: object) => ({
      widgetId,
      type: "alarmList",
      name: "",
      config,
    });
    const { body } = await call("POST", "/preview", {
      dashboard: {
        ...content(),
        widgets: [
          widgetOf("open", {}),
          widgetOf("two", { limit: 2, aliasId: "all" }),
          widgetOf("all", { showCleared: true }),
        ],
      },
    });
    const namesOf = (widgetId: string) =>
      body.data[widgetId].alarms
        .map(({ name }: { name: string }) => name)
        .filter((name: string) => name !== "Hot");
    expect(namesOf("open")).toEqual(["Worst", "New", "Old"]);
    expect(namesOf("two")).toEqual(["Worst", "New"]);
    expect(namesOf("all")).toEqual(["Worst", "New", "Old", "Over"]);
    await setRules([]);
  });

  test("a dashboard that is not stored shows the same", async () => {
    const { id } = await create(content());
    const stored = await call("POST", `/${id}/execute`);
    const { status, body } = await call("POST", "/preview", { dashboard: content() });
    expect([status, body.data, body.devices]).toEqual([200, stored.body.data, stored.body.devices]);
    expect((await call("POST", "/preview", { dashboard: { widgets: [{}] } })).status).toBe(400);
  });

  test("calendar windows begin and end with the clocks of the place", async () => {
    const { id } = await create({ timeWindow: { mode: "calendar", unit: "day", timezone: "Europe/Berlin" } });
    const { body } = await call("POST", `/${id}/execute`);
    expect(body.timeWindow).toEqual({
      from: Date.UTC(2026, 5, 9, 22),
      to: Date.UTC(2026, 5, 10, 22) - 1,
    });
    const month = { mode: "calendar", unit: "month", offset: -3, timezone: "Europe/Berlin" };
    const march = await call("POST", `/${id}/execute`, { timeRange: month });
    // The clocks changed on the 29th.
    expect(march.body.timeWindow).toEqual({
      from: Date.UTC(2026, 1, 28, 23),
      to: Date.UTC(2026, 2, 31, 22) - 1,
    });
  });

  test("a key of texts cannot be averaged: its widget has the error, and the others have their data", async () => {
    const { aliases } = content();
    const widget = (widgetId: string, keys: string[]) => ({
      widgetId,
      type: "timeseries",
      name: "",
      config: { aliasId: "one", keys, aggregation: widgetId === "bad" ? "avg" : "max" },
    });
    const { id } = await create({ aliases, widgets: [widget("bad", ["mode"]), widget("good", ["t"])] });
    const { body } = await call("POST", `/${id}/execute`, {
      timeRange: { mode: "live", durationMs: 3_600_000 },
    });
    expect(body.data.bad.error).toEqual(expect.any(String));
    expect(body.data.good.series[0].series[0].points.length).toBeGreaterThan(0);
  });

  test("an energy widget gets the consumption of each hour, day or shift, whatever else it asks for", async () => {
    const { aliases } = content();
    const widget = (widgetId: string, config: object) => ({
      widgetId,
      type: "energy",
      name: "",
      config: { aliasId: "one", keys: ["t"], aggregation: "avg", ...config },
    });
    const widgets = [
      widget("hours", {}),
      widget("days", { interval: "1d" }),
      widget("shifts", { interval: "06:00,14:00,22:00", timezone: "Asia/Tokyo" }),
    ];
    const { id } = await create({ aliases, widgets });
    const { body } = await call("POST", `/${id}/execute`, {
      timeRange: { mode: "live", durationMs: 3_600_000 },
    });
    const points = (widgetId: string) => body.data[widgetId].series[0].series[0].points;
    for (const { ts } of points("days")) expect(ts % 86_400_000).toBe(0);
    for (const { ts } of points("hours")) expect(ts % 3_600_000).toBe(0);
    // Shifts in Tokyo begin at 21:00, 05:00 and 13:00 UTC.
    for (const { ts } of points("shifts")) expect([5, 13, 21]).toContain(new Date(ts).getUTCHours());
    expect(points("days").length).toBeGreaterThan(0);
    expect(points("shifts").length).toBeGreaterThan(0);
  });

  test("a widget with a time window of its own gets that one, with the period before", async () => {
    const { aliases } = content();
    const widget = (widgetId: string, timeWindow: unknown) => ({
      widgetId,
      type: "timeseries",
      name: "",
      config: { aliasId: "one", keys: ["t"], compare: true, ...(timeWindow !== undefined && { timeWindow }) },
    });
    const widgets = [
      widget("shared", undefined),
      widget("null", null),
      widget("short", { mode: "live", durationMs: 15 * 60_000 }),
      widget("today", { mode: "calendar", unit: "day", timezone: "UTC" }),
      widget("wrong", { mode: "calendar", unit: "era" }),
    ];
    const { body } = await call("POST", "/preview", { dashboard: { aliases, widgets } });
    const parts = body.data;
    const day = Date.UTC(2026, 5, 10);
    expect(widgets.map(({ widgetId }) => parts[widgetId].timeWindow)).toEqual([
      undefined,
      undefined,
      { from: now - 15 * 60_000, to: now },
      { from: day, to: day + 86_400_000 - 1 },
      undefined,
    ]);
    const times = (name: string, part: "series" | "previous") =>
      (parts[name][part][0].series[0]?.points ?? []).map(({ ts }: { ts: number }) => (now - ts) / 60_000);
    expect(times("shared", "series")).toEqual([50, 40, 30, 20, 10, 0]);
    expect(times("short", "series")).toEqual([10, 0]);
    expect(times("short", "previous")).toEqual([15, 5]);
    expect(times("today", "previous")).toEqual([]);
    expect(parts.wrong).toMatchObject({ deviceIds: [], errorText: { code: "dashboard.invalid" } });
  });

  test("shows nothing of devices that the caller may not see", async () => {
    const { id } = await create(content());
    const { status, body, text } = await call("POST", `/${id}/execute`, {}, "limited");
    expect(status).toBe(200);
    expect(body.devices.all).toMatchObject([{ deviceId: oven.deviceId }]);
    expect(JSON.stringify([body.devices, body.data])).not.toContain(press.deviceId);
    expect(text).not.toContain('"press"');
  });
});

describe("aliases", () => {
  const resolve = (alias: unknown, dashboardState?: unknown, who: Who = "owner") =>
    call("POST", "/resolve-alias", { alias, ...(dashboardState !== undefined && { dashboardState }) }, who);
  test.each([
    ["singleDevice", () => ({ deviceId: oven.deviceId }), ["oven"]],
    ["deviceList", () => ({ deviceIds: [press.deviceId, oven.deviceId] }), ["press", "oven"]],
    ["deviceType", () => ({ deviceType: "press" }), ["press"]],
    ["deviceGroup", () => ({ tag: "hall-1" }), ["oven"]],
    ["asset", () => ({ assetId: "line-2" }), ["press"]],
    ["gatewayChildren", () => ({ gatewayId: oven.deviceId }), []],
    ["singleDevice", () => ({ deviceId: "gone" }), []],
  ] as const)("%s", async (type, fields, names) => {
    const alias = { id: "a", name: "a", type, ...fields() };
    for (const form of [alias, JSON.stringify(alias)]) {
      const { status, body } = await resolve(form);
      expect([status, body.devices.map(({ name }: { name: string }) => name)]).toEqual([200, [...names]]);
    }
  });

  test("a state alias resolves to the device of the dashboard's state", async () => {
    const { body } = await resolve({ type: "stateEntity" }, { deviceId: press.deviceId });
    expect(body.devices).toMatchObject([{ name: "press" }]);
    const other = await resolve({ type: "stateEntity" }, { deviceId: press.deviceId }, "stranger");
    expect(other.body.devices).toEqual([]);
  });

  test("none, and one of an unknown type, are refused", async () => {
    for (const body of [{}, { alias: null }, { alias: { type: "constellation" } }, { alias: "{" }]) {
      const response = await call("POST", "/resolve-alias", body);
      expect([response.status, response.body.statusCode]).toEqual([400, 400]);
    }
  });
});

test("a synoptic shows the devices that its symbols name, and the first for those that name none", async () => {
  const { aliases } = content();
  const widget = (widgetId: string, symbols: readonly object[]) => ({
    widgetId,
    type: "synoptic",
    name: "",
    config: { aliasId: "all", symbols },
  });
  const widgets = [
    widget("named", [{ symbol: "pump", deviceId: press.deviceId, key: "t" }]),
    widget("first", [
      { symbol: "tank", deviceId: "", key: "t" },
      { symbol: "pump", deviceId: press.deviceId, key: "mode" },
    ]),
    widget("empty", []),
  ];
  const { body } = await call("POST", "/preview", { dashboard: { aliases, widgets } });
  expect(body.data.named.deviceIds).toEqual([press.deviceId]);
  expect(body.data.first.deviceIds).toEqual([oven.deviceId, press.deviceId]);
  expect(Object.keys(body.data.first.latest[0].values)).toEqual(["t", "mode"]);
  expect(body.data.empty.deviceIds).toEqual([]);
});
