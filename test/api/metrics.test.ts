// What Prometheus reads, who may, and the gateway as a device of its own.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DiskTrend } from "../../src/modules/system/disk-trend.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const clock = new FakeClock(Date.now());
const space = { free: 40_000_000_000, total: 100_000_000_000 };
let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  fixture = await createTestApp({
    clock,
    host: "one",
    config: { metrics_token: "scrape me" },
    readSpace: async () => space,
  });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const scrape = (token?: string) => fixture.call("GET", "/metrics", { token });
const metricOf = (text: string, name: string) =>
  Number(text.match(new RegExp(`^${name.replaceAll(/[{}"]/g, "\\$&")} (\\S+)$`, "m"))?.[1]);
const gatewayDevice = async () => {
  const { body } = await fixture.call("GET", "/api/devices?search=This+gateway", { token: owner });
  return body[0];
};

describe("/metrics", () => {
  test("is for whoever has the token", async () => {
    expect((await scrape()).status).toBe(401);
    expect((await scrape("scrape")).status).toBe(401);
    const { status, headers } = await scrape("scrape me");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  });

  test("does not exist without a setting, and is open with one", async () => {
    const closed = await createTestApp();
    const open = await createTestApp({ config: { metrics: "open" } });
    try {
      expect((await closed.call("GET", "/metrics")).status).toBe(404);
      expect((await open.call("GET", "/metrics")).status).toBe(200);
    } finally {
      await Promise.all([closed.stop(), open.stop()]);
    }
  });

  test("is the exposition format, line by line", async () => {
    const { text } = await scrape("scrape me");
    const described = new Set<string>();
    for (const line of text.trimEnd().split("\n")) {
      const comment = /^# (?:HELP|TYPE) (lineside_[a-z0-9_]+) \S/.exec(line);
      if (comment !== null) described.add(comment[1] ?? "");
      else {
        const sample = /^(lineside_[a-z0-9_]+)(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? -?[0-9.e+-]+$/.exec(
          line,
        );
        expect([line, described.has(sample?.[1] ?? "")]).toEqual([line, true]);
      }
    }
    for (const match of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
      expect(match[1]?.endsWith("_total")).toBe(match[2] === "counter");
  });

  test("counts what is stored and what is rejected", async () => {
    const before = (await scrape("scrape me")).text;
    const { token } = await fixture.createDevice(owner);
    await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { a: 1, b: 2, c: "x" } });
    await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: 5 });
    const after = (await scrape("scrape me")).text;
    const grown = (name: string) => metricOf(after, name) - metricOf(before, name);
    expect(grown("lineside_stored_points_total")).toBe(3);
    expect(grown("lineside_messages_total")).toBe(1);
    expect(grown("lineside_rejected_messages_total")).toBe(1);
    expect(grown("lineside_devices")).toBe(1);
    expect(metricOf(after, "lineside_ready")).toBe(1);
    expect(metricOf(after, "lineside_disk_free_bytes")).toBe(space.free);
    expect(metricOf(after, 'lineside_database_bytes{database="telemetry"}')).toBeGreaterThan(0);
  });
});

describe("the gateway as a device", () => {
  test("appears beside the first device of a person, with readings and alarm rules", async () => {
    clock.advance(MINUTE_MS);
    const device = await untilAnswer(gatewayDevice, (found) => found !== undefined);
    expect(device).toMatchObject({ name: "This gateway", deviceType: "lineside-gateway" });
    clock.advance(MINUTE_MS);
    const latest = await untilAnswer(
      () => fixture.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, { token: owner }),
      ({ body }) => body.values?.values_per_second !== undefined,
    );
    expect(latest.body.values).toMatchObject({
      disk_used_percent: 60,
      storage_refuses: false,
      backup_overdue: false,
      mails_waiting: 0,
    });
    expect(latest.body.values.process_memory_mb).toBeGreaterThan(10);
    const profile = await fixture.call("GET", `/api/device-profiles/${device.profileId}`, { token: owner });
    const named = profile.body.keyMetadata.map(({ key }: { key: string }) => key);
    const unnamed = Object.keys(latest.body.values).filter((key) => !named.includes(key));
    expect(unnamed).toEqual([]);
  });

  test("raises an alarm when the disk fills up, and clears it", async () => {
    const device = await gatewayDevice();
    const diskAlarm = async () => {
      clock.advance(MINUTE_MS);
      const path = `/api/alarms?deviceId=${device.deviceId}`;
      const { body } = await fixture.call("GET", path, { token: owner });
      return body.find((alarm: { name: string }) => alarm.name === "Disk");
    };
    space.free = 8_000_000_000;
    const raised = await untilAnswer(diskAlarm, (alarm) => alarm !== undefined);
    expect(raised).toMatchObject({ severity: "CRITICAL" });
    space.free = 40_000_000_000;
    await untilAnswer(diskAlarm, (alarm) => alarm === undefined || alarm.status.startsWith("CLEARED"));
  });

  test("does not come back when somebody deletes it", async () => {
    const { deviceId } = await gatewayDevice();
    expect((await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner })).status).toBeLessThan(
      300,
    );
    clock.advance(3 * MINUTE_MS);
    expect(await gatewayDevice()).toBeUndefined();
  });
});

describe("the days that the disk lasts", () => {
  test("are not known within the first hours", () => {
    const trend = new DiskTrend();
    for (let hour = 0; hour < 6; hour++) trend.add(hour * HOUR_MS, 100e9 - hour * 1e9);
    expect(trend.daysUntilFull()).toBeUndefined();
  });

  test("follow from the mean rate", () => {
    const trend = new DiskTrend();
    for (let hour = 0; hour <= 48; hour++) trend.add(hour * HOUR_MS, 100e9 - hour * 1e9);
    expect(trend.daysUntilFull()).toBeCloseTo(52 / 24, 5);
  });

  test("are none when the disk does not fill up", () => {
    const trend = new DiskTrend();
    for (let hour = 0; hour <= 48; hour++) trend.add(hour * HOUR_MS, 100e9 + hour);
    expect(trend.daysUntilFull()).toBeUndefined();
  });

  test("are known again soon after a restart, from the stored readings", async () => {
    const time = new FakeClock(Date.now());
    let free = 90_000_000_000;
    const readSpace = async () => ({ free, total: 100_000_000_000 });
    const first = await createTestApp({ clock: time, host: "one", readSpace });
    const { token } = await first.signIn("TENANT_OWNER");
    await first.createDevice(token);
    for (let hour = 0; hour < 7; hour++) {
      free -= 1_000_000_000;
      time.leap(HOUR_MS);
      await Bun.sleep(0); // the space is read asynchronously
    }
    await first.app.stop();
    const second = await createTestApp({ clock: time, host: "one", readSpace, directory: first.directory });
    try {
      const [device] = (await second.call("GET", "/api/devices?search=This+gateway", { token })).body;
      const daysLeft = async () => {
        time.advance(MINUTE_MS);
        const path = `/api/devices/${device.deviceId}/telemetry/latest`;
        return (await second.call("GET", path, { token })).body;
      };
      const stoppedAt = time.now();
      const { values } = await untilAnswer(
        daysLeft,
        (latest) => latest.timestamps.disk_days_left > stoppedAt,
      );
      expect(values.disk_days_left).toBeGreaterThan(2);
      expect(values.disk_days_left).toBeLessThan(6);
    } finally {
      await second.stop();
    }
  });
});
