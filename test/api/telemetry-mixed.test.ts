import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
const T0 = Date.parse("2026-01-01T00:00:00Z");

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

async function deviceWith(items: readonly { ts: number; values: Record<string, unknown> }[]) {
  const { deviceId, token } = await fixture.createDevice(owner);
  expect((await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: items })).status).toBe(200);
  return {
    range: (query: string) =>
      fixture.call(
        "GET",
        `/api/devices/${deviceId}/telemetry/range?from=${T0}&to=${T0 + 86_400_000}&${query}`,
        { token: owner },
      ),
    query: (body: object) =>
      fixture.call("POST", "/api/v1/telemetry/query", {
        token: owner,
        body: { deviceIds: [deviceId], from: T0, to: T0 + 86_400_000, ...body },
      }),
  };
}

test.each([["nan"], [true], [[1, 2]], [{ a: 1 }]])(
  "one %j among ten numbers is skipped and counted",
  async (other) => {
    const numbers = Array.from({ length: 10 }, (_, index) => ({
      ts: T0 + index,
      values: { temp: 20 + index },
    }));
    const { range } = await deviceWith([...numbers, { ts: T0 + 10, values: { temp: other } }]);
    for (const keys of ["keys=temp&", ""]) {
      const { status, body } = await range(`${keys}aggregation=avg&maxDataPoints=1`);
      expect([status, body.data[0].series]).toEqual([
        200,
        [{ key: "temp", points: [{ ts: T0, value: 24.5 }], skipped: 1 }],
      ]);
    }
    const count = await range("keys=temp&aggregation=count&maxDataPoints=1");
    expect(count.body.data[0].series).toEqual([{ key: "temp", points: [{ ts: T0, value: 11 }] }]);
  },
);

test("a text takes no other key down, nor a key of texts", async () => {
  const items = Array.from({ length: 60 }, (_, index) => ({
    ts: T0 + index,
    values: { p: index === 30 ? "unavailable" : index, q: index, state: "on" },
  }));
  const { range, query } = await deviceWith(items);
  const expected = [
    { key: "p", points: [{ ts: T0, value: 59 }], skipped: 1 },
    { key: "q", points: [{ ts: T0, value: 59 }] },
  ];
  const asked = { keys: ["p", "q", "state"], aggregation: "max", maxDataPoints: 1 };
  expect((await range("keys=p,q,state&aggregation=max&maxDataPoints=1")).body.data[0].series).toEqual(
    expected,
  );
  expect((await query(asked)).body.data[0].series).toEqual(expected);
  expect((await range("keys=state&aggregation=max")).status).toBe(400);
  expect((await query({ ...asked, keys: ["state"] })).status).toBe(400);
});

test("an interval without a number has no point", async () => {
  const { range } = await deviceWith([
    { ts: T0, values: { a: 1 } },
    { ts: T0 + 1_000, values: { a: "off" } },
    { ts: T0 + 2_000, values: { a: 3 } },
  ]);
  const { body } = await range("keys=a&aggregation=min&interval=1s&maxDataPoints=100000");
  expect(body.data[0].series).toEqual([
    {
      key: "a",
      points: [
        { ts: T0, value: 1 },
        { ts: T0 + 2_000, value: 3 },
      ],
      skipped: 1,
    },
  ]);
});

test("sums of the largest numbers do not overflow on the way", async () => {
  const values = [1e308, 1e308, -1e308, -1e308];
  const { range } = await deviceWith(values.map((a, index) => ({ ts: T0 + index, values: { a, b: 1e308 } })));
  const resultOf = async (key: string, aggregation: string) =>
    (await range(`keys=${key}&aggregation=${aggregation}&maxDataPoints=1`)).body.data[0].series[0].points[0]
      .value;
  expect(await resultOf("a", "sum")).toBe(0);
  expect(await resultOf("a", "avg")).toBe(0);
  expect(await resultOf("b", "avg")).toBe(1e308);
});

test("too many points are clipped to the most that there can be", async () => {
  const { range } = await deviceWith([{ ts: T0, values: { a: 1 } }]);
  expect((await range("keys=a&maxDataPoints=99999999999")).body.data[0].series[0].points).toHaveLength(1);
  expect((await range("keys=a&maxDataPoints=0")).status).toBe(400);
});

test("aggregates of any mixture are those of its numbers", async () => {
  const { deviceId, token } = await fixture.createDevice(owner);
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -1_000, max: 1_000 }) },
    fc.constantFrom<unknown>("nan", "", "NA", true, false, [1], { a: 1 }),
  );
  let start = T0;
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 30 }), async (values) => {
      start += 100_000;
      const items = values.map((each, index) => ({ ts: start + index, values: { a: each } }));
      await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: items });
      const numbers = values.filter((each): each is number => typeof each === "number");
      const path = `/api/devices/${deviceId}/telemetry/range?from=${start}&to=${start + 99}&keys=a&maxDataPoints=1`;
      const { status, body } = await fixture.call("GET", `${path}&aggregation=avg`, { token: owner });
      expect(status).toBe(numbers.length === 0 ? 400 : 200);
      if (numbers.length === 0) return;
      const [series] = body.data[0].series;
      expect(series.points[0].value).toBeCloseTo(
        numbers.reduce((sum, each) => sum + each, 0) / numbers.length,
        9,
      );
      expect(series.skipped ?? 0).toBe(values.length - numbers.length);
    }),
    { numRuns: 1_000 },
  );
});
