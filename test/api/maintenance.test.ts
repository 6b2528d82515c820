import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiRow, apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const MINUTE = 60_000;
const rule = (t: number) => ({
  alarmType: "Overheated",
  createRules: [
    { severity: "MAJOR", condition: { key: "t", op: "GT", value: t } },
    { severity: "CRITICAL", condition: { key: "t", op: "GT", value: t + 30 } },
  ],
});

async function setRules(fixture: TestApp, token: string, alarmRules: unknown) {
  const [profile] = (await fixture.call("GET", "/api/device-profiles", { token })).body;
  await fixture.call("PATCH", `/api/device-profiles/${profile.profileId}`, { token, body: { alarmRules } });
}

describe("who may", () => {
  let fixture: TestApp;
  let device: { deviceId: string };
  const tokens = new Map<string, string>();
  const later = () => new Date(Date.now() + MINUTE).toISOString();
  const atTime = () => `/api/devices/${device.deviceId}/maintenance`;

  beforeAll(async () => {
    fixture = await createTestApp();
    const owner = (await fixture.signIn("TENANT_OWNER")).token;
    tokens.set("owner", owner);
    tokens.set("writer", (await fixture.signIn("TENANT_RW")).token);
    tokens.set("reader", (await fixture.signIn("TENANT_READ_ONLY")).token);
    tokens.set("limited", (await fixture.signIn("TENANT_ADMIN", { devices: [] })).token);
    tokens.set("stranger", (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token);
    const handler = await fixture.signIn("TENANT_READ_ONLY");
    tokens.set("handler", handler.token);
    const body = { canAcknowledgeAlarms: true };
    await fixture.call("PATCH", `/api/users/${handler.user.userId}`, { token: owner, body });
    device = await fixture.createDevice(owner, { name: "Kiln" });
  });
  afterAll(() => fixture.stop());

  const as = (who: string | undefined, method: string, body?: () => unknown) => () => {
    const token = who && tokens.get(who);
    return { method, path: atTime(), ...(token && { token }), ...(body && { body: body() }) };
  };
  const row = (name: string, request: ApiRow["request"], status: number): ApiRow => {
    if (status < 400) return { name, request, status };
    return { name, request, status, answer: status === 401 ? "none" : "error" };
  };
  const until = (text: () => unknown) => () => ({ until: text(), reason: "new belt" });
  apiRows(
    () => fixture,
    [
      row("anonymous may not ask", as(undefined, "GET"), 401),
      row("anonymous may not begin", as(undefined, "POST", until(later)), 401),
      row("a reader may ask", as("reader", "GET"), 200),
      row("a reader may not begin", as("reader", "POST", until(later)), 403),
      row("a reader may not end", as("reader", "DELETE"), 403),
      row("another tenant's device is 404", as("stranger", "POST", until(later)), 404),
      row("a device that was not granted is 404", as("limited", "POST", until(later)), 404),
      row(
        "it needs a time",
        as("owner", "POST", () => ({ reason: "x" })),
        400,
      ),
      row(
        "a time without its zone is 400",
        as(
          "owner",
          "POST",
          until(() => "2099-01-01T00:00:00"),
        ),
        400,
      ),
      row(
        "a time that is none is 400",
        as(
          "owner",
          "POST",
          until(() => "2026-02-31T25:00:00Z"),
        ),
        400,
      ),
      row(
        "a number is 400",
        as(
          "owner",
          "POST",
          until(() => 5),
        ),
        400,
      ),
      row(
        "a time that is over is 400",
        as(
          "owner",
          "POST",
          until(() => "2020-01-01T00:00:00Z"),
        ),
        400,
      ),
      row(
        "more than 366 days are 400",
        as(
          "owner",
          "POST",
          until(() => "2099-01-01T00:00:00Z"),
        ),
        400,
      ),
      row(
        "a reason of 501 characters is 400",
        as("owner", "POST", () => ({ until: later(), reason: "x".repeat(501) })),
        400,
      ),
      row("a writer may begin", as("writer", "POST", until(later)), 200),
      row("who may acknowledge alarms may begin", as("handler", "POST", until(later)), 200),
      row("who may acknowledge alarms may end", as("handler", "DELETE"), 200),
      row("ending what there is not answers the same", as("writer", "DELETE"), 200),
    ],
  );

  test("the device, the list and the audit log tell of it", async () => {
    const token = tokens.get("writer");
    const begun = await fixture.call("POST", atTime(), {
      token,
      body: { until: later(), reason: " new belt " },
    });
    const meant = { deviceId: device.deviceId, reason: "new belt", by: expect.stringContaining("@") };
    expect(begun.body).toMatchObject({ active: true, maintenance: meant });
    const { maintenance } = begun.body;
    expect((await fixture.call("GET", atTime(), { token })).body).toEqual(begun.body);
    expect((await fixture.call("GET", "/api/devices", { token })).body[0].maintenance).toEqual(maintenance);
    const read = await fixture.call("GET", `/api/devices/${device.deviceId}`, { token });
    expect(read.body.maintenance).toEqual(maintenance);
    await fixture.call("DELETE", atTime(), { token });
    expect((await fixture.call("GET", atTime(), { token })).body).toEqual({ active: false });
    const log = await fixture.call("GET", "/api/audit?action=device.maintenance_end", {
      token: tokens.get("owner"),
    });
    expect(log.body[0].before).toMatchObject({ active: true });
  });
});

describe("while it lasts", () => {
  let directory: string;
  let clock: FakeClock;
  let fixture: TestApp;
  let owner: string;
  let device: { deviceId: string; token: string };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "lineside-maintenance-"));
    clock = new FakeClock();
    fixture = await createTestApp({ clock, directory });
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    await setRules(fixture, owner, [rule(50)]);
  });
  afterAll(async () => {
    await fixture.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const send = (t: number, of = device) =>
    fixture.call("POST", `/api/v1/${of.token}/telemetry`, { body: { t } });
  const begin = (ms: number, of = device) =>
    fixture.call("POST", `/api/devices/${of.deviceId}/maintenance`, {
      token: owner,
      body: { until: new Date(clock.now() + ms).toISOString() },
    });
  const end = (of = device) =>
    fixture.call("DELETE", `/api/devices/${of.deviceId}/maintenance`, { token: owner });
  const severities = async (of = device) =>
    (await fixture.call("GET", `/api/alarms/device/${of.deviceId}`, { token: owner })).body.map(
      ({ severity, status }: { severity: string; status: string }) => `${severity} ${status}`,
    );
  const restart = async () => {
    await fixture.app.stop();
    clock = new FakeClock(clock.now());
    fixture = await createTestApp({ clock, directory });
  };

  test("nothing is raised, data is kept, and what holds at the end raises to the millisecond", async () => {
    device = await fixture.createDevice(owner);
    await begin(10 * MINUTE);
    await send(60);
    const latest = await fixture.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, {
      token: owner,
    });
    expect(latest.text).toContain("60");
    clock.leap(10 * MINUTE - 1);
    expect(await severities()).toEqual([]);
    clock.advance(1);
    expect(await severities()).toEqual(["MAJOR ACTIVE_UNACK"]);
  });

  test("what no longer holds at the end raises nothing", async () => {
    device = await fixture.createDevice(owner);
    await begin(10 * MINUTE);
    await send(60);
    await send(20);
    clock.leap(11 * MINUTE);
    expect(await severities()).toEqual([]);
  });

  test("an open alarm stays, does not rise, and rises at the end; when its cause goes it ends", async () => {
    device = await fixture.createDevice(owner);
    await send(60);
    await begin(10 * MINUTE);
    await send(90);
    expect(await severities()).toEqual(["MAJOR ACTIVE_UNACK"]);
    clock.leap(10 * MINUTE);
    expect(await severities()).toEqual(["CRITICAL ACTIVE_UNACK"]);
    await begin(10 * MINUTE);
    await send(20);
    expect(await severities()).toEqual(["CRITICAL CLEARED_UNACK"]);
    clock.leap(11 * MINUTE);
  });

  test("ended early it raises at once; made longer it raises later", async () => {
    device = await fixture.createDevice(owner);
    await begin(10 * MINUTE);
    await send(60);
    await begin(20 * MINUTE);
    clock.leap(10 * MINUTE);
    expect(await severities()).toEqual([]);
    await end();
    expect(await severities()).toEqual(["MAJOR ACTIVE_UNACK"]);
  });

  test("one that was cleared by hand meanwhile waits for a message, as ever", async () => {
    device = await fixture.createDevice(owner);
    await send(60);
    await begin(10 * MINUTE);
    const [alarm] = (await fixture.call("GET", `/api/alarms/device/${device.deviceId}`, { token: owner }))
      .body;
    await fixture.call("PATCH", `/api/alarms/${alarm.alarmId}/clear`, { token: owner });
    clock.leap(11 * MINUTE);
    expect(await severities()).toEqual(["MAJOR CLEARED_UNACK"]);
    await send(60);
    expect(await severities()).toEqual(["MAJOR ACTIVE_UNACK"]);
  });

  test("a gateway's holds for its children", async () => {
    const gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
    device = await fixture.createDevice(owner, { parentDeviceId: gateway.deviceId });
    await begin(10 * MINUTE, gateway);
    await send(60);
    const shown = await fixture.call("GET", `/api/devices/${device.deviceId}`, { token: owner });
    expect(shown.body.maintenance.deviceId).toBe(gateway.deviceId);
    expect(await severities()).toEqual([]);
    await end(gateway);
    expect(await severities()).toEqual(["MAJOR ACTIVE_UNACK"]);
  });

  test("a child that leaves the gateway is mute no longer", async () => {
    const gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
    device = await fixture.createDevice(owner, { parentDeviceId: gateway.deviceId });
    await begin(10 * MINUTE, gateway);
    await send(60);
    await fixture.call("PATCH", `/api/devices/${device.deviceId}`, {
      token: owner,
      body: { parentDeviceId: null },
    });
    expect(await severities()).toEqual(["MAJOR ACTIVE_UNACK"]);
  });

  test("a clock that is set forward ends it within 15 seconds", async () => {
    device = await fixture.createDevice(owner);
    await begin(120 * MINUTE);
    await send(60);
    clock.jump(120 * MINUTE);
    clock.advance(15_000);
    expect(await severities()).toEqual(["MAJOR ACTIVE_UNACK"]);
    clock.jump(-120 * MINUTE);
    clock.advance(15_000);
  });

  test("a clock that is set back makes it no longer than it would have been", async () => {
    device = await fixture.createDevice(owner);
    await begin(10 * MINUTE);
    await send(60);
    clock.jump(-365 * 86_400_000);
    clock.advance(9 * MINUTE);
    expect(await severities()).toEqual([]);
    clock.advance(MINUTE);
    expect(await severities()).toEqual(["MAJOR ACTIVE_UNACK"]);
    clock.jump(365 * 86_400_000);
    clock.advance(15_000);
  });

  test("it goes on after a restart, and what ended while the gateway was off raises when it is back", async () => {
    device = await fixture.createDevice(owner);
    const other = await fixture.createDevice(owner);
    await begin(10 * MINUTE);
    await begin(30 * MINUTE, other);
    await send(60);
    await send(60, other);
    clock.jump(20 * MINUTE);
    await restart();
    clock.advance(0);
    expect(await severities()).toEqual(["MAJOR ACTIVE_UNACK"]);
    expect(await severities(other)).toEqual([]);
    clock.leap(10 * MINUTE);
    expect(await severities(other)).toEqual(["MAJOR ACTIVE_UNACK"]);
  });
});
