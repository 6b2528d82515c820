import { describe, expect } from "bun:test";
import { type ContractRow, contract, createWorld, keep } from "./client.ts";
import {
  boolean,
  emptyList,
  epochMs,
  including,
  iso,
  listOf,
  problemWith,
  text,
  uuid,
  without,
} from "./shapes.ts";

const world = createWorld({
  prepare: async ({ need, ids }) => {
    await need("anonymous", "POST /api/v1/{deviceToken}/telemetry", { payload: { temp: 21 } });
    await need("rw", "PATCH /api/devices/{device}", { assetId: "hall-1" });
    const gate = await need("rw", "POST /api/devices", {
      name: "gate",
      deviceType: "gateway",
      role: "GATEWAY",
    });
    ids.gate = gate.deviceId;
    await need("rw", "PATCH /api/devices/{granted}", { parentDeviceId: gate.deviceId, tags: ["north"] });
  },
});

const parts = {
  states: [{ id: "main", name: "Main" }],
  layout: [{ i: "w1", x: 0, y: 0, w: 4, h: 3 }],
  widgets: [
    {
      widgetId: "w1",
      type: "value",
      name: "Temperature",
      config: { alias: "a1", keys: ["temp"] },
      dashboardStateId: "main",
    },
  ],
  aliases: [{ id: "a1", name: "Pump", type: "singleDevice" }],
  timeWindow: { from: 1_700_000_000_000, to: 1_700_000_060_000 },
  configuration: { states: { main: {} }, configuration: { old: true } },
  settings: { dashboardState: "main" },
};
const texts = Object.fromEntries(
  (["states", "layout", "widgets", "aliases"] as const).map((field) => [
    field,
    parts[field].map((item) => JSON.stringify(item)),
  ]),
);
const board = { id: uuid, name: text, type: text, tenantId: uuid, createdAt: iso, updatedAt: iso };
const time = "/api/dashboards";
const bad: Record<string, object> = {
  "a name that is no text": { name: 5 },
  "an unknown type": { type: "MOVING" },
  "states that are no list": { states: "x" },
  "a state without an id": { states: [{ name: "x" }] },
  "a layout item without numbers": { layout: [{ i: "w", x: "0", y: 0, w: 1, h: 1 }] },
  "a widget without an id": { widgets: [{ type: "value", name: "x", config: {} }] },
  "an alias without a type": { aliases: [{ id: "a", name: "x" }] },
  "a time window of texts": { timeWindow: { from: "a", to: "b" } },
  "settings that are a list": { settings: [] },
};

describe("dashboards", () => {
  contract(world, [
    [
      "are created with a name alone, as STATIC",
      `rw POST ${time}`,
      201,
      {
        body: { name: "Plain" },
        is: { ...board, name: "Plain", type: "STATIC" },
        check: keep(world, "plain", (body) => body.id),
      },
    ],
    [
      "are created with all their parts",
      `rw POST ${time}`,
      201,
      {
        body: { name: "Full", type: "CONTEXT_DEVICE", ...parts },
        is: { ...board, type: "CONTEXT_DEVICE", ...parts },
        check: keep(world, "full", (body) => body.id),
      },
    ],
    [
      "take parts as JSON strings and give them back so",
      `rw POST ${time}`,
      201,
      { body: { name: "Texts", ...texts }, is: texts, check: keep(world, "texts", (body) => body.id) },
    ],
    [
      "take any text as a part",
      `rw POST ${time}`,
      201,
      { body: { name: "x", states: ["main"] }, is: { states: ["main"] } },
    ],
    ["keep the form that went in", `reader GET ${time}/{texts}`, 200, { is: texts }],
    ["need a name", `rw POST ${time}`, 400, { body: { type: "STATIC" } }],
    ...Object.entries(bad).map(
      ([name, body]): ContractRow => [
        `refuse ${name} when created`,
        `rw POST ${time}`,
        400,
        { body: { name: "x", ...body } },
      ],
    ),
    ...Object.entries(bad).map(
      ([name, body]): ContractRow => [
        `refuse ${name} when changed`,
        `rw PATCH ${time}/{full}`,
        400,
        { body },
      ],
    ),
    ...[[], "x", 5, true].map(
      (body): ContractRow => [
        `refuse ${JSON.stringify(body)} as a change`,
        `rw PATCH ${time}/{full}`,
        400,
        { body },
      ],
    ),
    ["are not created by a reader", `reader POST ${time}`, 403, { body: { name: "x" } }],
    ["are listed", `reader GET ${time}`, 200, { is: listOf(board) }],
    [
      "are listed with what is in them",
      `reader GET ${time}`,
      200,
      { is: including({ name: "Full", ...parts }) },
    ],
    ["are not listed to another tenant", `stranger GET ${time}`, 200, { is: emptyList }],
    ["are read", `reader GET ${time}/{full}`, 200, { is: { ...board, ...parts } }],
    ["are 404 when unknown", `owner GET ${time}/{unknown}`, 404],
    ["are 404 for another tenant", `stranger GET ${time}/{full}`, 404],
    [
      "are changed",
      `rw PATCH ${time}/{full}`,
      200,
      { body: { name: "Fuller" }, is: { ...board, name: "Fuller", ...parts } },
    ],
    ["are not changed by a reader", `reader PATCH ${time}/{full}`, 403, { body: { name: "x" } }],
    ["are not changed by another tenant", `stranger PATCH ${time}/{full}`, 404, { body: { name: "x" } }],
    ["are not deleted by a reader", `reader DELETE ${time}/{plain}`, 403],
    ["are not deleted by another tenant", `stranger DELETE ${time}/{plain}`, 404],
    ["are deleted", `rw DELETE ${time}/{plain}`, 200, { is: { success: true } }],
    ["are gone then", `rw GET ${time}/{plain}`, 404],
  ]);
});

