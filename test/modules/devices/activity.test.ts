import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";

const clock = new FakeClock(Date.now());
let fixture: TestApp;
let token: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp({ clock });
  token = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(token, { inactivityTimeoutMs: 10_000 });
});
afterAll(() => fixture.stop());

const report = (body: unknown = { a: 1 }) =>
  fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body });
const isActive = async () =>
  (await fixture.call("GET", `/api/devices/${device.deviceId}`, { token })).body.active;
const serverAttributes = async () => {
  const { body } = await fixture.call("GET", `/api/devices/${device.deviceId}/attributes?scope=SERVER`, {
    token,
  });
  return Object.fromEntries(body.map((entry: { key: string; value: unknown }) => [entry.key, entry.value]));
};

describe("a device is active until its timeout has passed in silence", () => {
  test("step by step", async () => {
    expect(await isActive()).toBe(false);
    await report();
    const seenAt = clock.now();
    expect(await isActive()).toBe(true);
    clock.advance(9_000);
    expect(await isActive()).toBe(true);
    await report();
    clock.advance(9_000);
    expect(await isActive()).toBe(true);
    clock.advance(1_000);
    expect(await isActive()).toBe(false);
    expect(await serverAttributes()).toMatchObject({
      active: false,
      lastActivityTime: seenAt + 9_000,
      inactivityAlarmTime: clock.now(),
    });
    await report();
    expect(await isActive()).toBe(true);
  });

  test("a jump of the wall clock turns nothing inactive", async () => {
    await report();
    clock.jump(40 * 365 * 86_400_000);
    clock.advance(5_000);
    expect(await isActive()).toBe(true);
    clock.jump(-40 * 365 * 86_400_000);
  });

  test("a shorter timeout falls due at once", async () => {
    await report();
    clock.advance(3_000);
    await fixture.call("PATCH", `/api/devices/${device.deviceId}`, {
      token,
      body: { inactivityTimeoutMs: 4_000 },
    });
    clock.advance(1_000);
    expect(await isActive()).toBe(false);
  });

  test("a list filtered by activity knows it after it was written", async () => {
    await report();
    clock.advance(1_000);
    clock.advance(3_000);
    clock.advance(5_000);
    const { body } = await fixture.call("GET", "/api/devices?active=false", { token });
    expect(body.map((item: { deviceId: string }) => item.deviceId)).toEqual([device.deviceId]);
  });
});

test("what was seen survives a restart, and a device that was active gets its whole timeout again", async () => {
  const first = await createTestApp();
  const owner = (await first.signIn("TENANT_OWNER")).token;
  const { deviceId, token: deviceToken } = await first.createDevice(owner);
  await first.call("POST", `/api/v1/${deviceToken}/telemetry`, { body: { a: 1 } });
  const before = (await first.call("GET", `/api/devices/${deviceId}`, { token: owner })).body;
  await first.app.stop();
  const second = await createTestApp({ directory: first.directory });
  const after = (await second.call("GET", `/api/devices/${deviceId}`, { token: owner })).body;
  expect(after).toEqual(before);
  expect(after.active).toBe(true);
  await second.app.stop();
});
