import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RangeQuery, TelemetryValue } from "../../../../../src/modules/telemetry/telemetry.types.ts";
import { deviceId, StoreFixture } from "../store-fixture.ts";

/** The answer as text is what JSON.stringify makes of the answer as objects, whatever the values are and however it is cut into pieces. */

const values: Record<string, TelemetryValue[]> = {
  number: [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, 5e-324, 1e21, 123_456_789.123_456_79, 0.1 + 0.2],
  text: ["", "naïve ✓", '"quoted"\n', "\ud800", "\u2028"],
  flag: [true, false],
  json: [{ one: [1, -0, null] }, [], [[2]]],
  ["__proto__"]: [1, "one", true, { two: 2 }],
  'key "with" quotes': [1],
};
const LONG = 9_001;
let fixture: StoreFixture;

beforeAll(async () => {
  fixture = await StoreFixture.start({ blockRowsTarget: 256 });
  for (const [key, list] of Object.entries(values))
    for (const [ts, value] of list.entries()) fixture.put("odd", key, ts, value);
  for (let ts = 0; ts < LONG; ts++) fixture.put("long", "level", ts, ts / 7);
  for (let ts = 0; ts < LONG; ts++) fixture.put("states", "state", ts, `state ${ts % 3}`);
  // Around the times at which other digits than the last six change.
  for (const first of [1_000_000, 2_000_000, 999_999_000_000, 1_767_225_000_000])
    for (const ms of [-1001, -1000, -999, -1, 0, 1, 10, 999, 1000, 100_001, 999_999, 1_000_000])
      fixture.put("times", "level", first + ms, ms / 3);
  await fixture.put("other", "level", 1, 1);
});
afterAll(() => fixture.dispose());

const everything: RangeQuery = {
  deviceIds: ["odd", "nobody", "long", "states", "other"].map(deviceId),
  keys: [],
  from: 0,
  to: LONG,
  aggregation: "none",
  maxDataPoints: 100_000,
};

const queries: Record<string, Partial<RangeQuery>> = {
  "all points": {},
  "other times": { deviceIds: [deviceId("times")], to: 2_000_000_000_000 },
  "averages at other times": { deviceIds: [deviceId("times")], to: 2_000_000_000_000, aggregation: "avg" },
  "no device": { deviceIds: [] },
  "only unknown devices": { deviceIds: [deviceId("nobody")] },
  "no points": { from: 2 * LONG, to: 3 * LONG },
  "thinned points": { maxDataPoints: 10 },
  averages: { aggregation: "avg", maxDataPoints: 5_000 },
  "one average": { aggregation: "avg", maxDataPoints: 1 },
  sums: { aggregation: "sum", maxDataPoints: 77 },
  states: { aggregation: "timeIn", maxDataPoints: 2_000 },
  "newest values": { aggregation: "last", maxDataPoints: 9 },
};

for (const isSealed of [false, true]) {
  test(`the text is that of the objects, ${isSealed ? "from blocks" : "from hot points"}`, async () => {
    if (isSealed) await fixture.store.compact();
    for (const [name, part] of Object.entries(queries)) {
      const query = { ...everything, ...part };
      const data = await fixture.store.query(query);
      const { from, to, aggregation } = query;
      const expected = JSON.stringify({ data, from, to, aggregation });
      expect([name, await fixture.text(query)]).toEqual([name, expected]);
    }
  });
}

test("a large answer comes in several pieces", async () => {
  const pieces = await fixture.pieces({ ...everything, keys: ["level", "state"] });
  expect(pieces.length).toBeGreaterThan(1);
});

test("whoever takes the pieces ends the query by refusing one, and the store goes on", async () => {
  let pieces = 0;
  const refusal = new Error("no room");
  const asked = fixture.store.queryText({ ...everything, keys: ["level", "state"] }, () => {
    pieces++;
    throw refusal;
  });
  await expect(asked).rejects.toBe(refusal);
  expect(pieces).toBe(1);
  expect((await fixture.pieces({ ...everything, keys: ["level"] })).length).toBeGreaterThan(0);
});

test("a key that is not numeric is refused as it is for objects", async () => {
  const query = { ...everything, keys: ["text"], aggregation: "avg" } as const;
  const failures = [fixture.store.query(query), fixture.pieces(query)].map((asked) =>
    asked.catch(({ code }) => code),
  );
  expect(await Promise.all(failures)).toEqual(["telemetry.not_numeric", "telemetry.not_numeric"]);
});
