import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let reader: string;
let limited: string;
let stranger: string;
let profileId: string;
let device: { deviceId: string; token: string };

const rule = {
  alarmType: "Hot",
  createRules: [
    {
      severity: "CRITICAL",
      condition: { all: [{ key: "t", op: "GT", value: 80 }, { not: { key: "off", op: "EQ", value: true } }] },
    },
    {
      severity: "MAJOR",
      condition: { key: "t", op: "GT", attribute: { key: "limit", scope: "SERVER" } },
      kind: "DURATION",
      forMs: 600_000,
    },
    { severity: "MINOR", condition: { key: "t", op: "GT", value: 50 }, kind: "REPEATING", count: 3 },
  ],
  clearRule: { condition: { key: "t", op: "LT", value: 40 } },
};

const post = (url: string, body: unknown, token = owner) => fixture.call("POST", url, { token, body });
const explain = async (token = owner) =>
  fixture.call("GET", `/api/devices/${device.deviceId}/alarm-rules`, { token });
const backTest = (body: Record<string, unknown>, token = owner) => post("/api/alarms/back-test", body, token);

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  profileId = (await fixture.call("GET", "/api/device-profiles", { token: owner })).body[0].profileId;
  device = await fixture.createDevice(owner, { name: "Kiln" });
  limited = (await fixture.signIn("TENANT_ADMIN", { devices: [] })).token;
});
afterAll(() => fixture.stop());

describe("a test of an alarm rule on stored telemetry", () => {
  const timeMs = Date.now() - 3_600_000;
  beforeAll(async () => {
    const items = Array.from({ length: 60 }, (_, index) => ({
      ts: timeMs + index * 60_000,
      telemetry: { t: index % 20 === 5 ? 90 : 20, other: index },
    }));
    await fixture.call("POST", `/api/v1/${device.token}/telemetry/batch`, { body: { items } });
  });
  const simple = {
    alarmType: "Hot",
    createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 80 }, message: "at last" }],
  };

  test("says what it would have raised, and raises nothing", async () => {
    const { status, body } = await backTest({ rule: simple, deviceIds: [device.deviceId] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      deviceCount: 1,
      rowCount: 60,
      alarmCount: 3,
      isCut: false,
      usesAttributes: false,
    });
    expect(body.alarms.at(-1)).toEqual({
      deviceId: device.deviceId,
      deviceName: "Kiln",
      severity: "MAJOR",
      message: "at last",
      raisedAt: new Date(timeMs + 5 * 60_000).toISOString(),
      clearedAt: new Date(timeMs + 6 * 60_000).toISOString(),
    });
    expect((await fixture.call("GET", "/api/alarms", { token: owner })).body).toEqual([]);
  });

  test("takes the devices of a profile, and a part of the time", async () => {
    const { body } = await backTest({ rule: simple, profileId, from: timeMs, to: timeMs + 10 * 60_000 });
    expect(body).toMatchObject({ deviceCount: 1, rowCount: 11, alarmCount: 1 });
    expect((await backTest({ rule: simple, profileId: "none" })).body).toMatchObject({ deviceCount: 0 });
  });

  test("is refused with the part of the rule that is wrong, without devices, and for a time that is none", async () => {
    const wrong = { alarmType: "Hot", createRules: [{ severity: "HUGE", condition: {} }] };
    const refused = await backTest({ rule: wrong, deviceIds: [device.deviceId] });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain("createRules[0].severity");
    expect((await backTest({ rule: simple })).status).toBe(400);
    const devices = { rule: simple, deviceIds: [device.deviceId] };
    expect((await backTest({ ...devices, from: timeMs, to: timeMs - 1 })).status).toBe(400);
    expect((await backTest({ ...devices, from: 0 })).status).toBe(400);
  });

  test("is for whoever may see the devices", async () => {
    const devices = { rule: simple, deviceIds: [device.deviceId] };
    expect((await backTest(devices, reader)).status).toBe(200);
    expect((await backTest(devices, limited)).status).toBe(404);
    expect((await backTest(devices, stranger)).status).toBe(404);
    expect((await backTest({ rule: simple, profileId }, stranger)).body).toMatchObject({ deviceCount: 0 });
    expect(await fixture.call("POST", "/api/alarms/back-test", { body: devices })).toMatchObject({
      status: 401,
    });
  });
});

describe("why a rule raises something, or why not", () => {
  test("is an empty list without rules", async () => {
    expect(await explain()).toMatchObject({ status: 200, body: [] });
  });

  test("names each part, its value, whether it holds, and what is counted", async () => {
    await fixture.call("PATCH", `/api/device-profiles/${profileId}`, {
      token: owner,
      body: { alarmRules: [rule] },
    });
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t: 60 } });
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t: 70 } });
    const { body } = await explain();
    expect(body).toEqual([
      {
        alarmType: "Hot",
        triggers: [
          {
            severity: "CRITICAL",
            kind: "SIMPLE",
            isMet: false,
            condition: {
              all: [
                { key: "t", source: "telemetry", op: "GT", against: 80, actual: 70, holds: false },
                {
                  not: {
                    key: "off",
                    source: "telemetry",
                    op: "EQ",
                    against: true,
                    actual: null,
                    holds: false,
                  },
                  holds: true,
                },
              ],
              holds: false,
            },
          },
          {
            severity: "MAJOR",
            kind: "DURATION",
            forMs: 600_000,
            isMet: false,
            condition: { key: "t", source: "telemetry", op: "GT", against: null, actual: 70, holds: false },
          },
          {
            severity: "MINOR",
            kind: "REPEATING",
            count: 3,
            counted: 2,
            isMet: false,
            condition: { key: "t", source: "telemetry", op: "GT", against: 50, actual: 70, holds: true },
          },
          {
            severity: null,
            kind: "SIMPLE",
            isMet: false,
            condition: { key: "t", source: "telemetry", op: "LT", against: 40, actual: 70, holds: false },
          },
        ],
      },
    ]);
  });

  test("tells of times in progress, of an open alarm, and of what holds it back", async () => {
    await post(`/api/devices/${device.deviceId}/attributes`, { scope: "SERVER", attributes: { limit: 65 } });
    const [before] = (await explain()).body;
    const major = before.triggers[1];
    expect(major).toMatchObject({ isMet: false, condition: { against: 65, actual: 70, holds: true } });
    expect(Date.parse(major.metAt) - Date.parse(major.since)).toBe(600_000);
    expect(before.dueAt).toBe(major.metAt);
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t: 71 } });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await post(`/api/devices/${device.deviceId}/maintenance`, { until });
    const [after] = (await explain()).body;
    expect(after).toMatchObject({
      openSeverity: "MINOR",
      triggers: [{}, {}, { isMet: true, counted: 3 }, {}],
    });
    expect(typeof after.openAlarmId).toBe("string");
    expect(Math.abs(Date.parse(after.heldUntil) - Date.parse(until))).toBeLessThan(1000);
  });

  test("is for whoever may see the device", async () => {
    expect((await explain(reader)).status).toBe(200);
    expect((await explain(limited)).status).toBe(404);
    expect((await explain(stranger)).status).toBe(404);
    expect(await fixture.call("GET", `/api/devices/${device.deviceId}/alarm-rules`)).toMatchObject({
      status: 401,
    });
  });
});
