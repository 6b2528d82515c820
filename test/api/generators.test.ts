import { describe, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp } from "../support/test-app.ts";
import {
  bodyOf,
  call,
  config,
  create,
  fixture,
  metrics,
  mine,
  other,
  tokens,
  useGenerators,
} from "./generators-fixture.ts";

useGenerators();

/** Waits until a device has a value of a key. */
async function latestOf(deviceId: string, key: string, app = fixture, token = tokens.owner) {
  for (;;) {
    const { body } = await app.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token });
    if (body.values?.[key] !== undefined) return body.values[key];
  }
}

describe("the lifecycle of a generator", () => {
  test("it is a draft, is started, paused, started again and deleted; its device stays", async () => {
    const draft = await create({ name: "boiler", description: "for the demo" });
    expect(draft).toEqual({
      id: expect.any(String),
      name: "boiler",
      description: "for the demo",
      type: "data_generator",
      enabled: true,
      status: "draft",
      config,
      tenantId: expect.any(String),
      devices: [],
      deviceCount: 0,
      hiddenDevices: 0,
      readings: 0,
      refused: 0,
      lastReadingAt: null,
      lastError: null,
      lastErrorText: null,
      lastErrorAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await call("GET", `/${draft.id}`)).body).toEqual(draft);
    const started = await call("POST", `/${draft.id}/start`);
    expect(started.body).toMatchObject({ status: "active", enabled: true, deviceCount: 1, config });
    const [device] = started.body.devices;
    expect(device.name).toBe("boiler");
    const value = await latestOf(device.deviceId, "temperature");
    expect(value).toBeGreaterThanOrEqual(20);
    expect(value).toBeLessThanOrEqual(25);
    const paused = await call("POST", `/${draft.id}/pause`);
    expect(paused.body).toMatchObject({ status: "paused", enabled: true, devices: [device] });
    const again = await call("POST", `/${draft.id}/start`);
    expect(again.body).toMatchObject({ status: "active", devices: [device] });
    expect((await call("DELETE", `/${draft.id}`)).body).toEqual({ success: true });
    expect((await call("GET", `/${draft.id}`)).status).toBe(404);
    const kept = await fixture.call("GET", `/api/devices/${device.deviceId}`, { token: tokens.owner });
    expect(kept.body).toMatchObject({ name: "boiler", deviceType: "generator" });
  });

  test("started by two at once it has one device", async () => {
    const { id } = await create({ name: "twice" });
    const responses = await Promise.all([1, 2, 3, 4].map(() => call("POST", `/${id}/start`)));
    expect(new Set(responses.map(({ body }) => body.devices[0].deviceId)).size).toBe(1);
    const devices = await fixture.call("GET", "/api/devices?search=twice", { token: tokens.owner });
    expect(devices.body).toHaveLength(1);
    await call("DELETE", `/${id}`);
  });

  test("created as active it sends at once, for the devices that it names", async () => {
    const generator = await create({
      status: "active",
      config: { ...config, metrics: [{ key: "made", min: 1, max: 1 }], deviceIds: [mine.deviceId] },
    });
    expect(generator).toMatchObject({
      status: "active",
      devices: [{ deviceId: mine.deviceId, name: "mine" }],
      deviceCount: 1,
    });
    expect(await latestOf(mine.deviceId, "made")).toBe(1);
    await call("DELETE", `/${generator.id}`);
  });

  test("not enabled it is paused, whatever is asked; start enables it", async () => {
    const generator = await create({ enabled: false, status: "active" });
    expect(generator).toMatchObject({ enabled: false, status: "paused", deviceCount: 0 });
    const asked = await call("PATCH", `/${generator.id}`, { status: "active" });
    expect(asked.body).toMatchObject({ enabled: false, status: "paused" });
    const enabled = await call("PATCH", `/${generator.id}`, { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, status: "paused" });
    await call("PATCH", `/${generator.id}`, { enabled: false });
    const started = await call("POST", `/${generator.id}/start`);
    expect(started.body).toMatchObject({ enabled: true, status: "active" });
    const off = await call("PATCH", `/${generator.id}`, { enabled: false });
    expect(off.body).toMatchObject({ enabled: false, status: "paused" });
    await call("DELETE", `/${generator.id}`);
  });

  test("a change of an active one takes effect at once", async () => {
    const generator = await create({ status: "active", config: { ...config, deviceIds: [other.deviceId] } });
    await latestOf(other.deviceId, "temperature");
    const changed = await call("PATCH", `/${generator.id}`, {
      name: "renamed",
      config: {
        ...config,
        metrics: [{ key: "pressure", min: 3, max: 3 }],
        deviceIds: [other.deviceId],
      },
    });
    expect(changed.body).toMatchObject({ name: "renamed", status: "active" });
    expect(await latestOf(other.deviceId, "pressure")).toBe(3);
    await call("DELETE", `/${generator.id}`);
  });

  test("the list is by name, searched and counted", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "lists" });
    for (const name of ["c", "a", "b"])
      await fixture.call("POST", "/api/rule-chains", { token, body: bodyOf({ name }) });
    const list = await fixture.call("GET", "/api/rule-chains?limit=2", { token });
    expect(list.body.map(({ name }: { name: string }) => name)).toEqual(["a", "b"]);
    expect(list.headers.get("x-total-count")).toBe("3");
    const found = await fixture.call("GET", "/api/rule-chains?search=C", { token });
    expect(found.body).toHaveLength(1);
  });

  test("changes are in the audit log", async () => {
    const { id } = await create({ name: "audited" });
    await call("POST", `/${id}/start`);
    await call("POST", `/${id}/pause`);
    await call("PATCH", `/${id}`, { name: "audited too" });
    await call("DELETE", `/${id}`);
    const { body } = await fixture.call("GET", `/api/audit?search=${id}`, { token: tokens.owner });
    const actions = body
      .filter(({ targetId }: { targetId: string }) => targetId === id)
      .map(({ action }: { action: string }) => action);
    expect(actions.toSorted()).toEqual([
      "generator.create",
      "generator.delete",
      "generator.pause",
      "generator.start",
      "generator.update",
    ]);
  });
});

