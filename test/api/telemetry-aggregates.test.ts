import { afterAll, beforeAll, describe, expect } from "bun:test";
import { systemClock } from "../../src/platform/time/clock.ts";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };
const T0 = Date.parse("2026-01-01T00:00:00Z");
const NOW = T0 + 60_000;

const range = (query: string) => ({
  method: "GET",
  path: `/api/devices/${device.deviceId}/telemetry/range?${query}`,
  token: owner,
});

beforeAll(async () => {
  fixture = await createTestApp({ clock: { ...systemClock, now: () => NOW } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
  const items = [
    { ts: T0, values: { energy: 100, state: "run", ok: true, extra: { a: [1] } } },
    { ts: T0 + 1000, values: { energy: 104.5 } },
    { ts: T0 + 3000, values: { energy: 2, state: "idle" } },
    { ts: T0 + 5000, values: { energy: 3 } },
  ];
  const { status } = await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: items });
  expect(status).toBe(200);
});
afterAll(() => fixture.stop());

const pointsOf = (response: { body: { data: { series: { points: unknown }[] }[] } }) =>
  response.body.data[0]?.series[0]?.points;

describe("aggregates of counters and states", () => {
  apiRows(
    () => fixture,
    [
      ...(
        [
          ["the increase of texts is 400", `from=${T0}&to=${T0 + 9}&aggregation=delta&keys=state`],
          ["a time of day that there is not is 400", "from=0&to=10&aggregation=delta&interval=06:00,24:00"],
          [
            "more than 24 times of day are 400",
            `from=0&to=10&aggregation=delta&interval=${Array.from({ length: 25 }, (_, n) => `00:${n + 10}`)}`,
          ],
        ] as const
      ).map(([name, query]) => ({
        name,
        request: () => range(query),
        status: 400,
        answer: "error" as const,
      })),
      {
        name: "a counter's increase begins before the range and counts a reset",
        request: () => range(`from=${T0 + 1000}&to=${T0 + 5999}&keys=energy&aggregation=delta&interval=2s`),
        status: 200,
        answer: (response) =>
          expect(pointsOf(response)).toEqual([
            { ts: T0, value: 4.5 },
            { ts: T0 + 2000, value: 2 },
            { ts: T0 + 4000, value: 1 },
          ]),
      },
      {
        name: "a shift begins at a time of day in a time zone",
        request: () =>
          range(
            `from=${T0}&to=${T0 + 5999}&keys=energy&aggregation=delta&interval=14:00,06:00&timezone=Europe/Berlin`,
          ),
        status: 200,
        answer: (response) =>
          expect(pointsOf(response)).toEqual([{ ts: Date.parse("2025-12-31T13:00:00Z"), value: 7.5 }]),
      },
      {
        name: "without named keys those without numbers are left out",
        request: () => range(`from=${T0}&to=${T0 + 5999}&aggregation=delta&maxDataPoints=1`),
        status: 200,
        answer: ({ body }) =>
          expect(body.data[0].series).toEqual([{ key: "energy", points: [{ ts: T0, value: 7.5 }] }]),
      },
      {
        name: "the first and the last value have their own types",
        request: () => ({
          method: "POST",
          path: "/api/v1/telemetry/query",
          token: owner,
          body: {
            deviceIds: [device.deviceId],
            from: T0,
            to: T0 + 5999,
            aggregation: "last",
            maxDataPoints: 1,
          },
        }),
        status: 200,
        answer: ({ body }) =>
          expect(body.data[0].series).toEqual(
            [
              ["energy", 3],
              ["extra", { a: [1] }],
              ["ok", true],
              ["state", "idle"],
            ].map(([key, value]) => ({ key, points: [{ ts: T0, value }] })),
          ),
      },
      {
        name: "a state holds from before the range until its end",
        request: () => range(`from=${T0 + 1000}&to=${T0 + 3999}&keys=state&aggregation=timeIn&interval=2s`),
        status: 200,
        answer: (response) =>
          expect(pointsOf(response)).toEqual([
            { ts: T0, value: [{ value: "run", ms: 1000 }] },
            {
              ts: T0 + 2000,
              value: [
                { value: "run", ms: 1000 },
                { value: "idle", ms: 1000 },
              ],
            },
          ]),
      },
      {
        name: "a state holds while a device is silent, but not beyond now",
        request: () =>
          range(`from=${T0 + 6000}&to=${T0 + 10 ** 12}&keys=ok&aggregation=timeIn&maxDataPoints=1`),
        status: 200,
        answer: (response) =>
          expect(pointsOf(response)).toEqual([{ ts: T0 + 6000, value: [{ value: true, ms: 54_000 }] }]),
      },
    ],
  );
});
