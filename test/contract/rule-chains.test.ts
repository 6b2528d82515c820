import { describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { type ContractRow, contract, createWorld, keep } from "./client.ts";
import { boolean, emptyList, iso, listOf, object, oneOf, text, uuid } from "./shapes.ts";

const world = createWorld();
const time = "/api/rule-chains";
const config = { intervalSeconds: 1, metrics: [{ key: "temp", min: 10, max: 20 }] };
const body = { name: "Generator", type: "data_generator", enabled: true, status: "draft", config };
const record = {
  id: uuid,
  name: text,
  type: "data_generator",
  enabled: boolean,
  status: oneOf("draft", "active", "paused"),
  config: object,
  tenantId: uuid,
  createdAt: iso,
  updatedAt: iso,
};
const metric = (fields: object) => ({ ...config, metrics: [{ ...config.metrics[0], ...fields }] });
const badConfigs: Record<string, unknown> = {
  "a config that is a text": "x",
  "an interval that is a text": { ...config, intervalSeconds: "1" },
  "an interval of zero": { ...config, intervalSeconds: 0 },
  "metrics that are no list": { ...config, metrics: {} },
  "a metric without a key": metric({ key: undefined }),
  "a metric whose minimum is a text": metric({ min: "1" }),
  "an unknown pattern": metric({ pattern: "square" }),
};

describe("rule chains", () => {
  contract(world, [
    [
      "are created as drafts",
      `rw POST ${time}`,
      201,
      {
        body: { ...body, description: "made up" },
        is: { ...record, name: "Generator", description: "made up", status: "draft", enabled: true, config },
        check: keep(world, "chain", ({ id }) => id),
      },
    ],
    ...["name", "type", "enabled", "status", "config"].map(
      (field): ContractRow => [
        `need ${field}`,
        `rw POST ${time}`,
        400,
        { body: { ...body, [field]: undefined } },
      ],
    ),
    ["know one type", `rw POST ${time}`, 400, { body: { ...body, type: "graph" } }],
    ["know three states", `rw POST ${time}`, 400, { body: { ...body, status: "running" } }],
    ["have a name that is a text", `rw POST ${time}`, 400, { body: { ...body, name: 5 } }],
    ["have a flag that is a boolean", `rw POST ${time}`, 400, { body: { ...body, enabled: "yes" } }],
    ...Object.entries(badConfigs).map(
      ([name, bad]): ContractRow => [
        `refuse ${name}`,
        `rw POST ${time}`,
        400,
        { body: { ...body, config: bad } },
      ],
    ),
    ...["random", "walk", "sine", "counter"].map(
      (pattern): ContractRow => [
        `know the pattern ${pattern}`,
        `rw POST ${time}`,
        201,
        {
          body: { ...body, config: metric({ pattern, decimals: 2 }) },
          is: { config: { metrics: [{ key: "temp", pattern, decimals: 2 }] } },
        },
      ],
    ),
    ["are listed", `reader GET ${time}`, 200, { is: listOf(record) }],
    ["are not listed to another tenant", `stranger GET ${time}`, 200, { is: emptyList }],
    ["are read", `reader GET ${time}/{chain}`, 200, { is: { ...record, config } }],
    ["are 404 when unknown", `owner GET ${time}/{unknown}`, 404],
    [
      "are changed",
      `rw PATCH ${time}/{chain}`,
      200,
      {
        body: { name: "Maker", description: "new" },
        is: { ...record, name: "Maker", description: "new", config },
      },
    ],
    ["keep their type", `rw PATCH ${time}/{chain}`, 400, { body: { type: "graph" } }],
    ...[[], "x", 5, true, { config: "x" }, { enabled: "no" }, { status: "gone" }].map(
      (bad): ContractRow => [`refuse ${JSON.stringify(bad)}`, `rw PATCH ${time}/{chain}`, 400, { body: bad }],
    ),
    ...["GET", "PATCH", "DELETE"].map(
      (method): ContractRow => [
        `are 404 for another tenant's ${method}`,
        `stranger ${method} ${time}/{chain}`,
        404,
        method === "PATCH" ? { body: { name: "x" } } : {},
      ],
    ),
    ...["start", "pause"].map(
      (act): ContractRow => [
        `are 404 for another tenant's ${act}`,
        `stranger POST ${time}/{chain}/${act}`,
        404,
      ],
    ),
    ["are not created by a reader", `reader POST ${time}`, 403, { body }],
    ["are not changed by a reader", `reader PATCH ${time}/{chain}`, 403, { body: { name: "x" } }],
    ["are not started by a reader", `reader POST ${time}/{chain}/start`, 403],
    ["are not paused by a reader", `reader POST ${time}/{chain}/pause`, 403],
    ["are not deleted by a reader", `reader DELETE ${time}/{chain}`, 403],
  ]);
});

describe("the states of a rule chain", () => {
  contract(world, [
    ["draft → start → active", `rw POST ${time}/{chain}/start`, 200, { is: { ...record, status: "active" } }],
    [
      "active → pause → paused",
      `rw POST ${time}/{chain}/pause`,
      200,
      { is: { ...record, status: "paused" } },
    ],
    [
      "paused → start → active",
      `rw POST ${time}/{chain}/start`,
      200,
      { is: { ...record, status: "active" } },
    ],
    [
      "enabled: false forces paused",
      `rw PATCH ${time}/{chain}`,
      200,
      { body: { enabled: false }, is: { enabled: false, status: "paused" } },
    ],
    [
      "enabled: true does not start",
      `rw PATCH ${time}/{chain}`,
      200,
      { body: { enabled: true }, is: { enabled: true, status: "paused" } },
    ],
    [
      "an active one has a device named after it, or the named ones",
      `rw PATCH ${time}/{chain}`,
      200,
      {
        body: () => ({ config: { ...config, deviceIds: [world.ids.device] } }),
        is: { config: { intervalSeconds: 1 } },
      },
    ],
    [
      "takes no device of another tenant",
      `rw PATCH ${time}/{chain}`,
      404,
      { body: () => ({ config: { ...config, deviceIds: [world.ids.foreign] } }) },
    ],
    ["starts with a device", `rw POST ${time}/{chain}/start`, 200, { is: { status: "active" } }],
  ]);

  test("an active chain feeds values within its limits", async () => {
    const latest = () => world.need("reader", "GET /api/devices/{device}/telemetry/latest");
    await until(async () => typeof (await latest()).values.temp === "number", "a generated value");
    expect((await latest()).values.temp).toBeWithin(10, 20.000001);
  });

  test("a chain without devices makes a device named after it", async () => {
    const chain = await world.need("rw", `POST ${time}`, { ...body, name: "Virtual one" });
    await world.need("rw", `POST ${time}/${chain.id}/start`);
    const devices = async (): Promise<unknown[]> => world.need("rw", "GET /api/devices?search=Virtual");
    await until(async () => (await devices()).length === 1, "the virtual device");
    await world.need("rw", `POST ${time}/${chain.id}/pause`);
  });
});

describe("the preview", () => {
  const path = `POST ${time}/preview`;
  const list = (value: unknown) => (Array.isArray(value) ? undefined : "no list");
  contract(world, [
    [
      "answers a result without storing",
      `rw ${path}`,
      200,
      {
        body: { config: metric({ key: "only previewed" }) },
        is: { success: true, result: object, warnings: list, errors: emptyList },
      },
    ],
    [
      "has stored nothing",
      "reader GET /api/telemetry/keys",
      200,
      { check: ({ text: keys }) => expect(keys).not.toContain("only previewed") },
    ],
    ["needs a config", `rw ${path}`, 400, { body: {} }],
    ["needs a config that is an object", `rw ${path}`, 400, { body: { config: "x" } }],
  ]);
});

describe("deleting", () => {
  contract(world, [
    ["answers success", `rw DELETE ${time}/{chain}`, 200, { is: { success: true } }],
    ["is gone then", `rw GET ${time}/{chain}`, 404],
  ]);
});
