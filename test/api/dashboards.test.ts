import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
const tokens: Record<"owner" | "writer" | "reader" | "limited" | "stranger", string> = {
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
let oven: Created;
let press: Created;
let now: number;

beforeAll(async () => {
  const clock = new FakeClock(Date.UTC(2026, 5, 10, 12));
  now = clock.now();
  fixture = await createTestApp({ clock });
  tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
  tokens.writer = (await fixture.signIn("TENANT_RW")).token;
  tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  oven = await fixture.createDevice(tokens.owner, { name: "oven", deviceType: "oven", tags: ["hall-1"] });
  press = await fixture.createDevice(tokens.owner, { name: "press", deviceType: "press", assetId: "line-2" });
  tokens.limited = (await fixture.signIn("TENANT_READ_ONLY", { devices: [oven.deviceId] })).token;
  for (const [index, device] of [oven, press].entries())
    for (let minute = 50; minute >= 0; minute -= 10)
      await fixture.call("POST", `/api/v1/${device.token}/telemetry`, {
        body: { ts: now - minute * 60_000, values: { t: index * 100 + minute, mode: "on", ok: minute > 20 } },
      });
});
afterAll(() => fixture.stop());

type Who = keyof typeof tokens;
const call = (method: string, path: string, body?: unknown, who: Who = "owner") =>
  fixture.call(method, `/api/dashboards${path}`, {
    token: tokens[who],
    ...(body !== undefined && { body }),
  });
async function create(fields: Record<string, unknown> = {}) {
  const answer = await call("POST", "", { name: "board", ...fields });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

const content = () => ({
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

describe("who may do what", () => {
  const as = (who: Who) => ({
    method: "POST",
    path: "/api/dashboards",
    token: tokens[who],
    body: { name: "row" },
  });
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous creates none",
        request: () => ({ method: "POST", path: "/api/dashboards", body: { name: "row" } }),
        status: 401,
        answer: "none",
      },
      { name: "a reader creates none", request: () => as("reader"), status: 403, answer: "error" },
      { name: "a writer creates one", request: () => as("writer"), status: 201 },
      {
        name: "a reader lists them",
        request: () => ({ method: "GET", path: "/api/dashboards", token: tokens.reader }),
        status: 200,
        answer: ({ body }) => expect(body).toMatchObject([{ name: "row", type: "STATIC" }]),
      },
    ],
  );
});

test("some of its widgets are asked for by themselves", async () => {
  const { id } = await create(content());
  const { body } = await call("POST", `/${id}/execute`, { widgetIds: ["now", "gone"] });
  expect(Object.keys(body.data)).toEqual(["now"]);
  expect((await call("POST", `/${id}/execute`, { widgetIds: "now" })).status).toBe(400);
});

test("a time that cannot be looked at, and more devices than an alias takes, are not kept", async () => {
  for (const timeWindow of [
    { from: 0, to: 9_007_199_254_740_991 },
    { mode: "calendar", unit: "nope" },
    { mode: "calendar", unit: "day", timezone: "Nowhere/At all" },
    { mode: "live", durationMs: -1 },
  ])
    expect([timeWindow, (await call("POST", "", { name: "x", timeWindow })).status]).toEqual([
      timeWindow,
      400,
    ]);
  const early = { mode: "calendar", unit: "year", offset: -1_000 };
  expect((await call("POST", "/preview", { dashboard: { timeWindow: early } })).body.timeWindow.from).toBe(0);
  const deviceIds = Array.from({ length: 1_001 }, (_, n) => `d${n}`);
  const alias = { id: "a", name: "a", type: "deviceList", deviceIds };
  expect((await call("POST", "", { name: "x", aliases: [alias] })).status).toBe(400);
  const resolved = await call("POST", "/resolve-alias", {
    alias: { ...alias, deviceIds: [...deviceIds.slice(1), oven.deviceId] },
  });
  expect(resolved.body).toEqual({ devices: [] });
});

describe("what goes in comes out", () => {
  test("objects stay objects, and JSON texts stay texts", async () => {
    const objects = content();
    const asObjects = await create(objects);
    expect(asObjects).toMatchObject(objects);
    const texts = Object.fromEntries(
      (["states", "layout", "widgets", "aliases"] as const).map((name) => [
        name,
        objects[name].map((item) => JSON.stringify(item)),
      ]),
    );
    const asTexts = await create(texts);
    expect(asTexts).toMatchObject(texts);
    expect((await call("GET", `/${asTexts.id}`)).body).toEqual(asTexts);
    const executed = await call("POST", `/${asTexts.id}/execute`);
    expect(executed.body.data.chart.series).toHaveLength(2);
    expect(executed.body.widgets).toEqual(texts.widgets);
  });

  test("texts of any kind come back exactly as they were given", async () => {
    const texts = ["", "state-1", "{", "[]", '{"id": 1}', '{ "id":"a", "name":"A" }', "ü\n"];
    const lists = { states: texts, layout: texts, widgets: texts, aliases: texts };
    const created = await create(lists);
    expect(created).toMatchObject(lists);
    expect((await call("GET", `/${created.id}`)).body).toEqual(created);
    expect((await call("PATCH", `/${created.id}`, { widgets: ["other"] })).body.widgets).toEqual(["other"]);
    expect((await call("POST", `/${created.id}/execute`, {})).body).toMatchObject({
      states: texts,
      data: {},
    });
    expect((await call("GET", `/${created.id}/export`)).body.layout).toEqual(texts);
    expect((await call("POST", "/import", lists)).status).toBe(400); // it has no name
    expect((await call("POST", "/import", { name: "again", ...lists })).body).toMatchObject(lists);
  });

  test("a text works as an item where it is the JSON of one, beside objects and other texts", async () => {
    const [chart, value] = content().widgets;
    const widgets = ["a note", JSON.stringify(chart), value, JSON.stringify(chart)];
    const { id } = await create({ ...content(), widgets });
    const { body } = await call("POST", `/${id}/execute`);
    expect([Object.keys(body.data), body.widgets]).toEqual([["chart", "now"], widgets]);
  });

  test("a change names what it changes, and all else stays", async () => {
    const created = await create({
      ...content(),
      settings: { dashboardState: "main" },
      configuration: { states: {} },
    });
    const changed = await call("PATCH", `/${created.id}`, { name: "other", layout: [] });
    expect(changed.body).toEqual({
      ...created,
      name: "other",
      layout: [],
      updatedAt: expect.any(String),
    });
    expect((await call("DELETE", `/${created.id}`)).body).toEqual({ success: true });
    expect((await call("GET", `/${created.id}`)).status).toBe(404);
  });

  test.each([
    ["no name", { type: "STATIC" }],
    ["a type that there is none of", { name: "x", type: "MOVING" }],
    ["a widget without a type", { name: "x", widgets: [{ widgetId: "a", name: "", config: {} }] }],
    ["a widget that is a number", { name: "x", widgets: [5] }],
    ["a place that is no number", { name: "x", layout: [{ i: "a", x: "0", y: 0, w: 1, h: 1 }] }],
    ["a state without a name", { name: "x", states: [{ id: "a" }] }],
    [
      "two widgets with one id",
      {
        name: "x",
        widgets: [1, 2].map(() => ({ widgetId: "a", type: "value", name: "", config: {} })),
      },
    ],
    ["states that are no list", { name: "x", states: {} }],
  ] as const)("%s is refused", async (_, body) => {
    const answer = await call("POST", "", body);
    expect([answer.status, answer.body.statusCode]).toEqual([400, 400]);
  });
});

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

  test("of one state only its own widgets, in a window that is asked for", async () => {
    const { id } = await create(content());
    const timeRange = { from: now - 25 * 60_000, to: now };
    const { body } = await call("POST", `/${id}/execute`, { dashboardStateId: "main", timeRange });
    expect(Object.keys(body.data)).not.toContain("only");
    expect(body.timeWindow).toEqual(timeRange);
    expect(body.data.chart.series[0].series[0].points).toHaveLength(3);
    const bad = await call("POST", `/${id}/execute`, { timeRange: { from: now, to: 5 } });
    expect(bad.status).toBe(400);
  });

  test("one that is not stored shows the same", async () => {
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

  test("a key of texts cannot be averaged: said at its widget, and the others have their data", async () => {
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

  test("more lines than anybody could look at are refused widget by widget, and points are shared out", async () => {
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
    expect([body.data.w1.error, body.data.w59.error]).toEqual([
      undefined,
      "A dashboard can show at most 5000 series. Select fewer devices or keys.",
    ]);
    const many = Array.from({ length: 101 }, (_, n) => ({ id: `a${n}`, name: "", type: "stateEntity" }));
    expect((await call("POST", "", { name: "x", aliases: many })).status).toBe(400);
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

  test("the device that the dashboard is looked at with", async () => {
    const { body } = await resolve({ type: "stateEntity" }, { deviceId: press.deviceId });
    expect(body.devices).toMatchObject([{ name: "press" }]);
    const other = await resolve({ type: "stateEntity" }, { deviceId: press.deviceId }, "stranger");
    expect(other.body.devices).toEqual([]);
  });

  test("none, and one of an unknown type, are refused", async () => {
    for (const body of [{}, { alias: null }, { alias: { type: "constellation" } }, { alias: "{" }]) {
      const answer = await call("POST", "/resolve-alias", body);
      expect([answer.status, answer.body.statusCode]).toEqual([400, 400]);
    }
  });
});

describe("export and import", () => {
  test("a dashboard goes to another site, and finds its devices there by their names", async () => {
    const { id } = await create(content());
    const exported = await call("GET", `/${id}/export`);
    expect(exported.body.devices).toContainEqual({ deviceId: oven.deviceId, name: "oven" });
    const there = await fixture.createDevice(tokens.stranger, { name: "oven", deviceType: "oven" });
    const imported = await call("POST", "/import", exported.body, "stranger");
    expect(imported.status).toBe(200);
    expect(imported.body.aliases[1]).toMatchObject({ config: { deviceId: there.deviceId } });
    expect(imported.body).toMatchObject({ name: "board", widgets: content().widgets });
    expect(imported.body.id).not.toBe(id);
  });

  test("ids become those that are said, also inside of JSON texts", async () => {
    const aliases = content().aliases.map((alias) => JSON.stringify(alias));
    const idMap = { [oven.deviceId]: press.deviceId };
    const { status, body } = await call("POST", "/import", { dashboard: { name: "mapped", aliases }, idMap });
    expect(status).toBe(200);
    expect(JSON.parse(body.aliases[1])).toMatchObject({ config: { deviceId: press.deviceId } });
  });

  test.each([
    ["no name", {}],
    ["another format", { name: "x", format: "grafana" }],
    ["a newer version", { name: "x", version: 99 }],
    ["ids that are none", { dashboard: { name: "x" }, idMap: { a: 1 } }],
  ] as const)("%s is refused", async (_, body) => {
    expect((await call("POST", "/import", body)).status).toBe(400);
  });
});

test("one click makes a dashboard for a device type, of the keys that its devices send", async () => {
  const apiAnswer = await call("POST", "/for-type", { deviceType: "oven", name: "Ovens" });
  expect([apiAnswer.status, apiAnswer.body.name]).toEqual([201, "Ovens"]);
  const types = apiAnswer.body.widgets.map(({ type }: { type: string }) => type);
  expect(new Set(types)).toEqual(
    new Set(["statusGrid", "alarmList", "value", "timeseries", "stateTimeline", "deviceTable"]),
  );
  const { body } = await call("POST", `/${apiAnswer.body.id}/execute`);
  const chart = apiAnswer.body.widgets.find(({ type }: { type: string }) => type === "timeseries");
  expect(body.data[chart.widgetId].series[0].series[0]).toMatchObject({ key: "t" });
  expect(body.data[chart.widgetId].series[0].series[0].points.length).toBeGreaterThan(3);
});
