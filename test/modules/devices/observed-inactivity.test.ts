import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const clock = new FakeClock(Date.now());
let fixture: TestApp;
let token: string;
type TestDevice = Awaited<ReturnType<TestApp["createDevice"]>>;

beforeAll(async () => {
  fixture = await createTestApp({ clock });
});
/** Access tokens do not outlive the hours of a test. */
const signIn = async () => (await fixture.signIn("TENANT_OWNER")).token;
beforeEach(async () => {
  token = await signIn();
});
afterAll(() => fixture.stop());

const send = async (device: TestDevice, body: unknown = { a: 1 }) =>
  expect((await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body })).status).toBe(200);
const read = async ({ deviceId }: TestDevice) =>
  (await fixture.call("GET", `/api/devices/${deviceId}`, { token: await signIn() })).body;
async function report(device: TestDevice, intervalMs: number, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await send(device);
    clock.leap(intervalMs);
  }
}

test("a new device has the default of ten minutes", async () => {
  const device = await fixture.createDevice(token);
  expect((await read(device)).inactivity).toEqual({ timeoutMs: 10 * MINUTE, source: "DEFAULT" });
  await send(device);
  clock.leap(10 * MINUTE - 1);
  expect((await read(device)).active).toBe(true);
  clock.advance(1);
  expect((await read(device)).active).toBe(false);
});

test("an hourly sensor stays active between its messages, and is inactive after three hours", async () => {
  const device = await fixture.createDevice(token);
  await report(device, HOUR, 4);
  await send(device);
  expect((await read(device)).inactivity).toEqual({
    timeoutMs: 3 * HOUR,
    source: "OBSERVED",
    intervalMs: HOUR,
  });
  clock.leap(3 * HOUR - 1);
  expect((await read(device)).active).toBe(true);
  clock.advance(1);
  expect((await read(device)).active).toBe(false);
});

test("a fast device is inactive after one minute, also when it was slow before", async () => {
  const device = await fixture.createDevice(token);
  await report(device, 5 * MINUTE, 5);
  await report(device, 5 * SECOND, 600);
  await send(device);
  expect((await read(device)).inactivity).toMatchObject({ timeoutMs: MINUTE, source: "OBSERVED" });
  clock.advance(MINUTE);
  expect((await read(device)).active).toBe(false);
});

test("a jump of the wall clock and old timestamps change no interval", async () => {
  const device = await fixture.createDevice(token);
  await report(device, HOUR, 4);
  clock.jump(400 * 24 * HOUR);
  await send(device);
  clock.jump(-400 * 24 * HOUR);
  for (let age = 0; age < 20; age++)
    await send(device, { ts: clock.now() - age * MINUTE, values: { a: age } });
  expect((await read(device)).inactivity).toMatchObject({ intervalMs: HOUR });
});

test("the timeout of the profile overrides the interval, and the device's overrides both", async () => {
  const { body: profile } = await fixture.call("POST", "/api/device-profiles", {
    token,
    body: { name: "Fixed", inactivityTimeoutMs: 5_000 },
  });
  const device = await fixture.createDevice(token, { profileId: profile.profileId });
  expect((await read(device)).inactivity).toEqual({ timeoutMs: 5_000, source: "PROFILE" });
  const change = (body: unknown) => fixture.call("PATCH", `/api/devices/${device.deviceId}`, { token, body });
  expect((await change({ inactivityTimeoutMs: 2_000 })).body.inactivity).toEqual({
    timeoutMs: 2_000,
    source: "DEVICE",
  });
  await change({ inactivityTimeoutMs: null });
  const path = `/api/device-profiles/${profile.profileId}`;
  const automatic = await fixture.call("PATCH", path, { token, body: { inactivityTimeoutMs: null } });
  expect(automatic.body).not.toHaveProperty("inactivityTimeoutMs");
  expect((await read(device)).inactivity).toMatchObject({ source: "DEFAULT" });
});

test("the interval survives a restart, and the time in between is no gap", async () => {
  const time = new FakeClock(Date.now());
  const first = await createTestApp({ clock: time });
  const { token: firstToken, user } = await first.signIn("TENANT_OWNER");
  const device = await first.createDevice(firstToken);
  const sendTo = (app: TestApp) => app.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  const inactivityIn = async (app: TestApp) => {
    const { sessions, identity } = app.app.services;
    const session = sessions.start(user.userId, { address: "local", userAgent: "" });
    const { accessToken: owner } = await identity.refresh({ ...user, ...session } as never); // it asks for the ids alone
    return (await app.call("GET", `/api/devices/${device.deviceId}`, { token: owner })).body.inactivity;
  };
  for (let hour = 0; hour < 4; hour++) {
    await sendTo(first);
    time.leap(HOUR);
  }
  const before = await inactivityIn(first);
  expect(before).toMatchObject({ intervalMs: HOUR });
  await first.app.stop();
  const later = new FakeClock(time.now() + 48 * HOUR);
  const second = await createTestApp({ directory: first.directory, clock: later });
  expect(await inactivityIn(second)).toEqual(before);
  later.leap(2 * HOUR);
  await sendTo(second);
  expect(await inactivityIn(second)).toEqual(before);
  await second.app.stop();
});
