import { afterAll, beforeAll, expect, test } from "bun:test";
import { callGateway, type StalledGateway, stallsOf, startStalledGateway } from "./stall-fixture.ts";

/** Items that may be long are read one at a time for a list, and newest values are not parsed: together they are hundreds of thousands of parts. */

let gateway: StalledGateway;

beforeAll(async () => {
  gateway = await startStalledGateway();
});
afterAll(() => gateway.stop());

const call = (method: string, path: string, body?: unknown) => callGateway(gateway, method, path, body);
/** As many parts as fit into few bytes. */
const parts = (count: number) => Array.from({ length: count }, () => ({}));

async function fill(path: string, count: number, bodyOf: (index: number) => object): Promise<void> {
  for (let index = 0; index < count; index++) {
    const { status } = await call("POST", path, bodyOf(index));
    expect([200, 201]).toContain(status);
  }
}

const listStalls = (path: string, count: number) =>
  stallsOf(gateway, { name: path, counts: [10] }, async (atOnce) => async () => {
    const responses = await Promise.all(Array.from({ length: atOnce }, () => call("GET", path)));
    const whole = responses.filter(({ status }) => status === 200);
    expect(whole.length).toBeGreaterThan(0);
    for (const { body } of whole) expect(body).toHaveLength(count);
  });

test("dashboards of 29,000 parts each", async () => {
  await fill("/api/dashboards", 119, (index) => ({
    name: `long ${index}`,
    settings: { parts: parts(29_000) },
  }));
  expect(await listStalls("/api/dashboards", 120)).toEqual([]);
}, 60_000);

test("attributes of a tenant with 85,000 parts each", async () => {
  const value = { parts: parts(85_000) };
  await fill("/api/tenant-attributes", 80, (index) => ({ key: `long ${index}`, value }));
  expect(await listStalls("/api/tenant-attributes", 80)).toEqual([]);
}, 60_000);

test("newest values of 20,000 parts each", async () => {
  const [deviceToken] = gateway.deviceTokens;
  for (let index = 0; index < 200; index++) {
    const { status } = await call("POST", `/api/v1/${deviceToken}/telemetry`, {
      [`long ${index}`]: parts(20_000),
    });
    expect(status).toBe(200);
  }
  const deviceIds = [gateway.deviceIds[1]];
  const stalls = await stallsOf(gateway, { name: "latest", counts: [10] }, async (atOnce) => async () => {
    const responses = await Promise.all(
      Array.from({ length: atOnce }, (_, index) =>
        index % 2 === 0
          ? call("GET", `/api/devices/${deviceIds[0]}/telemetry/latest`)
          : call("POST", "/api/v1/telemetry/latest", { deviceIds }),
      ),
    );
    const [snapshot] = responses.filter(({ status }) => status === 200).flatMap(({ body }) => body);
    const { values, timestamps, ts } = snapshot;
    expect([values["long 199"].length, timestamps["long 199"], values.key499]).toEqual([20_000, ts, 499]);
  });
  expect(stalls).toEqual([]);
}, 60_000);

test("attributes of a device with 21,000 parts each", async () => {
  const [deviceToken] = gateway.deviceTokens;
  const path = `/api/devices/${gateway.deviceIds[1]}/attributes`;
  for (let index = 0; index < 60; index++) {
    const attributes = { [`long ${index}`]: parts(21_000) };
    expect((await call("POST", `/api/v1/${deviceToken}/attributes`, attributes)).status).toBe(200);
    expect((await call("POST", path, { scope: "SHARED", attributes })).status).toBe(200);
  }
  const own = `/api/v1/${deviceToken}/attributes?clientKeys=long%201&sharedKeys=long%202`;
  const reads = [own, `${path}?scope=CLIENT`, `${path}/history?limit=60`, `${path}/desired`];
  const stalls: string[] = [];
  for (const read of reads)
    stalls.push(
      ...(await stallsOf(gateway, { name: read, counts: [10] }, async (atOnce) => async () => {
        const responses = await Promise.all(Array.from({ length: atOnce }, () => call("GET", read)));
        const whole = responses.find(({ status }) => status === 200)?.body;
        if (read === own) expect(whole.shared["long 2"]).toHaveLength(21_000);
        else expect(whole).toHaveLength(60);
      })),
    );
  expect(stalls).toEqual([]);
}, 60_000);

test("search among attributes that repeat one letter, for a long text of that letter", async () => {
  const named = Array.from({ length: 5 }, (_, index) => ({ name: `same ${index}`, deviceType: "same" }));
  const { body } = await call("POST", "/api/devices/bulk/import", { rows: named });
  for (const { deviceToken } of body.rows)
    for (let part = 0; part < 4; part++) {
      const names = Array.from({ length: 500 }, (_, index) => [`a${part}_${index}`, "a".repeat(254)]);
      const attributes = Object.fromEntries(names);
      const path = `/api/v1/${deviceToken}/attributes`;
      expect((await call("POST", path, attributes)).status).toBe(200);
    }
  expect(await listStalls(`/api/devices?search=${"A".repeat(150)}`, 5)).toEqual([]);
  expect(await listStalls(`/api/devices?search=${"a".repeat(150)}b`, 0)).toEqual([]);
}, 60_000);

test("search among 10,000 devices with 64 long tags each", async () => {
  const tags = Array.from({ length: 64 }, (_, index) => `${index} `.padEnd(64, "xy"));
  for (let part = 0; part < 10; part++) {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({
      name: `many ${part} ${index}`,
      deviceType: "many",
      tags,
    }));
    expect((await call("POST", "/api/devices/bulk/import", { rows })).status).toBe(201);
  }
  expect(await listStalls("/api/devices?search=nowhere", 0)).toEqual([]);
  expect(await listStalls("/api/devices?tag=nowhere", 0)).toEqual([]);
}, 60_000);