describe("executing", () => {
  contract(world, [
    [
      "answers the dashboard with an absolute time window",
      `reader POST ${time}/{full}/execute`,
      200,
      { body: {}, is: { ...board, timeWindow: { from: epochMs, to: epochMs } } },
    ],
    ["needs no body", `reader POST ${time}/{full}/execute`, 200, { is: board }],
    [
      "takes a time range",
      `reader POST ${time}/{full}/execute`,
      200,
      {
        body: { timeRange: { from: 1_600_000_000_000, to: 1_600_000_060_000 } },
        is: { timeWindow: { from: 1_600_000_000_000, to: 1_600_000_060_000 } },
      },
    ],
    [
      "takes a state and a context",
      `reader POST ${time}/{full}/execute`,
      200,
      { body: () => ({ dashboardStateId: "main", context: { deviceId: world.ids.device } }), is: board },
    ],
    [
      "refuses a context that is a text",
      `reader POST ${time}/{full}/execute`,
      400,
      { body: { context: "x" } },
    ],
    [
      "refuses a time range that is a text",
      `reader POST ${time}/{full}/execute`,
      400,
      { body: { timeRange: "x" } },
    ],
    ["is 404 for another tenant", `stranger POST ${time}/{full}/execute`, 404, { body: {} }],
  ]);
});

describe("importing", () => {
  const exported = async () => world.need("rw", `GET ${time}/{full}`);
  let dashboard: Record<string, unknown>;
  contract(world, [
    [
      "an export is read",
      `rw GET ${time}/{full}`,
      200,
      {
        check: ({ body }) => {
          dashboard = body;
        },
      },
    ],
    [
      "takes an exported dashboard",
      `rw POST ${time}/import`,
      200,
      {
        body: () => dashboard,
        is: { ...board, name: "Fuller" },
        check: async ({ body }) => expect(body.id).not.toBe((await exported()).id),
      },
    ],
    [
      "takes a dashboard with a map of ids",
      `rw POST ${time}/import`,
      200,
      { body: () => ({ dashboard, idMap: { old: "new" } }), is: board },
    ],
    ["refuses an empty body", `rw POST ${time}/import`, 400, { body: {} }],
    ["refuses a list", `rw POST ${time}/import`, 400, { body: [] }],
    ["refuses a reader", `reader POST ${time}/import`, 403, { body: () => dashboard }],
  ]);
});

describe("resolving an alias", () => {
  const path = `${time}/resolve-alias`;
  const device = {
    deviceId: uuid,
    name: text,
    deviceType: text,
    active: boolean,
    assetId: (value: unknown) =>
      value === null || typeof value === "string" ? undefined : "assetId is missing",
  };
  const alias = (type: string, fields: object = {}) => ({ id: "a", name: "A", type, ...fields });
  const found = (...names: string[]) => ({
    check: ({ body }: { body: { devices: Array<{ name: string }> } }) => {
      expect(body.devices.map(({ name }) => name).sort()).toEqual(names.sort());
      expect(problemWith(body.devices, listOf(device))).toBeUndefined();
    },
  });
  contract(world, [
    ["needs an alias", `reader POST ${path}`, 400, { body: {} }],
    ["needs an alias that is an object", `reader POST ${path}`, 400, { body: { alias: "x" } }],
    ["refuses an unknown type", `reader POST ${path}`, 400, { body: { alias: alias("planet") } }],
    [
      "takes a device type",
      `reader POST ${path}`,
      200,
      { body: { alias: alias("deviceType", { deviceType: "sensor" }) }, ...found("device", "granted") },
    ],
    [
      "takes a single device",
      `reader POST ${path}`,
      200,
      { body: () => ({ alias: alias("singleDevice", { deviceId: world.ids.device }) }), ...found("device") },
    ],
    [
      "takes a list of devices",
      `reader POST ${path}`,
      200,
      {
        body: () => ({ alias: alias("deviceList", { deviceIds: [world.ids.device, world.ids.granted] }) }),
        ...found("device", "granted"),
      },
    ],
    [
      "takes the children of a gateway",
      `reader POST ${path}`,
      200,
      {
        body: () => ({ alias: alias("gatewayChildren", { gatewayId: world.ids.gate }) }),
        ...found("granted"),
      },
    ],
    [
      "takes an asset",
      `reader POST ${path}`,
      200,
      { body: { alias: alias("asset", { assetId: "hall-1" }) }, ...found("device") },
    ],
    [
      "takes a group by tag",
      `reader POST ${path}`,
      200,
      { body: { alias: alias("deviceGroup", { tag: "north" }) }, ...found("granted") },
    ],
    [
      "takes the entity of the state",
      `reader POST ${path}`,
      200,
      {
        body: () => ({ alias: alias("stateEntity"), dashboardState: { deviceId: world.ids.device } }),
        ...found("device"),
      },
    ],
    [
      "resolves to no other tenant's devices",
      `stranger POST ${path}`,
      200,
      {
        body: () => ({ alias: alias("singleDevice", { deviceId: world.ids.device }) }),
        is: { devices: emptyList },
      },
    ],
    [
      "resolves to granted devices alone",
      `limited POST ${path}`,
      200,
      {
        body: { alias: alias("deviceType", { deviceType: "sensor" }) },
        is: { devices: without({ name: "device" }) },
      },
    ],
  ]);
});