describe("devices that go", () => {
  test("a generator whose own device is deleted is paused with the reason, and a start creates a new one", async () => {
    const { id } = await create({ name: "orphan" });
    const started = await call("POST", `/${id}/start`);
    const [{ deviceId }] = started.body.devices;
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: tokens.owner });
    const paused = await call("GET", `/${id}`);
    expect(paused.body).toMatchObject({
      status: "paused",
      devices: [],
      lastError: "The devices of this generator were deleted.",
      lastErrorAt: expect.any(String),
    });
    const again = await call("POST", `/${id}/start`);
    expect(again.body).toMatchObject({ status: "active", deviceCount: 1, lastError: null });
    expect(again.body.devices[0].deviceId).not.toBe(deviceId);
    await call("DELETE", `/${id}`);
  });

  test("a generator goes on without one of its devices, and is paused without the last", async () => {
    const [item, two] = [await fixture.createDevice(tokens.owner), await fixture.createDevice(tokens.owner)];
    const generator = await create({
      status: "active",
      config: { ...config, deviceIds: [item.deviceId, two.deviceId] },
    });
    await fixture.call("DELETE", `/api/devices/${item.deviceId}`, { token: tokens.owner });
    const left = await call("GET", `/${generator.id}`);
    expect(left.body).toMatchObject({ status: "active", config: { deviceIds: [two.deviceId] } });
    await fixture.call("DELETE", `/api/devices/${two.deviceId}`, { token: tokens.owner });
    const paused = await call("GET", `/${generator.id}`);
    expect(paused.body).toMatchObject({ status: "paused", config: { deviceIds: [] } });
    const start = await call("POST", `/${generator.id}/start`);
    expect([start.status, start.body.message]).toEqual([409, expect.stringContaining("were deleted")]);
    const named = await call("PATCH", `/${generator.id}`, {
      status: "active",
      config: { ...config, deviceIds: [mine.deviceId] },
    });
    expect(named.body).toMatchObject({ status: "active", lastError: null });
    await call("DELETE", `/${generator.id}`);
  });
});

