import { describe, expect, test } from "bun:test";
import { contract, createWorld } from "./client.ts";
import {
  emptyList,
  epochMs,
  including,
  listOf,
  number,
  problemWith,
  type Shape,
  text,
  uuid,
  without,
} from "./shapes.ts";

/** A whole UTC hour of yesterday, so that intervals are round. */
const START = Math.floor((Date.now() - 86_400_000) / 3_600_000) * 3_600_000;
const MINUTE_MS = 60_000;
const atTime = (minute: number) => START + minute * MINUTE_MS;

const world = createWorld({
  prepare: async ({ need, test: app, tokens, ids }) => {
    const other = await app.createDevice(tokens.rw ?? "", { name: "second" });
    ids.second = other.deviceId;
    ids.secondToken = other.token;
    const items = [1, 5, 2, 8, 4, 4].map((temp, minute) => ({ ts: atTime(minute), telemetry: { temp } }));
    await need("anonymous", "POST /api/v1/{deviceToken}/telemetry/batch", { items });
    await need("anonymous", "POST /api/v1/{deviceToken}/telemetry/batch", {
      items: [{ ts: atTime(2), telemetry: { state: "on", open: true, deep: { a: [1] }, digits: "42" } }],
    });
    await need("anonymous", "POST /api/v1/{secondToken}/telemetry/batch", {
      items: [{ ts: atTime(1), telemetry: { temp: 9 } }],
    });
  },
});

const post = "POST /api/v1/{deviceToken}/telemetry";
const batch = `${post}/batch`;
const success = { success: true };
const latest = (values: Shape) => async () => {
  const { body } = await world.ask("reader", "GET /api/devices/{device}/telemetry/latest");
  expect(problemWith(body.values, values)).toBeUndefined();
};

describe("posting telemetry", () => {
  contract(world, [
    [
      "takes a payload",
      `anonymous ${post}`,
      200,
      {
        body: { payload: { p1: 1.5, p2: "x", p3: true, p4: { a: 1 } } },
        is: success,
        check: latest({ p1: 1.5, p2: "x", p3: true, p4: { a: 1 } }),
      },
    ],
    [
      "takes a ts as ISO 8601 inside the payload",
      `anonymous ${post}`,
      200,
      {
        body: { payload: { ts: new Date(atTime(30)).toISOString(), p5: 5 } },
        is: success,
        check: latest({ p5: 5 }),
      },
    ],
    ["takes {k: v}", `anonymous ${post}`, 200, { body: { q1: 1 }, is: success, check: latest({ q1: 1 }) }],
    [
      "takes {ts, values}",
      `anonymous ${post}`,
      200,
      { body: { ts: atTime(31), values: { q2: 2 } }, is: success, check: latest({ q2: 2 }) },
    ],
    [
      "takes {ts, telemetry}",
      `anonymous ${post}`,
      200,
      { body: { ts: atTime(31), telemetry: { q3: 3 } }, is: success, check: latest({ q3: 3 }) },
    ],
    [
      "takes a list of those",
      `anonymous ${post}`,
      200,
      {
        body: [{ ts: atTime(31), values: { q4: 4 } }, { q5: 5 }],
        is: success,
        check: latest({ q4: 4, q5: 5 }),
      },
    ],
    [
      "keeps a numeric string a string",
      `anonymous ${post}`,
      200,
      { body: { q6: "17" }, is: success, check: latest({ q6: "17" }) },
    ],
    [
      "skips null",
      `anonymous ${post}`,
      200,
      {
        body: { q7: null, q8: 8 },
        is: success,
        check: latest({ q7: (value) => (value === undefined ? undefined : "q7 is stored"), q8: 8 }),
      },
    ],
    [
      "needs a content type",
      `anonymous ${post}`,
      400,
      { raw: new TextEncoder().encode('{"a":1}'), headers: {} },
    ],
    [
      "takes no plain text",
      `anonymous ${post}`,
      415,
      { raw: '{"a":1}', headers: { "content-type": "text/plain" } },
    ],
    [
      "refuses an invalid token",
      "anonymous POST /api/v1/no-such-token-at-all/telemetry",
      400,
      { body: { a: 1 } },
    ],
    [
      "refuses broken JSON",
      `anonymous ${post}`,
      400,
      { raw: "{", headers: { "content-type": "application/json" } },
    ],
    ["refuses a text", `anonymous ${post}`, 400, { body: "x" }],
    ["refuses a number", `anonymous ${post}`, 400, { body: 5 }],
    ["refuses a payload that is no object", `anonymous ${post}`, 400, { body: { payload: 5, ts: "x" } }],
    [
      "keeps a ts more than 24 h ahead until the clock has reached it",
      `anonymous ${post}`,
      200,
      {
        body: { ts: Date.now() + 90_000_000, values: { far: 1 } },
        check: latest({ far: (value) => (value === undefined ? undefined : "far is stored") }),
      },
    ],
    ["refuses a key of 257 bytes", `anonymous ${post}`, 400, { body: { ["k".repeat(257)]: 1 } }],
    ["takes a key of 256 bytes", `anonymous ${post}`, 200, { body: { ["k".repeat(256)]: 1 } }],
    [
      "refuses 513 keys",
      `anonymous ${post}`,
      400,
      { body: Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`n${index}`, 1])) },
    ],
    [
      "takes a batch",
      `anonymous ${batch}`,
      200,
      {
        body: {
          items: [
            { ts: atTime(32), telemetry: { b1: 1 } },
            { ts: atTime(33), telemetry: { b1: 2 } },
          ],
        },
        is: success,
        check: latest({ b1: 2 }),
      },
    ],
    ["needs items", `anonymous ${batch}`, 400, { body: {} }],
    ["needs items that are a list", `anonymous ${batch}`, 400, { body: { items: {} } }],
    [
      "needs a number as an item's ts",
      `anonymous ${batch}`,
      400,
      { body: { items: [{ ts: { a: 1 }, telemetry: { a: 1 } }] } },
    ],
    ["refuses an item that is a text", `anonymous ${batch}`, 400, { body: { items: ["x"] } }],
    [
      "refuses an item whose telemetry is no object",
      `anonymous ${batch}`,
      400,
      { body: { items: [{ ts: atTime(1), telemetry: 5 }] } },
    ],
    [
      "refuses an invalid token in a batch",
      "anonymous POST /api/v1/no-such-token-at-all/telemetry/batch",
      400,
      { body: { items: [] } },
    ],
  ]);

  for (const [name, ts] of [
    ["epoch milliseconds", atTime(40)],
    ["epoch seconds", atTime(41) / 1000],
    ["ISO 8601", new Date(atTime(42)).toISOString()],
  ] as const)
    test(`takes a device's ts as ${name}`, async () => {
      const key = `ts ${name}`;
      await world.need("anonymous", post, { ts, values: { [key]: 1 } });
      const expected = typeof ts === "string" ? Date.parse(ts) : ts < 1e11 ? ts * 1000 : ts;
      const { data } = await world.need(
        "reader",
        `GET /api/devices/{device}/telemetry/range?from=${atTime(0)}&to=${atTime(60)}&keys=${encodeURIComponent(key)}`,
      );
      expect(data[0].series[0].points).toEqual([{ ts: expected, value: 1 }]);
    });

  test("a message of a device is dated by its receipt when it has no ts", async () => {
    const before = Date.now();
    await world.need("anonymous", post, { undated: 1 });
    const [snapshot] = await world.need("reader", "POST /api/v1/telemetry/latest", {
      deviceIds: [world.ids.device],
      keys: ["undated"],
    });
    expect(snapshot.timestamps.undated).toBeWithin(before, Date.now() + 1);
  });
});

