import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const TEN_MINUTES_MS = 600_000;
const clock = new FakeClock();
let fixture: TestApp;
let owner: string;
let stranger: string;
let press: { deviceId: string; token: string };
beforeAll(async () => {
  fixture = await createTestApp({ clock });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  press = await fixture.createDevice(owner, { name: "Press" });
  await fixture.createDevice(owner, { name: "Silent" });
});
afterAll(() => fixture.stop());

const overview = async (token = owner) => (await fixture.call("GET", "/api/overview", { token })).body;
const setPins = (pins: unknown, token = owner) =>
  fixture.call("PUT", "/api/overview/pins", { token, body: { pins } });
const sumOf = (counts: Record<string, number>) => Object.values(counts).reduce((sum, n) => sum + n, 0);

async function raiseAlarm() {
  const profiles = await fixture.call("GET", "/api/device-profiles", { token: owner });
  await fixture.call("PATCH", `/api/device-profiles/${profiles.body[0].profileId}`, {
    token: owner,
    body: {
      alarmRules: [
        {
          alarmType: "Hot",
          createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 80 } }],
        },
      ],
    },
  });
  await fixture.call("POST", `/api/v1/${press.token}/telemetry`, { body: { t: 90 } });
}

describe("the overview", () => {
  test("counts devices and open alarms by severity, for a reader, too", async () => {
    await raiseAlarm();
    const reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
    for (const token of [owner, reader]) {
      const { devices, openAlarms } = await overview(token);
      expect(devices).toMatchObject({ total: 2, inactive: 0, maintenance: 0 });
      expect(devices.active + devices.neverConnected).toBe(2);
      expect(openAlarms).toEqual({ CRITICAL: 0, MAJOR: 1, MINOR: 0, WARNING: 0, INDETERMINATE: 0 });
    }
    expect((await fixture.call("GET", "/api/overview")).status).toBe(401);
  });

  test("counts no devices of another tenant, and none that were not granted", async () => {
    const limited = (await fixture.signIn("TENANT_RW", { devices: [] })).token;
    for (const token of [stranger, limited]) {
      const { devices, openAlarms, history, pins } = await overview(token);
      expect([devices.total, devices.active, sumOf(openAlarms), history, pins]).toEqual([0, 0, 0, [], []]);
    }
  });

  test("shows the pins of administrators, in their order, each once", async () => {
    const pins = [
      { deviceId: press.deviceId, key: "t" },
      { deviceId: press.deviceId, key: "p" },
    ];
    const admin = (await fixture.signIn("TENANT_ADMIN")).token;
    expect((await setPins([...pins, pins[0]], admin)).body).toEqual({ pins });
    expect((await overview()).pins).toEqual(pins);
    const limited = (await fixture.signIn("TENANT_RW", { devices: [] })).token;
    expect((await overview(limited)).pins).toEqual([]);
    const entries = await fixture.call("GET", "/api/audit?action=overview.pin", { token: owner });
    expect(entries.body[0]).toMatchObject({ before: { pins: [] }, after: { pins } });
  });

  test("refuses pins of others than administrators, of unknown devices and too many", async () => {
    const pin = { deviceId: press.deviceId, key: "t" };
    const writer = (await fixture.signIn("TENANT_RW")).token;
    const limited = (await fixture.signIn("TENANT_ADMIN", { devices: [press.deviceId] })).token;
    expect((await setPins([pin], writer)).status).toBe(403);
    expect((await setPins([pin], limited)).status).toBe(403);
    expect((await setPins([pin], stranger)).status).toBe(404);
    expect((await setPins([{ deviceId: "unknown", key: "t" }])).body).toMatchObject({
      code: "device.not_found",
      message: "There is no device with this ID, or you have no access to it.",
    });
    const deviceId = crypto.randomUUID();
    expect((await setPins([{ deviceId, key: "t" }])).body).toMatchObject({
      message: `There is no device ${deviceId}, or you have no access to it.`,
      params: { deviceId },
    });
    expect((await setPins(Array(13).fill(pin))).status).toBe(400);
    expect((await overview()).pins).toHaveLength(2);
  });

  test("has a sample for each ten minutes of the last day, and none of an earlier one", async () => {
    clock.leap(TEN_MINUTES_MS);
    clock.leap(TEN_MINUTES_MS);
    const { history } = await overview();
    expect(history).toHaveLength(2);
    expect(history[1]).toEqual({ ts: clock.now(), activeDevices: expect.any(Number), openAlarms: 1 });
    expect(history[1].ts - history[0].ts).toBe(TEN_MINUTES_MS);
    for (let n = 0; n < 150; n++) clock.leap(TEN_MINUTES_MS);
    owner = (await fixture.signIn("TENANT_OWNER")).token; // the session has ended meanwhile
    const later = (await overview()).history;
    expect(later).toHaveLength(145);
    expect(clock.now() - later[0].ts).toBe(24 * 6 * TEN_MINUTES_MS);
  });

  test("forgets the pins of a device that is deleted", async () => {
    await fixture.call("DELETE", `/api/devices/${press.deviceId}`, { token: owner });
    expect((await overview()).pins).toEqual([]);
  });
});
