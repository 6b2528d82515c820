import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let reader: string;
let stranger: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp({ config: { attribute_changes_max: 50 } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

const path = (suffix = "", { deviceId } = device) => `/api/devices/${deviceId}/attributes${suffix}`;
const set = (attributes: unknown, scope = "SHARED", of = device) =>
  fixture.call("POST", path("", of), { token: owner, body: { scope, attributes } });
const report = (attributes: unknown, of = device) =>
  fixture.call("POST", `/api/v1/${of.token}/attributes`, { body: attributes });
const history = async (query = "", of = device) =>
  (await fixture.call("GET", path(`/history${query}`, of), { token: owner })).body;

describe("the history of attributes", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "GET", path: path("/history") }),
        status: 401,
        answer: "none",
      },
      {
        name: "another tenant's device is 404",
        request: () => ({ method: "GET", path: path("/history"), token: stranger }),
        status: 404,
        answer: "error",
      },
      {
        name: "a wrong scope is 400",
        request: () => ({ method: "GET", path: path("/history?scope=NONE"), token: owner }),
        status: 400,
        answer: "error",
      },
      {
        name: "a reader may look",
        request: () => ({ method: "GET", path: path("/history"), token: reader }),
        status: 200,
      },
    ],
  );

  test("lists who set, reported and deleted values, the newest first, and no unchanged value", async () => {
    const own = await fixture.createDevice(owner);
    await set({ setpoint: 20, mode: { a: 1 } }, "SHARED", own);
    await set({ setpoint: 20 }, "SHARED", own);
    await report({ setpoint: 19 }, own);
    await fixture.call("DELETE", path("/SHARED/mode", own), { token: owner });
    await fixture.call("DELETE", path("/SHARED/mode", own), { token: owner });
    const changes = await history("", own);
    expect(changes).toEqual([
      {
        changeId: expect.any(Number),
        scope: "SHARED",
        key: "mode",
        at: expect.any(String),
        source: "USER",
        by: expect.stringContaining("@"),
      },
      {
        changeId: expect.any(Number),
        scope: "CLIENT",
        key: "setpoint",
        value: 19,
        at: expect.any(String),
        source: "DEVICE",
        by: null,
      },
      {
        changeId: expect.any(Number),
        scope: "SHARED",
        key: "mode",
        value: { a: 1 },
        at: expect.any(String),
        source: "USER",
        by: expect.stringContaining("@"),
      },
      {
        changeId: expect.any(Number),
        scope: "SHARED",
        key: "setpoint",
        value: 20,
        at: expect.any(String),
        source: "USER",
        by: expect.stringContaining("@"),
      },
    ]);
    for (const { at } of changes) expect(new Date(at).toISOString()).toBe(at);
    expect((await history("?scope=CLIENT", own)).length).toBe(1);
    expect((await history("?key=setpoint", own)).map(({ scope }: { scope: string }) => scope)).toEqual([
      "CLIENT",
      "SHARED",
    ]);
    const page = await fixture.call("GET", path("/history?limit=1&offset=1", own), { token: owner });
    expect(page.body).toEqual([changes[1]]);
    expect(page.headers.get("x-total-count")).toBe("4");
  });

  test("keeps the newest of each device, and those of the others", async () => {
    const idleDevice = await fixture.createDevice(owner);
    await set({ a: 1 }, "SERVER", idleDevice);
    const busy = await fixture.createDevice(owner);
    for (let n = 0; n < 150; n++) await report({ n }, busy);
    const kept = await history("?limit=1000", busy);
    expect(kept.length).toBeGreaterThanOrEqual(50);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(kept.map(({ value }: { value: number }) => value)).toEqual(
      Array.from({ length: kept.length }, (_, index) => 149 - index),
    );
    expect(await history("", idleDevice)).toMatchObject([{ key: "a", value: 1 }]);
  });

  test("goes with its device", async () => {
    const own = await fixture.createDevice(owner);
    await set({ a: 1 }, "SHARED", own);
    await fixture.call("DELETE", `/api/devices/${own.deviceId}`, { token: owner });
    expect((await fixture.call("GET", path("/history", own), { token: owner })).status).toBe(404);
  });
});

