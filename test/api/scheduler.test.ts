import { describe, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp } from "../support/test-app.ts";
import { call, createJob, fixture, hourly, mine, set, tokens, useScheduler } from "./scheduler-fixture.ts";

useScheduler();

describe("writing jobs", () => {
  test("a job is created, read, changed and deleted", async () => {
    const schedule = { kind: "cron", expression: "30 2 * * *", timezone: "Europe/Berlin" };
    const job = await createJob({ schedule, misfire: "once" });
    expect(job).toMatchObject({
      name: "night",
      enabled: true,
      status: "active",
      schedule,
      action: set([mine.deviceId]),
      misfire: "once",
      nextRunAt: expect.stringMatching(/T0[01]:30:00.000Z$/),
      lastRunAt: null,
      lastStatus: null,
      hiddenTargets: 0,
    });
    const read = await call("GET", `/${job.jobId}`);
    expect(read.body).toEqual({ ...job, devices: [{ deviceId: mine.deviceId, name: "mine" }] });
    const command = {
      type: "command",
      deviceType: "pump",
      command: { method: "flush", params: [1], retries: 2 },
    };
    const changed = await call("PATCH", `/${job.jobId}`, { name: "flush", action: command });
    expect(changed.body).toMatchObject({
      name: "flush",
      action: command,
      schedule,
      nextRunAt: job.nextRunAt,
    });
    const list = await call("GET", "?search=FLUSH");
    expect(list.body).toEqual([changed.body]);
    expect(list.headers.get("x-total-count")).toBe("1");
    expect((await call("DELETE", `/${job.jobId}`)).body).toEqual({ success: true });
    expect((await call("GET", `/${job.jobId}`)).status).toBe(404);
  });

  test("an attribute may have any name, also that of a prototype", async () => {
    const raw = JSON.stringify({ name: "odd", schedule: hourly, action: set([mine.deviceId]) }).replace(
      '"setpoint":21',
      '"__proto__":{"a":1}',
    );
    const headers = { "content-type": "application/json" };
    const apiResponse = await fixture.call("POST", "/api/scheduler", { token: tokens.owner, raw, headers });
    expect([apiResponse.status, apiResponse.text]).toEqual([
      201,
      expect.stringContaining('"__proto__":{"a":1}'),
    ]);
  });

  test("pause and start keep an interval on its grid, and return the job's state", async () => {
    const job = await createJob();
    const paused = await call("POST", `/${job.jobId}/pause`);
    expect(paused.body).toMatchObject({ enabled: false, status: "paused", nextRunAt: null });
    const started = await call("POST", `/${job.jobId}/start`);
    expect(started.body).toMatchObject({ enabled: true, status: "active", nextRunAt: job.nextRunAt });
    const again = await call("POST", `/${job.jobId}/start`);
    expect(again.body).toEqual(started.body);
    const off = await call("PATCH", `/${job.jobId}`, { enabled: false });
    expect(off.body.status).toBe("paused");
    const same = await call("PATCH", `/${job.jobId}`, { enabled: true, schedule: hourly });
    expect(same.body).toMatchObject({ status: "active", nextRunAt: job.nextRunAt });
  });

  test("a job may be created paused", async () => {
    expect(await createJob({ enabled: false })).toMatchObject({
      enabled: false,
      status: "paused",
      nextRunAt: null,
    });
  });

  test("a tenant has at most 1,000 jobs", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "many" });
    const { deviceId } = await fixture.createDevice(token);
    const body = { name: "x", schedule: hourly, action: set([deviceId]) };
    const create = () => fixture.call("POST", "/api/scheduler", { token, body });
    for (let batch = 0; batch < 20; batch++) {
      const apiResponses = await Promise.all(Array.from({ length: 50 }, create));
      expect(apiResponses.every(({ status }) => status === 201)).toBe(true);
    }
    const last = await create();
    expect([last.status, last.body.message]).toEqual([409, expect.stringContaining("at most 1000 jobs")]);
  });

  test("a device that is named twice is stored once", async () => {
    const job = await createJob({ action: set([mine.deviceId, mine.deviceId]) });
    expect(job.action.deviceIds).toEqual([mine.deviceId]);
  });

  const invalid: Array<[field: string, body: () => unknown]> = [
    ["name", () => ({ schedule: hourly, action: set([mine.deviceId]) })],
    ["name", () => ({ name: "", schedule: hourly, action: set([mine.deviceId]) })],
    ["schedule", () => ({ name: "x", action: set([mine.deviceId]) })],
    ["schedule.kind", () => ({ name: "x", schedule: { kind: "daily" }, action: set([mine.deviceId]) })],
    [
      "schedule.everyMs",
      () => ({ name: "x", schedule: { kind: "interval", everyMs: 1 }, action: set([mine.deviceId]) }),
    ],
    [
      "schedule.expression",
      () => ({ name: "x", schedule: { kind: "cron", expression: "x" }, action: set([mine.deviceId]) }),
    ],
    [
      "schedule.timezone",
      () => ({ name: "x", schedule: { ...hourly, timezone: "Mars" }, action: set([mine.deviceId]) }),
    ],
    [
      "`schedule` has no time in the future.",
      () => ({
        name: "x",
        schedule: { kind: "once", at: "2020-01-01T00:00:00Z" },
        action: set([mine.deviceId]),
      }),
    ],
    [
      "`schedule` has no time in the future.",
      () => ({
        name: "x",
        schedule: { kind: "cron", expression: "0 0 30 2 *" },
        action: set([mine.deviceId]),
      }),
    ],
    ["action", () => ({ name: "x", schedule: hourly })],
    [
      "action.deviceIds",
      () => ({ name: "x", schedule: hourly, action: { type: "attributes", attributes: { a: 1 } } }),
    ],
    ["action.deviceIds", () => ({ name: "x", schedule: hourly, action: set([]) })],
    [
      "action.deviceIds",
      () => ({ name: "x", schedule: hourly, action: { ...set([mine.deviceId]), deviceType: "x" } }),
    ],
    [
      "action.deviceIds",
      () => ({ name: "x", schedule: hourly, action: set(Array.from({ length: 1_001 }, (_, i) => `${i}`)) }),
    ],
    [
      "action.attributes",
      () => ({ name: "x", schedule: hourly, action: { type: "attributes", deviceIds: [mine.deviceId] } }),
    ],
    [
      "action.attributes",
      () => ({ name: "x", schedule: hourly, action: { ...set([mine.deviceId]), attributes: [1] } }),
    ],
    [
      "action.attributes",
      () => ({ name: "x", schedule: hourly, action: { ...set([mine.deviceId]), attributes: {} } }),
    ],
    [
      "action.attributes",
      () => ({
        name: "x",
        schedule: hourly,
        action: { ...set([mine.deviceId]), attributes: { a: "x".repeat(70_000) } },
      }),
    ],
    [
      "action.command",
      () => ({ name: "x", schedule: hourly, action: { type: "command", deviceIds: [mine.deviceId] } }),
    ],
    [
      "command",
      () => ({
        name: "x",
        schedule: hourly,
        action: { type: "command", deviceIds: [mine.deviceId], command: {} },
      }),
    ],
    [
      "action.command.requestId",
      () => ({
        name: "x",
        schedule: hourly,
        action: { type: "command", deviceIds: [mine.deviceId], command: { method: "x", requestId: "1" } },
      }),
    ],
    ["misfire", () => ({ name: "x", schedule: hourly, action: set([mine.deviceId]), misfire: "all" })],
  ];
  test.each(invalid)("an invalid job is 400 and the message names the field: %s", async (field, body) => {
    const response = await call("POST", "", body());
    expect([response.status, response.body?.message]).toEqual([400, expect.stringContaining(field)]);
  });

  test("a job without a time left cannot be started", async () => {
    const clock = new FakeClock();
    const app = await createTestApp({ clock });
    const { token } = await app.signIn("TENANT_OWNER");
    const device = await app.createDevice(token);
    const action = set([device.deviceId]);
    const body = {
      name: "x",
      enabled: false,
      schedule: { kind: "once", at: "2026-03-01T00:01:00Z" },
      action,
    };
    const job = await app.call("POST", "/api/scheduler", { token, body });
    clock.advance(120_000);
    const start = await app.call("POST", `/api/scheduler/${job.body.jobId}/start`, { token });
    expect([start.status, start.body.message]).toEqual([409, expect.stringContaining("no times left")]);
    const on = { enabled: true };
    expect((await app.call("PATCH", `/api/scheduler/${job.body.jobId}`, { token, body: on })).status).toBe(
      409,
    );
    await app.stop();
  });
});

describe("preview", () => {
  test("tells the next times", async () => {
    const schedule = { kind: "cron", expression: "0 0 29 2 *", timezone: "UTC" };
    const { body } = await call("POST", "/preview-next", { schedule, count: 2 });
    expect(body.next).toHaveLength(2);
    expect(body.next[0]).toMatch(/-02-29T00:00:00.000Z$/);
    expect((await call("POST", "/preview-next", { schedule: hourly })).body.next).toHaveLength(5);
  });

  test("tells of none where there is none", async () => {
    const schedule = { kind: "once", at: "2020-01-01T00:00:00Z" };
    expect((await call("POST", "/preview-next", { schedule })).body).toEqual({ next: [] });
  });

  test.each([
    {},
    { schedule: { kind: "cron", expression: "a" } },
    { schedule: hourly, count: 0 },
    { schedule: hourly, count: 101 },
  ])("%j is 400", async (body) => {
    expect((await call("POST", "/preview-next", body)).status).toBe(400);
  });
});
