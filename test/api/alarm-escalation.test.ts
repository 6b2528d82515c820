import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { createWebhookReceiver } from "../support/webhook-receiver.ts";

const MINUTE = 60_000;
const settings = { level1To2Minutes: 15, level2To3Minutes: 30, stopOnAck: true, stopOnClear: true };

let directory: string;
let clock: FakeClock;
let fixture: TestApp;
let owner: string;
let profileId: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-escalation-"));
  clock = new FakeClock();
  fixture = await createTestApp({ clock, directory, config: { outbound_allow: "127.0.0.1" } });
  const person = (await fixture.signIn("TENANT_OWNER")).token;
  // A key goes on where a session would end: days go by here.
  const body = { name: "test", role: "TENANT_ADMIN" };
  owner = (await fixture.call("POST", "/api/api-keys", { token: person, body })).body.key;
  profileId = (await get("/api/device-profiles"))[0].profileId;
  await setRules({});
});
afterAll(async () => {
  await fixture.stop();
  await rm(directory, { recursive: true, force: true });
});

const get = async (url: string) => (await fixture.call("GET", url, { token: owner })).body;
const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, path, { token: owner, ...(body === undefined ? {} : { body }) });
const hot = { severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } };
const setRules = (rest: object, token = owner) =>
  fixture.call("PATCH", `/api/device-profiles/${profileId}`, {
    token,
    body: { alarmRules: [{ alarmType: "Overheated", createRules: [hot], ...rest }] },
  });
const set = (changes: Partial<typeof settings> = {}) =>
  call("PATCH", "/api/alarms/escalation-settings", { ...settings, ...changes });
const send = (device: { token: string }, t: number) =>
  call("POST", `/api/v1/${device.token}/telemetry`, { t });

async function raise(fields = {}) {
  await set();
  const device = await fixture.createDevice(owner, fields);
  await send(device, 60);
  const [alarm] = await get(`/api/alarms/device/${device.deviceId}`);
  return { device, alarmId: alarm.alarmId as string };
}
const levelOf = async (alarmId: string) => (await get(`/api/alarms/${alarmId}`)).escalationLevel;
const eventsOf = async (alarmId: string) =>
  (await get(`/api/alarms/${alarmId}/events`)).map(({ eventType }: { eventType: string }) => eventType);
const restart = async (offMs: number) => {
  await fixture.app.stop();
  clock = new FakeClock(clock.now() + offMs);
  fixture = await createTestApp({ clock, directory, config: { outbound_allow: "127.0.0.1" } });
  clock.advance(0);
};

describe("a rule whose alarms are its gateway's, too", () => {
  test("shows them with the gateway, to whoever may see the child", async () => {
    await setRules({ propagateToGateway: true });
    const gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
    const { alarmId, device } = await raise({ parentDeviceId: gateway.deviceId });
    const shown = await get(`/api/alarms/device/${gateway.deviceId}`);
    expect(shown).toMatchObject([{ alarmId, deviceId: device.deviceId, gatewayId: gateway.deviceId }]);
    const limited = await fixture.signIn("TENANT_RW", { devices: [gateway.deviceId] });
    const seen = await fixture.call("GET", `/api/alarms/device/${gateway.deviceId}`, {
      token: limited.token,
    });
    expect(seen.body).toEqual([]);
    await setRules({});
  });
});

