import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import {
  call,
  content,
  create,
  fixture,
  oven,
  press,
  tokens,
  useDashboards,
  type Who,
} from "./dashboards-fixture.ts";

useDashboards();

describe("permissions", () => {
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

test("data of single widgets can be requested", async () => {
  const { id } = await create(content());
  const { body } = await call("POST", `/${id}/execute`, { widgetIds: ["now", "gone"] });
  expect(Object.keys(body.data)).toEqual(["now"]);
  expect((await call("POST", `/${id}/execute`, { widgetIds: "now" })).status).toBe(400);
});

test("an invalid time range and too many devices in an alias are refused", async () => {
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

describe("a stored dashboard", () => {
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

  test("a change leaves all other fields as they are", async () => {
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
    const response = await call("POST", "", body);
    expect([response.status, response.body.statusCode]).toEqual([400, 400]);
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

  test("ids are replaced by the given ones, also inside of JSON texts", async () => {
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
