import { afterAll, beforeAll, describe, expect } from "bun:test";
import { encode } from "cbor-x";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let reader: string;
let stranger: string;
let limited: string;
let device: { deviceId: string; token: string };
let other: { deviceId: string; token: string };
const T0 = Date.parse("2026-01-01T00:00:00Z");

const post = (path: string, body: unknown) => ({
  method: "POST",
  path: `/api/v1/${device.token}${path}`,
  body,
});
const range = (query: string, token = owner) => ({
  method: "GET",
  path: `/api/devices/${device.deviceId}/telemetry/range?${query}`,
  token,
});

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  device = await fixture.createDevice(owner);
  other = await fixture.createDevice(owner);
  limited = (await fixture.signIn("TENANT_RW", { devices: [other.deviceId] })).token;
});
afterAll(() => fixture.stop());

describe("a device sends telemetry over HTTP", () => {
  const ok = (response: { body: unknown }) => expect(response.body).toEqual({ success: true });
  apiRows(
    () => fixture,
    [
      {
        name: "a batch with one bad item is 400 and takes nothing",
        request: () =>
          post("/telemetry/batch", {
            items: [
              { ts: T0, telemetry: { half: 1 } },
              { ts: T0, telemetry: 7 },
            ],
          }),
        status: 400,
        answer: "error",
      },
      {
        name: "the contract's form is taken",
        request: () =>
          post("/telemetry", {
            payload: {
              temperature: 21.5,
              ok: true,
              state: "run",
              extra: { a: [1] },
              ts: "2026-01-01T00:00:00Z",
            },
          }),
        status: 200,
        answer: ok,
      },
      {
        name: "flat keys are taken",
        request: () => post("/telemetry", { flat: 1 }),
        status: 200,
        answer: ok,
      },
      {
        name: "seconds are taken",
        request: () => post("/telemetry", { ts: T0 / 1000 + 1, values: { temperature: 22 } }),
        status: 200,
        answer: ok,
      },
      {
        name: "an array is taken",
        request: () =>
          post("/telemetry", [
            { ts: T0 + 2000, values: { temperature: 23 } },
            { ts: T0 + 3000, telemetry: { temperature: 24 } },
          ]),
        status: 200,
        answer: ok,
      },
      {
        name: "CBOR is taken",
        request: () => ({
          ...post("/telemetry", undefined),
          raw: encode({ ts: T0 + 4000, values: { temperature: 25 } }),
          headers: { "content-type": "application/cbor" },
        }),
        status: 200,
        answer: ok,
      },
      {
        name: "a batch is taken",
        request: () =>
          post("/telemetry/batch", {
            items: [{ ts: T0 + 5000, telemetry: { temperature: 26, numeric: "5" } }],
          }),
        status: 200,
        answer: ok,
      },
      {
        name: "a key named __proto__ is only a key",
        request: () => ({
          ...post("/telemetry", undefined),
          raw: `{"ts":${T0},"values":{"__proto__":3}}`,
          headers: { "content-type": "application/json" },
        }),
        status: 200,
        answer: ok,
      },
    ],
  );
});

describe("a person reads telemetry", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "GET", path: `/api/devices/${device.deviceId}/telemetry/latest` }),
        status: 401,
        answer: "none",
      },
      {
        name: "a forged token is 401 without a body",
        request: () => range("from=0&to=1", "abc.def.ghi"),
        status: 401,
        answer: "none",
      },
      {
        name: "another tenant's device is 404",
        request: () => range("from=0&to=1", stranger),
        status: 404,
        answer: "error",
      },
      {
        name: "a device that is not granted is 404",
        request: () => range("from=0&to=1", limited),
        status: 404,
        answer: "error",
      },
      ...(
        [
          ["a missing range is 400", ""],
          ["a reversed range is 400", "from=10&to=5"],
          ["a range in words is 400", "from=yesterday&to=today"],
          ["an aggregation in capitals is 400", "from=0&to=10&aggregation=AVG"],
          ["an unknown aggregation is 400", "from=0&to=10&aggregation=median"],
          ["no points at all is 400", "from=0&to=10&maxDataPoints=0"],
          ["an average of texts is 400", `from=${T0}&to=${T0}&aggregation=avg&keys=state`],
          [
            "an unknown time zone is 400",
            `from=${T0}&to=${T0}&aggregation=avg&interval=1d&timezone=Mars/Base`,
          ],
        ] as const
      ).map(([name, query]) => ({
        name,
        request: () => range(query),
        status: 400,
        answer: "error" as const,
      })),
      {
        name: "latest has every key with the type it came in with",
        request: () => ({
          method: "GET",
          path: `/api/devices/${device.deviceId}/telemetry/latest`,
          token: reader,
        }),
        status: 200,
        answer: ({ body, text }) => {
          expect(text).toContain('"__proto__":3');
          expect(body).toMatchObject({
            deviceId: device.deviceId,
            values: { temperature: 26, ok: true, state: "run", extra: { a: [1] }, flat: 1, numeric: "5" },
          });
          expect(body.timestamps.temperature).toBe(T0 + 5000);
          expect(body.values.half).toBeUndefined();
          expect(body.ts).toBeGreaterThan(T0 + 5000);
        },
      },
      {
        name: "a range is oldest first, both ends included",
        request: () => range(`from=${T0}&to=${T0 + 4000}&keys=temperature`),
        status: 200,
        answer: ({ body }) =>
          expect(body).toEqual({
            data: [
              {
                deviceId: device.deviceId,
                series: [
                  {
                    key: "temperature",
                    points: [21.5, 22, 23, 24, 25].map((value, index) => ({ ts: T0 + index * 1000, value })),
                  },
                ],
              },
            ],
            from: T0,
            to: T0 + 4000,
            aggregation: "none",
          }),
      },
      {
        name: "an aggregate stamps each interval with its start",
        request: () => range(`from=${T0}&to=${T0 + 5999}&keys=temperature&aggregation=max&interval=2000`),
        status: 200,
        answer: ({ body }) =>
          expect(body.data[0].series[0].points).toEqual([
            { ts: T0, value: 22 },
            { ts: T0 + 2000, value: 24 },
            { ts: T0 + 4000, value: 26 },
          ]),
      },
      {
        name: "the count of texts is allowed",
        request: () => range(`from=${T0}&to=${T0 + 9}&keys=state&aggregation=count&maxDataPoints=1`),
        status: 200,
        answer: ({ body }) => expect(body.data[0].series[0].points[0].value).toBe(1),
      },
      {
        name: "the key list of a device",
        request: () => ({ method: "GET", path: `/api/devices/${device.deviceId}/keys`, token: reader }),
        status: 200,
        answer: ({ body }) =>
          expect(body.map((record: { key: string }) => record.key)).toEqual([
            "__proto__",
            "extra",
            "flat",
            "numeric",
            "ok",
            "state",
            "temperature",
          ]),
      },
      {
        name: "the tenant's keys",
        request: () => ({ method: "GET", path: "/api/telemetry/keys", token: reader }),
        status: 200,
        answer: ({ body }) => expect(body).toContainEqual({ key: "temperature" }),
      },
      {
        name: "the tenant's keys do not hold another tenant's",
        request: () => ({ method: "GET", path: "/api/devices/keys", token: stranger }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual([]),
      },
      {
        name: "keys of granted devices only",
        request: () => ({ method: "GET", path: "/api/telemetry/keys", token: limited }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual([]),
      },
    ],
  );
});