describe("escalation", () => {
  test("rises to level 2 and 3 to the millisecond, once each, and no further", async () => {
    const { alarmId } = await raise();
    clock.leap(15 * MINUTE - 1);
    expect(await levelOf(alarmId)).toBe(1);
    clock.advance(1);
    expect(await levelOf(alarmId)).toBe(2);
    clock.leap(30 * MINUTE - 1);
    expect(await levelOf(alarmId)).toBe(2);
    clock.advance(1);
    expect(await levelOf(alarmId)).toBe(3);
    clock.leap(600 * MINUTE);
    expect(await eventsOf(alarmId)).toEqual(["CREATED", "ESCALATED", "ESCALATED"]);
  });

  test("stops when somebody acknowledges", async () => {
    const { alarmId } = await raise();
    await call("PATCH", `/api/alarms/${alarmId}/ack`);
    clock.leap(600 * MINUTE);
    expect(await eventsOf(alarmId)).toEqual(["CREATED", "ACK"]);
  });

  test("stops when it is over, and begins anew when it comes back", async () => {
    const { alarmId, device } = await raise();
    clock.leap(20 * MINUTE);
    await send(device, 20);
    clock.leap(600 * MINUTE);
    await send(device, 60);
    expect(await levelOf(alarmId)).toBe(1);
    clock.leap(15 * MINUTE);
    expect(await eventsOf(alarmId)).toEqual(["CREATED", "ESCALATED", "CLEARED", "REOPENED", "ESCALATED"]);
  });

  test("goes on where the tenant wants it to, and what had stopped stays so", async () => {
    const stopped = await raise();
    await call("PATCH", `/api/alarms/${stopped.alarmId}/ack`);
    const going = await raise();
    const cleared = await raise();
    await set({ stopOnAck: false, stopOnClear: false });
    await call("PATCH", `/api/alarms/${going.alarmId}/ack`);
    await send(cleared.device, 20);
    clock.leap(15 * MINUTE);
    expect(await levelOf(stopped.alarmId)).toBe(1);
    expect(await levelOf(going.alarmId)).toBe(2);
    expect(await levelOf(cleared.alarmId)).toBe(2);
    await set();
    clock.leap(600 * MINUTE);
    expect(await levelOf(going.alarmId)).toBe(2);
  });

  test("follows settings that are changed meanwhile: sooner, at once, or later", async () => {
    const { alarmId } = await raise();
    clock.advance(4 * MINUTE);
    await set({ level1To2Minutes: 5 });
    clock.advance(MINUTE);
    expect(await levelOf(alarmId)).toBe(2);
    await set({ level2To3Minutes: 60 });
    clock.leap(59 * MINUTE);
    expect(await levelOf(alarmId)).toBe(2);
    await set({ level2To3Minutes: 1 });
    clock.advance(0);
    expect(await levelOf(alarmId)).toBe(3);
  });

  test("goes on after a restart, makes up for what it missed at once, and once", async () => {
    const first = await raise();
    clock.leap(10 * MINUTE);
    const second = await raise();
    await restart(6 * MINUTE);
    expect([await levelOf(first.alarmId), await levelOf(second.alarmId)]).toEqual([2, 1]);
    clock.advance(9 * MINUTE);
    expect(await levelOf(second.alarmId)).toBe(2);
    await restart(100 * MINUTE);
    await restart(0);
    expect(await eventsOf(first.alarmId)).toEqual(["CREATED", "ESCALATED", "ESCALATED"]);
    const third = await raise();
    await restart(100 * MINUTE);
    expect(await eventsOf(third.alarmId)).toEqual(["CREATED", "ESCALATED"]);
    expect(await levelOf(third.alarmId)).toBe(3);
  });

  test("does not care what the clock on the wall is set to", async () => {
    const { alarmId } = await raise();
    clock.jump(365 * 86_400_000);
    clock.leap(15 * MINUTE - 1);
    expect(await levelOf(alarmId)).toBe(1);
    clock.jump(-365 * 86_400_000);
    clock.advance(1);
    expect(await levelOf(alarmId)).toBe(2);
  });

  test("waits while the clock is not set, and then counts the true time", async () => {
    const earlier = await raise();
    clock.advance(5 * MINUTE);
    await restart(-600 * MINUTE);
    const during = await raise();
    clock.leap(40 * MINUTE);
    const newest = await raise();
    clock.leap(10 * MINUTE);
    for (const { alarmId } of [earlier, during, newest]) expect(await levelOf(alarmId)).toBe(1);
    // The gateway was off for 600 minutes.
    clock.jump(1_200 * MINUTE);
    clock.advance(1_000);
    expect(await eventsOf(earlier.alarmId)).toEqual(["CREATED", "ESCALATED"]);
    const levels = await Promise.all([earlier, during, newest].map(({ alarmId }) => levelOf(alarmId)));
    expect(levels).toEqual([3, 3, 1]);
    clock.advance(5 * MINUTE - 1_000);
    expect(await levelOf(newest.alarmId)).toBe(2);
    // The time of the alarm is the true one, too: a restart finds nothing to make up for.
    await restart(0);
    expect(await eventsOf(newest.alarmId)).toEqual(["CREATED", "ESCALATED"]);
    expect(await eventsOf(during.alarmId)).toEqual(["CREATED", "ESCALATED"]);
  });

  test("waits for the end of a maintenance", async () => {
    const { alarmId, device } = await raise();
    const until = new Date(clock.now() + 20 * MINUTE).toISOString();
    await call("POST", `/api/devices/${device.deviceId}/maintenance`, { until });
    clock.leap(20 * MINUTE - 1);
    expect(await levelOf(alarmId)).toBe(1);
    clock.advance(1);
    expect(await levelOf(alarmId)).toBe(2);
  });

  test("of a maintenance that is ended early, within a second", async () => {
    const { alarmId, device } = await raise();
    const until = new Date(clock.now() + 60 * MINUTE).toISOString();
    await call("POST", `/api/devices/${device.deviceId}/maintenance`, { until });
    clock.leap(20 * MINUTE);
    await call("DELETE", `/api/devices/${device.deviceId}/maintenance`);
    clock.advance(1_000);
    expect(await levelOf(alarmId)).toBe(2);
  });
});

