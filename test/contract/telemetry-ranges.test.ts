import { describe, expect } from "bun:test";
import { type ContractRow, contract, createWorld } from "./client.ts";
import { epochMs, including, listOf, number, type Shape, text, uuid } from "./shapes.ts";

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

const range = (query: string) => `GET /api/devices/{device}/telemetry/range?${query}`;
const hour = `from=${atTime(0)}&to=${atTime(60)}`;
const points = (...values: Array<[number, unknown]>): Shape => [
  {
    deviceId: uuid,
    series: [
      {
        key: "temp",
        points: values.map(([minute, value]) => ({ ts: atTime(minute), value: value as Shape })),
      },
    ],
  },
];

describe("ranges", () => {
  contract(world, [
    [
      "answer data, from, to and aggregation",
      `reader ${range(hour)}`,
      200,
      {
        is: {
          data: listOf({ deviceId: uuid, series: listOf({ key: text, points: listOf({ ts: epochMs }) }) }),
          from: atTime(0),
          to: atTime(60),
          aggregation: "none",
        },
      },
    ],
    [
      "come oldest first",
      `reader ${range(`${hour}&keys=temp`)}`,
      200,
      { is: { data: points([0, 1], [1, 5], [2, 2], [3, 8], [4, 4], [5, 4]) } },
    ],
    [
      "include both ends",
      `reader ${range(`from=${atTime(1)}&to=${atTime(3)}&keys=temp`)}`,
      200,
      { is: { data: points([1, 5], [2, 2], [3, 8]) } },
    ],
    [
      "take from = to",
      `reader ${range(`from=${atTime(1)}&to=${atTime(1)}&keys=temp`)}`,
      200,
      { is: { data: points([1, 5]) } },
    ],
    ["refuse from after to", `reader ${range(`from=${atTime(3)}&to=${atTime(1)}`)}`, 400],
    ["need from", `reader ${range(`to=${atTime(1)}`)}`, 400],
    ["need to", `reader ${range(`from=${atTime(1)}`)}`, 400],
    ["refuse a from that is no number", `reader ${range(`from=yesterday&to=${atTime(1)}`)}`, 400],
    ["refuse a maxDataPoints of zero", `reader ${range(`${hour}&maxDataPoints=0`)}`, 400],
    ["refuse an unknown aggregation", `reader ${range(`${hour}&aggregation=median`)}`, 400],
    ["refuse an aggregation in capitals", `reader ${range(`${hour}&aggregation=AVG`)}`, 400],
    ["refuse avg of texts", `reader ${range(`${hour}&keys=state&aggregation=avg`)}`, 400],
    [
      "count texts",
      `reader ${range(`${hour}&keys=state&aggregation=count&maxDataPoints=1`)}`,
      200,
      { is: { data: [{ series: [{ key: "state", points: [{ value: 1 }] }] }] } },
    ],
    ["404 for another tenant's device", `stranger ${range(hour)}`, 404],
    [
      "thin without losing the peaks",
      `reader ${range(`${hour}&keys=temp&maxDataPoints=4`)}`,
      200,
      {
        check: ({ body }) => {
          const values = body.data[0].series[0].points.map(({ value }: { value: number }) => value);
          expect(values.length).toBeLessThanOrEqual(4);
          expect(values).toContain(8);
          expect(values).toContain(1);
        },
      },
    ],
    ...Object.entries({ min: [1, 4], max: [8, 4], avg: [4, 4], sum: [16, 8], count: [4, 2] }).map(
      ([aggregation, [first, second]]): ContractRow => [
        `${aggregation} by intervals of 4 min, each stamped with its start`,
        `reader ${range(`from=${atTime(0)}&to=${atTime(8) - 1}&keys=temp&aggregation=${aggregation}&maxDataPoints=2`)}`,
        200,
        { is: { data: points([0, first], [4, second]), aggregation } },
      ],
    ),
    [
      "leave empty intervals out",
      `reader ${range(`from=${atTime(0)}&to=${atTime(12) - 1}&keys=temp&aggregation=count&maxDataPoints=3`)}`,
      200,
      { is: { data: points([0, 4], [4, 2]) } },
    ],
    [
      "take an interval in words",
      `reader ${range(`${hour}&keys=temp&aggregation=sum&interval=1h&timezone=UTC`)}`,
      200,
      { is: { data: points([0, 24]) } },
    ],
    [
      "take an interval in milliseconds",
      `reader ${range(`from=${atTime(0)}&to=${atTime(5)}&keys=temp&aggregation=max&interval=120000`)}`,
      200,
      { is: { data: points([0, 5], [2, 8], [4, 4]) } },
    ],
    ["refuse an unknown interval", `reader ${range(`${hour}&aggregation=max&interval=1fortnight`)}`, 400],
    [
      "refuse an unknown time zone",
      `reader ${range(`${hour}&aggregation=max&interval=1d&timezone=Mars/Base`)}`,
      400,
    ],
  ]);
});