describe("a person reads telemetry of many devices", () => {
  const query = (body: unknown, token = owner) => ({
    method: "POST",
    path: "/api/v1/telemetry/query",
    token,
    body,
  });
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body, however bad the request",
        request: () => ({
          method: "POST",
          path: "/api/v1/telemetry/query",
          raw: "{",
          headers: { "content-type": "application/json" },
        }),
        status: 401,
        answer: "none",
      },
      {
        name: "missing deviceIds are 400",
        request: () => query({ from: 0, to: 1 }),
        status: 400,
        answer: "error",
      },
      {
        name: "a reversed range is 400",
        request: () => query({ deviceIds: [device.deviceId], keys: [], from: 2, to: 1 }),
        status: 400,
        answer: "error",
      },
      {
        name: "malformed JSON is 400",
        request: () => ({ ...query(undefined), raw: "{", headers: { "content-type": "application/json" } }),
        status: 400,
        answer: "error",
      },
      {
        name: "another tenant's device is 404",
        request: () => query({ deviceIds: [device.deviceId], from: 0, to: 1 }, stranger),
        status: 404,
        answer: "error",
      },
      {
        name: "all keys when none are named",
        request: () =>
          query({
            deviceIds: [device.deviceId, other.deviceId],
            keys: [],
            from: T0,
            to: T0 + 10_000,
            aggregation: "none",
            maxDataPoints: 100,
          }),
        status: 200,
        answer: ({ body }) => {
          expect(body.data[0].series.map((series: { key: string }) => series.key).sort()).toEqual([
            "__proto__",
            "extra",
            "numeric",
            "ok",
            "state",
            "temperature",
          ]);
          expect(body).toMatchObject({ from: T0, to: T0 + 10_000, aggregation: "none" });
        },
      },
      {
        name: "latest of many, by key",
        request: () => ({
          method: "POST",
          path: "/api/v1/telemetry/latest",
          token: reader,
          body: { deviceIds: [device.deviceId], keys: ["temperature"] },
        }),
        status: 200,
        answer: ({ body }) =>
          expect(body).toEqual([
            {
              deviceId: device.deviceId,
              values: { temperature: 26 },
              timestamps: { temperature: T0 + 5000 },
              ts: T0 + 5000,
            },
          ]),
      },
      {
        name: "latest without deviceIds is 400",
        request: () => ({ method: "POST", path: "/api/v1/telemetry/latest", token: reader, body: {} }),
        status: 400,
        answer: "error",
      },
    ],
  );
});

describe("a person deletes telemetry", () => {
  const remove = (token: string) => ({
    method: "DELETE",
    path: `/api/devices/${device.deviceId}/telemetry?keys=temperature&from=${T0}&to=${T0 + 1500}`,
    token,
  });
  apiRows(
    () => fixture,
    [
      { name: "a reader may not", request: () => remove(reader), status: 403, answer: "error" },
      {
        name: "another tenant's device is 404",
        request: () => remove(stranger),
        status: 404,
        answer: "error",
      },
      {
        name: "the range goes",
        request: () => remove(owner),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ success: true }),
      },
      {
        name: "and only the range",
        request: () => range(`from=${T0}&to=${T0 + 5000}&keys=temperature`),
        status: 200,
        answer: ({ body }) =>
          expect(body.data[0].series[0].points.map((point: { ts: number }) => point.ts - T0)).toEqual([
            2000, 3000, 4000, 5000,
          ]),
      },
    ],
  );
});
