import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Answers that are read from the storage in parts and sent in pieces are the same as small ones. */

const DEVICES = 60;
const KEYS = 400;
const TS = 1_767_225_600_000;

let fixture: TestApp;
let owner: string;
let deviceIds: string[];
const keys = Array.from({ length: KEYS }, (_, index) => `key${String(index).padStart(3, "0")}`);

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  deviceIds = [];
  for (let device = 0; device < DEVICES; device++) {
    const { deviceId, token } = await fixture.createDevice(owner, { name: `device ${device}` });
    deviceIds.push(deviceId);
    const values = Object.fromEntries(keys.map((key, index) => [key, device * 1_000 + index]));
    for (const ts of [TS, TS + 1_000])
      await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { ts, values } });
  }
});
afterAll(() => fixture.stop());

const query = (body: object) =>
  fixture.call("POST", "/api/v1/telemetry/query", {
    token: owner,
    body: { keys: [], from: TS, to: TS + 2_000, ...body },
  });

test("a query over many devices has each device once, in the order asked for, with all of its keys", async () => {
  const reversed = [...deviceIds].reverse();
  const { status, headers, body } = await query({ deviceIds: reversed });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toStartWith("application/json");
  expect(body.data.map(({ deviceId }: { deviceId: string }) => deviceId)).toEqual(reversed);
  expect([body.from, body.to, body.aggregation]).toEqual([TS, TS + 2_000, "none"]);
  for (const { series } of body.data) expect(series.map(({ key }: { key: string }) => key)).toEqual(keys);
  expect(body.data[0].series[7].points).toEqual([
    { ts: TS, value: (DEVICES - 1) * 1_000 + 7 },
    { ts: TS + 1_000, value: (DEVICES - 1) * 1_000 + 7 },
  ]);
});

test("answers of any size have the headers of all answers, and small ones their length", async () => {
  const small = await query({ deviceIds: deviceIds.slice(0, 1), keys: keys.slice(0, 2) });
  const large = await query({ deviceIds });
  for (const { headers } of [small, large]) {
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
  const length = new TextEncoder().encode(JSON.stringify(small.body)).length;
  expect(small.headers.get("content-length")).toBe(String(length));
});

test("a list with a device that does not exist, or is another tenant's, is answered with 404", async () => {
  const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "B" })).token;
  const { deviceId: foreign } = await fixture.createDevice(stranger, { name: "foreign" });
  for (const other of [foreign, "nobody", "", "\ud800", '"'])
    for (const list of [[other], [...deviceIds.slice(0, 3), other]])
      expect((await query({ deviceIds: list })).status).toBe(404);
  expect((await query({ deviceIds: [deviceIds[0], deviceIds[0]] })).body.data.length).toBe(1);
  expect((await query({ deviceIds: [] })).body.data).toEqual([]);
});

test("each device of a large answer is as it is in an answer of its own", async () => {
  const { body } = await query({ deviceIds, aggregation: "max", maxDataPoints: 1 });
  for (const index of [0, 31, DEVICES - 1]) {
    const own = await query({ deviceIds: [deviceIds[index]], aggregation: "max", maxDataPoints: 1 });
    expect(body.data[index]).toEqual(own.body.data[0]);
  }
});

test("the newest values of many devices come in the order asked for", async () => {
  const { body } = await fixture.call("POST", "/api/v1/telemetry/latest", {
    token: owner,
    body: { deviceIds },
  });
  expect(body.map(({ deviceId }: { deviceId: string }) => deviceId)).toEqual(deviceIds);
  expect(body[41].values.key399).toBe(41_399);
  expect(Object.keys(body[41].values)).toHaveLength(KEYS);
  expect(body[41].ts).toBe(TS + 1_000);
});

test("a client that leaves in the middle of an answer disturbs nobody", async () => {
  for (let round = 0; round < 5; round++) {
    const leaving = new AbortController();
    const response = await fetch(`${fixture.app.url}/api/v1/telemetry/query`, {
      method: "POST",
      signal: leaving.signal,
      headers: { "content-type": "application/json", authorization: `Bearer ${owner}` },
      body: JSON.stringify({ deviceIds, keys: [], from: TS, to: TS + 2_000 }),
    });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    leaving.abort();
  }
  expect((await query({ deviceIds: deviceIds.slice(0, 2) })).body.data).toHaveLength(2);
});