describe("desired against reported", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "GET", path: path("/desired") }),
        status: 401,
        answer: "none",
      },
      {
        name: "another tenant's device is 404",
        request: () => ({ method: "GET", path: path("/desired"), token: stranger }),
        status: 404,
        answer: "error",
      },
    ],
  );

  test("shows for each shared attribute whether the device has taken it over", async () => {
    const own = await fixture.createDevice(owner);
    await set({ mode: "eco", setpoint: 21, limits: { low: 1, high: 2 }, interval: 60 }, "SHARED", own);
    await report({ mode: "eco", setpoint: 20, limits: { high: 2, low: 1 }, firmware: "1.0" }, own);
    const { body } = await fixture.call("GET", path("/desired", own), { token: reader });
    const states = Object.fromEntries(
      body.map(({ key, state }: { key: string; state: string }) => [key, state]),
    );
    expect(states).toEqual({
      interval: "NOT_REPORTED",
      limits: "IN_SYNC",
      mode: "IN_SYNC",
      setpoint: "DIFFERENT",
    });
    expect(body.find(({ key }: { key: string }) => key === "setpoint")).toMatchObject({
      desired: 21,
      reported: 20,
    });
    expect(body.find(({ key }: { key: string }) => key === "interval")).not.toHaveProperty("reported");
  });
});

describe("a device that waits for changes", () => {
  const poll = (of: { token: string }, query = "?timeout=20000") =>
    fixture.call("GET", `/api/v1/${of.token}/attributes/updates${query}`);

  test("gets shared attributes as they are set and deleted, and no other scope", async () => {
    const own = await fixture.createDevice(owner);
    const waiting = poll(own);
    await poll(own, "?timeout=0"); // was sent later and is answered: the first one waits
    await set({ hidden: 1 }, "SERVER", own);
    await report({ mine: 1 }, own);
    await set({ mode: "eco" }, "SHARED", own);
    const first = await waiting;
    expect([first.status, first.body]).toEqual([200, { mode: "eco" }]);
    await set({ level: 2 }, "SHARED", own);
    await fixture.call("DELETE", path("/SHARED/mode", own), { token: owner });
    const since = first.headers.get("x-attribute-change");
    const second = await poll(own, `?since=${since}`);
    expect(second.body).toEqual({ level: 2, deleted: ["mode"] });
  });

  test("misses nothing between reading them and waiting", async () => {
    const own = await fixture.createDevice(owner);
    await set({ mode: "eco" }, "SHARED", own);
    const read = await fixture.call("GET", `/api/v1/${own.token}/attributes?sharedKeys=mode`);
    expect(read.body).toEqual({ shared: { mode: "eco" } });
    await set({ mode: "comfort" }, "SHARED", own);
    const { body } = await poll(own, `?timeout=0&since=${read.headers.get("x-attribute-change")}`);
    expect(body).toEqual({ mode: "comfort" });
  });

  test("gets 408 when nothing came or it is deleted meanwhile, and 401 with a wrong token", async () => {
    const own = await fixture.createDevice(owner);
    const none = await poll(own, "?timeout=5");
    expect([none.status, none.body.statusCode]).toEqual([408, 408]);
    const waiting = poll(own, "?timeout=50000");
    await poll(own, "?timeout=0"); // was sent later and is answered: the first one waits
    await fixture.call("DELETE", `/api/devices/${own.deviceId}`, { token: owner });
    expect((await waiting).status).toBe(408);
    expect((await poll({ token: "no-such-token" })).status).toBe(401);
    expect((await poll(device, "?timeout=-1")).status).toBe(400);
  });
});