describe("queries over devices", () => {
  const query = "POST /api/v1/telemetry/query";
  const ask =
    (fields: Record<string, unknown> = {}) =>
    () => ({
      deviceIds: [world.ids.device, world.ids.second],
      keys: ["temp"],
      from: atTime(0),
      to: atTime(60),
      ...fields,
    });
  contract(world, [
    [
      "answer a series for each",
      `reader ${query}`,
      200,
      {
        body: ask(),
        is: {
          data: including({ series: [{ key: "temp", points: [{ ts: atTime(1), value: 9 }] }] }),
          from: atTime(0),
          to: atTime(60),
          aggregation: "none",
        },
      },
    ],
    [
      "take empty keys as all",
      `reader ${query}`,
      200,
      { body: ask({ keys: [] }), is: { data: including({ series: including({ key: "state" }) }) } },
    ],
    [
      "aggregate",
      `reader ${query}`,
      200,
      {
        body: ask({ aggregation: "max", maxDataPoints: 1 }),
        is: { data: listOf({ series: [{ key: "temp", points: [{ value: number }] }] }), aggregation: "max" },
      },
    ],
    ...Object.entries({
      "no deviceIds": { deviceIds: undefined },
      "deviceIds that are no list": { deviceIds: "x" },
      "no from": { from: undefined },
      "no to": { to: undefined },
      "a from that is a text": { from: "1" },
      "from after to": { from: atTime(2), to: atTime(1) },
      "an unknown aggregation": { aggregation: "p99" },
      "a maxDataPoints that is a text": { maxDataPoints: "5" },
      "keys that are numbers": { keys: [1] },
    }).map(
      ([name, fields]): ContractRow => [`refuse ${name}`, `reader ${query}`, 400, { body: ask(fields) }],
    ),
    ["name no other tenant's device: 404", `stranger ${query}`, 404, { body: ask() }],
    ["name no hidden device: 404", `limited ${query}`, 404, { body: ask() }],
  ]);
});

describe("history", () => {
  const path = "/api/devices/{second}/telemetry";
  const csv = `ts,key,value\n${atTime(1)},temp,9\n`;
  contract(world, [
    [
      "is exported as CSV",
      `reader GET ${path}/export?format=csv&${hour}`,
      200,
      {
        check: ({ headers, text: body }) => {
          expect(headers.get("content-type")).toStartWith("text/csv");
          expect(body).toContain("temp");
        },
      },
    ],
    [
      "is exported as NDJSON",
      `reader GET ${path}/export?format=ndjson&${hour}`,
      200,
      {
        check: ({ text: body }) => {
          for (const line of body.trim().split("\n")) expect(typeof JSON.parse(line)).toBe("object");
        },
      },
    ],
    ["is exported in no other format", `reader GET ${path}/export?format=xml&${hour}`, 400],
    ["is not exported to another tenant", `stranger GET ${path}/export?format=csv&${hour}`, 404],
    [
      "is not imported by a reader",
      `reader POST ${path}/import`,
      403,
      { raw: csv, headers: { "content-type": "text/csv" } },
    ],
    [
      "is not imported by another tenant",
      `stranger POST ${path}/import`,
      404,
      { raw: csv, headers: { "content-type": "text/csv" } },
    ],
    [
      "is imported as NDJSON",
      `rw POST ${path}/import`,
      200,
      {
        raw: `{"ts":${atTime(3)},"values":{"old":1}}\n{"ts":${atTime(4)},"values":{"old":2}}\n`,
        headers: { "content-type": "application/x-ndjson" },
      },
    ],
    [
      "has the imported points",
      `reader GET ${path}/range?${hour}&keys=old`,
      200,
      {
        is: {
          data: [
            {
              series: [
                {
                  key: "old",
                  points: [
                    { ts: atTime(3), value: 1 },
                    { ts: atTime(4), value: 2 },
                  ],
                },
              ],
            },
          ],
        },
      },
    ],
    ["is not deleted by a reader", `reader DELETE ${path}?keys=old&${hour}`, 403],
    ["is deleted by keys and range", `rw DELETE ${path}?keys=old&from=${atTime(0)}&to=${atTime(3)}`, 200],
    [
      "keeps what is outside the range",
      `reader GET ${path}/range?${hour}&keys=old`,
      200,
      { is: { data: [{ series: [{ key: "old", points: [{ ts: atTime(4), value: 2 }] }] }] } },
    ],
  ]);
});