describe("a rule with a schedule", () => {
  const alarmsOf = ({ deviceId }: { deviceId: string }) => get(`/api/alarms/device/${deviceId}`);
  const time = (timeMs: number) => new Date(timeMs).toISOString().slice(11, 16);

  test("raises when its time begins, if the condition still holds then, and leaves open what is open when it ends", async () => {
    clock.advance(60_000 - (clock.now() % 60_000));
    const from = clock.now() + 30 * MINUTE;
    const schedule = { timezone: "UTC", from: time(from), to: time(from + 10 * MINUTE) };
    expect((await setRules({ schedule })).body.alarmRules[0].schedule).toEqual(schedule);
    const device = await fixture.createDevice(owner);
    const gone = await fixture.createDevice(owner);
    for (const of of [device, gone]) await send(of, 60);
    await send(gone, 20);
    await restart(0);
    clock.advance(from - clock.now() - 1);
    expect(await alarmsOf(device)).toEqual([]);
    clock.advance(1);
    expect(await alarmsOf(device)).toMatchObject([{ status: "ACTIVE_UNACK" }]);
    expect(await alarmsOf(gone)).toEqual([]);
    clock.leap(20 * MINUTE);
    expect(await alarmsOf(device)).toMatchObject([{ status: "ACTIVE_UNACK" }]);
    await send(device, 20);
    expect(await alarmsOf(device)).toMatchObject([{ status: "CLEARED_UNACK" }]);
    await setRules({});
  });
});

