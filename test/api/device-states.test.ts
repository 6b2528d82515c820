import { afterAll, beforeAll, expect, test } from "bun:test";
import { DEVICE_STATES, withActive } from "../../src/lib/devices/device-state.ts";
import { GATEWAY_DEVICE_TYPE } from "../../src/lib/devices/gateway-device.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;
const clock = new FakeClock();
let app: TestApp;
let owner: string;
const devices = new Map<string, { deviceId: string; token: string }>();
const idOf = (name: string) => devices.get(name)?.deviceId ?? "";

interface Row {
  readonly name: string;
  readonly state: string;
}
const list = async (query: string, token = owner): Promise<Row[]> => {
  const { status, body } = await app.call("GET", `/api/devices?${query}`, { token });
  expect(status).toBe(200);
  return body;
};
const namesOf = async (query: string, token = owner) => (await list(query, token)).map(({ name }) => name);
const counts = async (token = owner) => (await app.call("GET", "/api/devices/states", { token })).body;
const maintain = (name: string, until = clock.now() + HOUR_MS) =>
  app.call("POST", `/api/devices/${idOf(name)}/maintenance`, {
    token: owner,
    body: { until: new Date(until).toISOString() },
  });

beforeAll(async () => {
  app = await createTestApp({ clock });
  owner = (await app.signIn("TENANT_OWNER")).token;
  const create = async (name: string, fields: object = {}) =>
    void devices.set(name, await app.createDevice(owner, { name, ...fields }));
  await create("Box", { deviceType: GATEWAY_DEVICE_TYPE });
  await create("Line", { role: "GATEWAY" });
  await create("Child", { parentDeviceId: idOf("Line") });
  for (const name of ["Active", "Silent", "Unused"]) await create(name);
  for (const name of ["Box", "Child", "Active", "Silent"])
    await app.call("POST", `/api/v1/${devices.get(name)?.token}/telemetry`, { body: { t: 1 } });
  await app.call("PATCH", `/api/devices/${idOf("Silent")}`, {
    token: owner,
    body: { inactivityTimeoutMs: 1_000 },
  });
  for (let i = 0; i < 5; i++) clock.advance(1_000);
  await maintain("Line");
  await until(async () => (await namesOf("active=true")).length === 3);
});
afterAll(() => app.stop());

test("a device is in maintenance with its gateway, active, inactive, or has never connected", async () => {
  const states = Object.fromEntries((await list("")).map(({ name, state }) => [name, state]));
  expect(states).toEqual({
    Active: "ACTIVE",
    Box: "ACTIVE",
    Child: "MAINTENANCE",
    Line: "MAINTENANCE",
    Silent: "INACTIVE",
    Unused: "NEVER_CONNECTED",
  });
  const detail = await app.call("GET", `/api/devices/${idOf("Child")}`, { token: owner });
  expect(detail.body).toMatchObject({ state: "MAINTENANCE", active: true });
});

test("a list by state has the devices that show it, and the counts are those of the lists", async () => {
  const all = await list("");
  for (const state of DEVICE_STATES) {
    const named = all.filter((row) => row.state === state).map(({ name }) => name);
    expect((await namesOf(`state=${state}`)).toSorted()).toEqual(named.toSorted());
    expect(await counts()).toContainEqual({ state, count: named.length });
  }
  expect((await app.call("GET", "/api/devices?state=OFF", { token: owner })).status).toBe(400);
  expect((await app.call("GET", "/api/devices/states")).status).toBe(401);
});

test("the gateway's own device is the last one, and the overview leaves it out", async () => {
  expect(await namesOf("")).toEqual(["Active", "Child", "Line", "Silent", "Unused", "Box"]);
  expect(await namesOf("sort=-state")).toEqual(["Silent", "Unused", "Child", "Line", "Active", "Box"]);
  expect(await namesOf("sort=name")).toEqual(["Active", "Box", "Child", "Line", "Silent", "Unused"]);
  const types = (await app.call("GET", "/api/devices/types", { token: owner })).body;
  expect(types.at(-1)).toEqual({ deviceType: GATEWAY_DEVICE_TYPE, count: 1 });
  const overview = (await app.call("GET", "/api/overview", { token: owner })).body;
  expect(overview.devices).toEqual({ total: 5, active: 1, inactive: 1, neverConnected: 1, maintenance: 2 });
});

test("a user of some devices and another tenant count only their own", async () => {
  const limited = await app.signIn("TENANT_READ_ONLY", { devices: [idOf("Child"), idOf("Unused")] });
  expect(await counts(limited.token)).toEqual([
    { state: "MAINTENANCE", count: 1 },
    { state: "NEVER_CONNECTED", count: 1 },
  ]);
  const stranger = await app.signIn("TENANT_OWNER", { tenant: "two" });
  expect(await counts(stranger.token)).toEqual([]);
});

test("an alias of a dashboard has the states", async () => {
  const { body } = await app.call("POST", "/api/dashboards/resolve-alias", {
    token: owner,
    body: { alias: { id: "a", name: "a", type: "gatewayChildren", gatewayId: idOf("Line") } },
  });
  expect(body.devices).toMatchObject([{ name: "Child", state: "MAINTENANCE", active: true }]);
});

test("maintenance that is over is no state any more", async () => {
  await app.call("DELETE", `/api/devices/${idOf("Line")}/maintenance`, { token: owner });
  expect(await namesOf("state=MAINTENANCE")).toEqual([]);
  expect(await namesOf("state=NEVER_CONNECTED")).toEqual(["Line", "Unused"]);
});

test("a device that sends or falls silent keeps its maintenance, and has connected", () => {
  const after = (active: boolean) =>
    DEVICE_STATES.map((state) => withActive({ active: !active, state }, active));
  expect(after(true).map(({ state }) => state)).toEqual(["ACTIVE", "ACTIVE", "ACTIVE", "MAINTENANCE"]);
  expect(after(false).map(({ state }) => state)).toEqual(["INACTIVE", "INACTIVE", "INACTIVE", "MAINTENANCE"]);
  expect(after(true).every(({ active }) => active)).toBe(true);
});