describe("latest values", () => {
  const snapshot = {
    deviceId: uuid,
    values: { temp: 4, state: "on", open: true, deep: { a: [1] }, digits: "42" },
    ts: epochMs,
  };
  const many = "POST /api/v1/telemetry/latest";
  const ids =
    (...names: string[]) =>
    () => ({ deviceIds: names.map((name) => world.ids[name]), keys: ["temp"] });
  contract(world, [
    ["of one device", "reader GET /api/devices/{device}/telemetry/latest", 200, { is: snapshot }],
    ["404 for another tenant's device", "stranger GET /api/devices/{device}/telemetry/latest", 404],
    ["404 for a device that is not granted", "limited GET /api/devices/{device}/telemetry/latest", 404],
    [
      "of many devices, with the timestamp of each key",
      `reader ${many}`,
      200,
      {
        body: ids("device", "second"),
        is: listOf({ deviceId: uuid, values: { temp: number }, ts: epochMs, timestamps: { temp: epochMs } }),
      },
    ],
    [
      "of many devices: the values",
      `reader ${many}`,
      200,
      {
        body: ids("device", "second"),
        is: including({ values: { temp: 9 }, timestamps: { temp: atTime(1) } }),
      },
    ],
    [
      "without keys means all",
      `reader ${many}`,
      200,
      { body: () => ({ deviceIds: [world.ids.device] }), is: [{ values: { temp: 4, state: "on" } }] },
    ],
    ["needs deviceIds", `reader ${many}`, 400, { body: {} }],
    ["needs deviceIds that are texts", `reader ${many}`, 400, { body: { deviceIds: [5] } }],
    ["names no other tenant's device: 404", `stranger ${many}`, 404, { body: ids("device") }],
    ["names no device that is not granted: 404", `limited ${many}`, 404, { body: ids("device") }],
  ]);
});

describe("keys", () => {
  contract(world, [
    ["of the tenant", "reader GET /api/telemetry/keys", 200, { is: listOf({ key: text }) }],
    [
      "of the tenant hold the device's",
      "reader GET /api/telemetry/keys",
      200,
      { is: including({ key: "temp" }) },
    ],
    [
      "of the tenant by the devices' path",
      "reader GET /api/devices/keys",
      200,
      { is: including({ key: "temp" }) },
    ],
    ["of a device", "reader GET /api/devices/{second}/keys", 200, { is: [{ key: "temp" }] }],
    ["of no other tenant", "stranger GET /api/telemetry/keys", 200, { is: emptyList }],
    ["of no hidden device", "limited GET /api/telemetry/keys", 200, { is: without({ key: "temp" }) }],
    ["404 for another tenant's device", "stranger GET /api/devices/{device}/keys", 404],
  ]);
});