describe("a rule with commands", () => {
  const actions = (...input: object[]) => setRules({ actions: input });
  const siren = (on: string, deviceId?: string) => ({
    on,
    type: "command",
    command: { method: `siren ${on}`, params: { volume: 9 } },
    ...(deviceId && { deviceId }),
  });
  const commandsOf = async ({ deviceId }: { deviceId: string }, count: number) => {
    for (;;) {
      const commands = await get(`/api/devices/${deviceId}/commands`);
      if (commands.length >= count) return commands.map(({ method }: { method: string }) => method).reverse();
    }
  };

  test("gives each with its event, to the device or another one", async () => {
    const other = await fixture.createDevice(owner);
    await actions(siren("CREATED"), siren("ACK", other.deviceId), siren("CLEARED"));
    const { alarmId, device } = await raise();
    await call("PATCH", `/api/alarms/${alarmId}/ack`);
    await send(device, 20);
    expect(await commandsOf(device, 2)).toEqual(["siren CREATED", "siren CLEARED"]);
    expect(await commandsOf(other, 1)).toEqual(["siren ACK"]);
    const [command] = await get(`/api/devices/${other.deviceId}/commands`);
    expect(command).toMatchObject({ params: { volume: 9 } });
  });

  test("posts each event to a webhook, in order, with the alarm as it is then", async () => {
    const receiver = createWebhookReceiver();
    const webhooks = ["CREATED", "ACK", "CLEARED"].map((on) => ({
      on,
      type: "webhook",
      url: `${receiver.url}/alarms`,
    }));
    const { tenantId } = await get("/api/tenant/profile");
    const { token: person } = await fixture.signIn("TENANT_OWNER", { tenantId });
    expect((await setRules({ actions: webhooks }, person)).status).toBe(200);
    const { alarmId, device } = await raise();
    await call("PATCH", `/api/alarms/${alarmId}/ack`);
    await send(device, 20);
    await receiver.until(3);
    expect(receiver.received.map(({ body }) => [body.event, body.alarm.status, body.alarm.alarmId])).toEqual([
      ["CREATED", "ACTIVE_UNACK", alarmId],
      ["ACK", "ACTIVE_ACK", alarmId],
      ["CLEARED", "CLEARED_ACK", alarmId],
    ]);
    await receiver.stop();
  });

  test("says on the alarm that the device is not there", async () => {
    await actions(siren("CREATED", "nothing"));
    const { alarmId } = await raise();
    for (;;) {
      const events = await get(`/api/alarms/${alarmId}/events`);
      if (events.length < 2) continue;
      expect(events[1]).toMatchObject({
        eventType: "COMMENT",
        message: expect.stringContaining("siren CREATED"),
      });
      break;
    }
  });

  test("gives none to a device of another tenant", async () => {
    const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    const theirs = await fixture.createDevice(stranger);
    await actions(siren("CREATED", theirs.deviceId));
    const { alarmId } = await raise();
    while ((await eventsOf(alarmId)).length < 2);
    const commands = await fixture.call("GET", `/api/devices/${theirs.deviceId}/commands`, {
      token: stranger,
    });
    expect(commands.body).toEqual([]);
  });

  const wrong: ReadonlyArray<[string, object]> = [
    ["actions", { actions: {} }],
    ["actions[0]", { actions: ["x"] }],
    ["actions[0].on", { actions: [{ ...siren("COMMENT") }] }],
    ["actions[0].downlink", { actions: [{ on: "CREATED", type: "integration_downlink" }] }],
    [
      "actions[0].downlink",
      { actions: [{ on: "ACK", type: "integration_downlink", downlink: { fPort: 1 } }] },
    ],
    [
      "actions[0].downlink",
      { actions: [{ on: "ACK", type: "integration_downlink", downlink: { data: "no base64" } }] },
    ],
    [
      "actions[0].downlink.fPort",
      { actions: [{ on: "ACK", type: "integration_downlink", downlink: { fPort: 0, hex: "00" } }] },
    ],
    ["actions[0].type", { actions: [{ on: "CREATED", type: "mail" }] }],
    ["actions[0].url", { actions: [{ on: "ACK", type: "webhook", url: "x" }] }],
    ["actions[0].url", { actions: [{ on: "ACK", type: "webhook", url: "http://a:b@c.example/" }] }],
    [
      "actions[0].method",
      { actions: [{ on: "ACK", type: "webhook", url: "http://c.example/", method: "GET" }] },
    ],
    [
      "actions[0].headers",
      {
        actions: [{ on: "ACK", type: "webhook", url: "http://c.example/", headers: { Authorization: "x" } }],
      },
    ],
    ["actions[0].command", { actions: [{ on: "CREATED", type: "command" }] }],
    ["actions[0].command.method", { actions: [{ on: "CREATED", type: "command", command: { method: "" } }] }],
    ["actions[0].url", { actions: [{ ...siren("CREATED"), url: "x" }] }],
    ["actions", { actions: Array.from({ length: 11 }, () => siren("CREATED")) }],
    ["propagateToGateway", { propagateToGateway: 1 }],
    ["schedule", { schedule: [] }],
    ["schedule.timezone", { schedule: { from: "08:00", to: "09:00" } }],
    ["schedule.timezone", { schedule: { timezone: "+02:00", from: "08:00", to: "09:00" } }],
    ["schedule.days", { schedule: { timezone: "UTC", days: [], from: "08:00", to: "09:00" } }],
    ["schedule.days", { schedule: { timezone: "UTC", days: [1], from: "08:00", to: "09:00" } }],
    ["schedule.from", { schedule: { timezone: "UTC", from: "24:00", to: "09:00" } }],
    ["schedule.from", { schedule: { timezone: "UTC", from: "8:00", to: "09:00" } }],
    ["schedule.to", { schedule: { timezone: "UTC", from: "08:00" } }],
    ["schedule.until", { schedule: { timezone: "UTC", from: "08:00", to: "09:00", until: "x" } }],
  ];
  for (const [part, rest] of wrong)
    test(`is refused by its part ${part}: ${JSON.stringify(rest).slice(0, 80)}`, async () => {
      const response = await setRules(rest);
      expect(response.status).toBe(400);
      expect(response.body.message).toContain(`alarmRules[0].${part}\` `);
    });
});
