import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until as untilTrue } from "../support/until.ts";

let fixture: TestApp;
let clock: FakeClock;
const tokens = { owner: "", writer: "", reader: "", limited: "", stranger: "" };
type Who = keyof typeof tokens;

beforeAll(async () => {
  clock = new FakeClock(Date.UTC(2026, 5, 10, 12));
  fixture = await createTestApp({ clock });
  tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
  tokens.writer = (await fixture.signIn("TENANT_RW")).token;
  tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  tokens.limited = (await fixture.signIn("TENANT_RW", { devices: [] })).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(() => ended(fixture));

const call = (method: string, path: string, who: Who = "owner", body?: unknown) => {
  const response = fixture.call(method, path, { token: tokens[who], ...(body !== undefined && { body }) });
  return path.startsWith("/api/demo-plant") && method !== "GET" ? during(response) : response;
};
const start = () => call("POST", "/api/demo-plant/start");
const count = async (path: string) => (await call("GET", path)).body.length as number;
/** The store and observers have their turn between two steps of the clock. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    clock.advance(Math.min(left, 1) * 1_000);
    await Bun.sleep(2);
  }
}
const until = (isGood: () => Promise<boolean>): Promise<void> =>
  untilTrue(async () => {
    if (await isGood()) return true;
    await pass(1);
    return false;
  });

/** What is in progress when something is stopped waits for the clock. */
async function during<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const ending = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await pass(0.1);
  return ending;
}
const ended = (app: TestApp): Promise<void> => during(app.stop());

describe("who may", () => {
  const row = (method: string, path: string, who?: Who) => ({
    method,
    path: `/api/demo-plant${path}`,
    ...(who !== undefined && { token: tokens[who] }),
  });
  apiRows(
    () => fixture,
    [
      { name: "nobody unknown", request: () => row("POST", "/start"), status: 401, answer: "none" },
      {
        name: "no reader starts it",
        request: () => row("POST", "/start", "reader"),
        status: 403,
        answer: "error",
      },
      { name: "or removes it", request: () => row("DELETE", "", "reader"), status: 403, answer: "error" },
      {
        name: "nobody who sees some devices only",
        request: () => row("POST", "/start", "limited"),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader sees that there is none",
        request: () => row("GET", "", "reader"),
        status: 200,
        answer: ({ body }) =>
          expect(body).toEqual({ state: "none", progress: 0, deviceCount: 0, dashboardId: null }),
      },
      { name: "stopping none is no error", request: () => row("POST", "/stop", "writer"), status: 200 },
      { name: "removing none neither", request: () => row("DELETE", "", "writer"), status: 200 },
    ],
  );
});

describe("a plant", () => {
  test("has two lines behind gateways, a day of history, and readings that come by themselves", async () => {
    const { body } = await start();
    expect(body).toMatchObject({ state: "running", deviceCount: 14 });
    const devices = (await call("GET", "/api/devices?limit=50")).body as {
      deviceId: string;
      role: string;
      parentDeviceId?: string;
      name: string;
    }[];
    const gateways = devices.filter(({ role }) => role === "GATEWAY").map(({ deviceId }) => deviceId);
    const machines = devices.filter(({ role }) => role !== "GATEWAY");
    expect([gateways.length, machines.length]).toEqual([2, 12]);
    for (const gateway of gateways)
      expect(machines.filter(({ parentDeviceId }) => parentDeviceId === gateway)).toHaveLength(6);
    await until(async () => (await call("GET", "/api/demo-plant")).body.progress === 1);
    const { deviceId } = machines.find(({ name }) => name === "Press 1") ?? { deviceId: "" };
    const now = clock.now();
    const range = `/api/devices/${deviceId}/telemetry/range?keys=temperature&aggregation=count&from=${now - 86_400_000}&to=${now}&maxDataPoints=1`;
    expect((await call("GET", range)).body.data[0].series[0].points[0].value).toBeGreaterThan(1_400);
    const newest = async () => (await call("GET", `/api/devices/${deviceId}/telemetry/latest`)).body.ts;
    const before = await newest();
    await until(async () => (await newest()) > before);
    expect((await call("GET", `/api/devices/${deviceId}`)).body.active).toBe(true);
  });

  test("raises alarms and clears them, again and again", async () => {
    const isOpen = async () =>
      (await call("GET", "/api/alarms")).body.some(({ status }: { status: string }) =>
        status.startsWith("ACTIVE"),
      );
    for (let time = 0; time < 2; time++) {
      await until(isOpen);
      await until(async () => !(await isOpen()));
    }
    expect(await count("/api/alarms")).toBeGreaterThan(0);
  });

  test("shows all of it on a dashboard", async () => {
    const { dashboardId } = (await call("GET", "/api/demo-plant")).body;
    const { body } = await call("POST", `/api/dashboards/${dashboardId}/execute`, "reader");
    expect(body.devices.all).toHaveLength(12);
    expect(body.data.presses.series).toHaveLength(2);
    expect(body.data.states.series[0].series[0].points.length).toBeGreaterThan(10);
    expect(body.data.power.latest).toHaveLength(2);
    for (const [widget, data] of Object.entries<{ error?: string }>(body.data))
      expect([widget, data.error]).toEqual([widget, undefined]);
  });

  test("does what it is told", async () => {
    const [machine] = (await call("GET", "/api/devices?search=press%201")).body;
    const path = `/api/devices/${machine.deviceId}/commands`;
    await call("POST", path, "owner", { method: "restart" });
    await until(async () => (await call("GET", path)).body[0].status === "SUCCESSFUL");
  });

  test("is started again as it is, and what somebody deleted of it is made again", async () => {
    const ids = async () =>
      (await call("GET", "/api/devices?limit=50")).body.map(({ deviceId }: { deviceId: string }) => deviceId);
    const before = await ids();
    await start();
    expect((await ids()).sort()).toEqual(before.sort());
    const [gone] = (await call("GET", "/api/devices?search=oven")).body;
    await call("DELETE", `/api/devices/${gone.deviceId}`);
    await pass(4);
    await start();
    const after = await ids();
    expect(after).toHaveLength(14);
    expect(after).not.toContain(gone.deviceId);
    expect(await count("/api/device-profiles")).toBe(8);
  });

  test("is the tenant's own", async () => {
    expect((await call("GET", "/api/demo-plant", "stranger")).body.state).toBe("none");
    await call("POST", "/api/demo-plant/stop", "stranger");
    await call("DELETE", "/api/demo-plant", "stranger");
    expect((await call("GET", "/api/demo-plant")).body.state).toBe("running");
  });

  test("stops, with all that it has sent, and is silent then", async () => {
    expect((await call("POST", "/api/demo-plant/stop")).body.state).toBe("stopped");
    const [machine] = (await call("GET", "/api/devices?search=press%201")).body;
    const latest = async () =>
      (await call("GET", `/api/devices/${machine.deviceId}/telemetry/latest`)).body.ts;
    const before = await latest();
    await pass(20);
    expect(await latest()).toBe(before);
    expect(await count("/api/devices?limit=50")).toBe(14);
  });

  test("is removed with all that was made for it, and nothing else", async () => {
    await call("POST", "/api/devices", "owner", { name: "Own", deviceType: "press" });
    const profiles = (await call("GET", "/api/device-profiles")).body as {
      profileId: string;
      name: string;
    }[];
    const taken = profiles.find(({ name }) => name === "Demo oven");
    await call("POST", "/api/devices", "owner", {
      name: "Own oven",
      deviceType: "oven",
      profileId: taken?.profileId,
    });
    expect((await call("DELETE", "/api/demo-plant", "writer")).body).toEqual({ success: true });
    const names = (await call("GET", "/api/devices")).body.map(({ name }: { name: string }) => name);
    expect(names.sort()).toEqual(["Own", "Own oven"]);
    expect(await count("/api/dashboards")).toBe(0);
    const left = (await call("GET", "/api/device-profiles")).body.map(({ name }: { name: string }) => name);
    expect(left.sort()).toEqual(["Demo oven", "default"]);
    expect((await call("GET", "/api/demo-plant")).body.state).toBe("none");
  });

  test("leaves names alone that are taken", async () => {
    await call("POST", "/api/devices", "owner", { name: "Press 1", deviceType: "press" });
    await start();
    const names = (await call("GET", "/api/devices?search=Press 1")).body.map(
      ({ name }: { name: string }) => name,
    );
    expect(names.sort()).toEqual(["Press 1", "Press 1 (demo 2)"]);
    await call("DELETE", "/api/demo-plant");
  });
});

describe("awkward times", () => {
  const ids = async () =>
    (await call("GET", "/api/devices?limit=50")).body.map(({ deviceId }: { deviceId: string }) => deviceId);

  const remove = () => call("DELETE", "/api/demo-plant");
  const stop = () => call("POST", "/api/demo-plant/stop");
  const ownDevices = async () => (await call("GET", "/api/devices?limit=50&tag=demo-plant")).body.length;

  test("started while it is being removed, there is one plant or none, and it can be removed", async () => {
    await start();
    await Promise.all([remove(), start(), stop(), start()]);
    // Requests that are sent at once arrive in any order: whichever is the last decides the state.
    const { state, deviceCount } = (await call("GET", "/api/demo-plant")).body;
    expect([state, deviceCount]).toEqual(
      state === "none" ? ["none", 0] : [expect.stringMatching(/^(running|stopped)$/), 14],
    );
    expect(await ownDevices()).toBe(deviceCount);
    await remove();
    expect(await ownDevices()).toBe(0);
  });

  test("a new dashboard is no reason to write the past again", async () => {
    await start();
    await until(async () => (await call("GET", "/api/demo-plant")).body.progress === 1);
    const [machine] = (await call("GET", "/api/devices?search=oven 2")).body;
    const from = clock.now() - 20 * 3_600_000;
    const path = `/api/devices/${machine.deviceId}/telemetry/range?keys=zone1&aggregation=count&from=${from}&to=${from + 3_600_000}&maxDataPoints=1`;
    const before = (await call("GET", path)).body;
    const { dashboardId } = (await call("GET", "/api/demo-plant")).body;
    await call("DELETE", `/api/dashboards/${dashboardId}`);
    await call("POST", "/api/demo-plant/stop");
    clock.advance(30_000);
    await start();
    await pass(4);
    expect((await call("GET", path)).body).toEqual(before);
  });

  test("a gateway that is none any more is left alone, and another made", async () => {
    const before = await ids();
    const [gateway] = (await call("GET", "/api/devices?search=Line 1 gateway")).body;
    for (const child of (await call("GET", `/api/devices/${gateway.deviceId}/children`)).body)
      await call("PATCH", `/api/devices/${child.deviceId}`, "owner", { parentDeviceId: null });
    await call("PATCH", `/api/devices/${gateway.deviceId}`, "owner", { role: "DEVICE" });
    await call(
      "DELETE",
      `/api/devices/${(await call("GET", "/api/devices?search=Oven 1")).body[0].deviceId}`,
    );
    expect((await start()).status).toBe(200);
    expect(await ids()).toContain(gateway.deviceId);
    expect((await ids()).length).toBe(before.length + 1);
    await call("DELETE", "/api/demo-plant");
    await call("DELETE", `/api/devices/${gateway.deviceId}`);
  });

  test("where a plan lets few messages through, each machine has its turn", async () => {
    const limits = { devices: null, users: null, retentionDays: null, messagesPerSecond: 1 };
    const slow = await createTestApp({
      clock,
      config: { plans: JSON.stringify([{ id: "onprem", name: "Slow", limits }]) },
    });
    const { token } = await slow.signIn("TENANT_OWNER");
    await during(slow.call("POST", "/api/demo-plant/start", { token }));
    const begun = clock.now();
    await until(async () => {
      const rows = (await slow.call("GET", "/api/devices?limit=50", { token })).body as {
        role: string;
        lastActivityAt: string;
      }[];
      const machines = rows.filter(({ role }) => role === "DEVICE");
      return (
        machines.length > 0 && machines.every(({ lastActivityAt }) => Date.parse(lastActivityAt) > begun)
      );
    });
    expect(clock.now() - begun).toBeLessThan(300_000);
    await ended(slow);
  });
});

test("goes on after a restart, without a second history, until it is stopped", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-demo-"));
  const first = await createTestApp({ clock, directory });
  const { token } = await first.signIn("TENANT_OWNER");
  await during(first.call("POST", "/api/demo-plant/start", { token }));
  const isReady = async () => (await first.call("GET", "/api/demo-plant", { token })).body.progress === 1;
  await until(isReady);
  await ended(first);
  clock.advance(60_000);
  const second = await createTestApp({ clock, directory });
  const ask = async (path: string) => (await second.call("GET", path, { token })).body;
  expect(await ask("/api/demo-plant")).toMatchObject({ state: "running", progress: 1 });
  const [machine] = await ask("/api/devices?search=press%201");
  const latest = async () => (await ask(`/api/devices/${machine.deviceId}/telemetry/latest`)).ts;
  const before = await latest();
  await until(async () => (await latest()) > before);
  const temperature = (await ask(`/api/devices/${machine.deviceId}/telemetry/latest`)).values.temperature;
  expect(temperature).toBeGreaterThan(40); // warm, as if it had never stopped
  await during(second.call("POST", "/api/demo-plant/stop", { token }));
  await ended(second);
  const third = await createTestApp({ clock, directory });
  expect((await third.call("GET", "/api/demo-plant", { token })).body.state).toBe("stopped");
  await ended(third);
  await rm(directory, { recursive: true, force: true });
});

test("says so when the plan has no room for it, and makes nothing", async () => {
  const limits = { devices: 13, users: 4, retentionDays: null, messagesPerSecond: null };
  const small = await createTestApp({
    config: { plans: JSON.stringify([{ id: "onprem", name: "Small", limits }]) },
  });
  const { token } = await small.signIn("TENANT_OWNER");
  const response = await small.call("POST", "/api/demo-plant/start", { token });
  expect([response.status, response.body.message]).toEqual([403, expect.stringContaining("14 more devices")]);
  expect((await small.call("GET", "/api/devices", { token })).body).toEqual([]);
  expect((await small.call("GET", "/api/dashboards", { token })).body).toEqual([]);
  await small.stop();
});