describe("limits of what devices may send", () => {
  test("readings are refused while the disk is full, which the generator shows, and stored again afterwards", async () => {
    let free = 1e12;
    const clock = new FakeClock();
    const app = await createTestApp({ clock, readSpace: async () => ({ free, total: 1e12 }) });
    const { token } = await app.signIn("TENANT_OWNER");
    const ask = async (path: string) => (await app.call("GET", path, { token })).body;
    const body = bodyOf({ status: "active", config: { ...config, intervalSeconds: 10 } });
    const { body: generator } = await app.call("POST", "/api/rule-chains", { token, body });
    const advanceUntil = async (
      isDone: (generator: { readings: number; lastError: string | null }) => boolean,
    ) => {
      for (;;) {
        clock.advance(1_000);
        const now = await ask(`/api/rule-chains/${generator.id}`);
        if (isDone(now)) return now;
      }
    };
    await advanceUntil(({ readings }) => readings > 0);
    free = 0;
    const refused = await advanceUntil(({ lastError }) => lastError !== null);
    expect(refused).toMatchObject({
      status: "active",
      lastError: expect.stringContaining("disk is almost full"),
    });
    free = 1e12;
    await advanceUntil(({ lastError }) => lastError === null);
    await app.stop();
  });

  test("readings beyond the rate of a device are refused, and listed on the device", async () => {
    const clock = new FakeClock();
    const app = await createTestApp({ clock });
    const { token } = await app.signIn("TENANT_OWNER");
    const profile = await app.call("POST", "/api/device-profiles", {
      token,
      body: { name: "slow", messagesPerSecond: 1, messagesBurst: 1 },
    });
    const device = await app.createDevice(token, { profileId: profile.body.profileId });
    const body = bodyOf({
      status: "active",
      config: { intervalSeconds: 0.5, metrics, deviceIds: [device.deviceId] },
    });
    const { body: generator } = await app.call("POST", "/api/rule-chains", { token, body });
    for (let listed = []; ; ) {
      clock.advance(500);
      listed = (await app.call("GET", `/api/devices/${device.deviceId}/rejections`, { token })).body;
      if (listed.length === 0) continue;
      expect(listed[0]).toMatchObject({ source: "generator", where: "generator demo" });
      break;
    }
    const { body: notified } = await app.call("GET", `/api/rule-chains/${generator.id}`, { token });
    expect(notified.status).toBe("active");
    expect(notified.refused).toBeGreaterThan(0);
    await app.stop();
  });

  test("generators are deleted with their tenant", async () => {
    const { token, user } = await fixture.signIn("TENANT_OWNER", { tenant: "gone" });
    const body = bodyOf({ status: "active", config: { ...config, intervalSeconds: 0.1 } });
    const apiResponse = await fixture.call("POST", "/api/rule-chains", { token, body });
    await latestOf(apiResponse.body.devices[0].deviceId, "temperature", fixture, token);
    const gone = await fixture.call("DELETE", "/api/tenant", { token, body: { tenantName: "gone" } });
    expect([gone.status, gone.text]).toEqual([200, expect.any(String)]);
    expect(fixture.app.services.tenants.find(user.tenantId as never)).toBeUndefined();
    const stored = await fixture.app.services.store.latest([apiResponse.body.devices[0].deviceId]);
    expect(stored.flatMap(({ values }) => Object.keys(values))).toEqual([]);
  });
});
