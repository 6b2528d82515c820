import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
const tokens: Record<"owner" | "writer" | "reader" | "limited" | "stranger", string> = {
  owner: "",
  writer: "",
  reader: "",
  limited: "",
  stranger: "",
};
let mine: { deviceId: string; token: string };
let other: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
  tokens.writer = (await fixture.signIn("TENANT_RW")).token;
  tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  mine = await fixture.createDevice(tokens.owner, { name: "mine" });
  other = await fixture.createDevice(tokens.owner, { name: "other", deviceType: "pump" });
  tokens.limited = (await fixture.signIn("TENANT_RW", { devices: [mine.deviceId] })).token;
});
afterAll(() => fixture.stop());

type Who = keyof typeof tokens;
const hourly = { kind: "interval", everyMs: 3_600_000 };
const set = (deviceIds: string[]) => ({ type: "attributes", deviceIds, attributes: { setpoint: 21 } });
const call = (method: string, path: string, body?: unknown, who: Who = "owner", app = fixture) =>
  app.call(method, `/api/scheduler${path}`, { token: tokens[who], ...(body !== undefined && { body }) });

async function createJob(fields: Record<string, unknown> = {}, who: Who = "owner") {
  const body = { name: "night", schedule: hourly, action: set([mine.deviceId]), ...fields };
  const answer = await call("POST", "", body, who);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

/** Waits until the job's newest run has come to its end. */
async function finishedRun(jobId: string) {
  for (;;) {
    const { body } = await call("GET", `/${jobId}/runs?limit=1`);
    if (body[0] !== undefined && body[0].status !== "RUNNING") return body[0];
  }
}

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
    const apiAnswer = await fixture.call("POST", "/api/scheduler", { token: tokens.owner, raw, headers });
    expect([apiAnswer.status, apiAnswer.text]).toEqual([201, expect.stringContaining('"__proto__":{"a":1}')]);
  });

  test("pause and start keep an interval on its grid, and the job's state is told", async () => {
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
      const apiAnswers = await Promise.all(Array.from({ length: 50 }, create));
      expect(apiAnswers.every(({ status }) => status === 201)).toBe(true);
    }
    const last = await create();
    expect([last.status, last.body.message]).toEqual([409, expect.stringContaining("at most 1000 jobs")]);
  }, 20_000);

  test("a device that is named twice is one", async () => {
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
      "schedule: has no time",
      () => ({
        name: "x",
        schedule: { kind: "once", at: "2020-01-01T00:00:00Z" },
        action: set([mine.deviceId]),
      }),
    ],
    [
      "schedule: has no time",
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
  test.each(invalid)("what is wrong is 400 and names the field: %s", async (field, body) => {
    const answer = await call("POST", "", body());
    expect([answer.status, answer.body?.message]).toEqual([400, expect.stringContaining(field)]);
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
    expect([start.status, start.body.message]).toEqual([409, expect.stringContaining("no further time")]);
    const on = { enabled: true };
    expect((await app.call("PATCH", `/api/scheduler/${job.body.jobId}`, { token, body: on })).status).toBe(
      409,
    );
    await app.stop();
  });
});

describe("who may do what", () => {
  const body = () => ({ name: "x", schedule: hourly, action: set([mine.deviceId]) });
  let jobId: string;
  let wideId: string;
  let typeId: string;
  beforeAll(async () => {
    jobId = (await createJob({ name: "for mine" })).jobId;
    wideId = (await createJob({ name: "for both", action: set([mine.deviceId, other.deviceId]) })).jobId;
    const action = { type: "attributes", deviceType: "pump", attributes: { a: 1 } };
    typeId = (await createJob({ name: "for pumps", action })).jobId;
  });
  const as = (who: Who, method: string, path: () => string, input?: () => unknown) => () => ({
    method,
    path: `/api/scheduler${path()}`,
    token: tokens[who],
    ...(input && { body: input() }),
  });
  apiRows(
    () => fixture,
    [
      {
        name: "nobody is asked to sign in",
        request: () => ({ method: "GET", path: "/api/scheduler" }),
        status: 401,
        answer: "none",
      },
      { name: "a reader reads", request: as("reader", "GET", () => `/${jobId}`), status: 200 },
      {
        name: "a reader previews",
        request: as(
          "reader",
          "POST",
          () => "/preview-next",
          () => ({ schedule: hourly }),
        ),
        status: 200,
      },
      {
        name: "a reader creates nothing",
        request: as("reader", "POST", () => "", body),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader changes nothing",
        request: as(
          "reader",
          "PATCH",
          () => `/${jobId}`,
          () => ({ name: "y" }),
        ),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader starts nothing",
        request: as("reader", "POST", () => `/${jobId}/start`),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader runs nothing",
        request: as("reader", "POST", () => `/${jobId}/run`),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader deletes nothing",
        request: as("reader", "DELETE", () => `/${jobId}`),
        status: 403,
        answer: "error",
      },
      { name: "a writer creates", request: as("writer", "POST", () => "", body), status: 201 },
      {
        name: "another tenant's device is not there",
        request: as("stranger", "POST", () => "", body),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant's job is not there",
        request: as("stranger", "GET", () => `/${jobId}`),
        status: 404,
        answer: "error",
      },
      {
        name: "somebody with some devices schedules for those",
        request: as("limited", "POST", () => "", body),
        status: 201,
      },
      {
        name: "and for no other",
        request: as(
          "limited",
          "POST",
          () => "",
          () => ({ ...body(), action: set([other.deviceId]) }),
        ),
        status: 404,
        answer: "error",
      },
      {
        name: "and for no type",
        request: as(
          "limited",
          "POST",
          () => "",
          () => ({
            ...body(),
            action: { type: "attributes", deviceType: "sensor", attributes: { a: 1 } },
          }),
        ),
        status: 403,
        answer: "error",
      },
      {
        name: "a job on others, too, is not theirs to change",
        request: as(
          "limited",
          "PATCH",
          () => `/${wideId}`,
          () => ({ name: "y" }),
        ),
        status: 403,
        answer: "error",
      },
      {
        name: "nor to run",
        request: as("limited", "POST", () => `/${wideId}/run`),
        status: 403,
        answer: "error",
      },
      {
        name: "nor to delete",
        request: as("limited", "DELETE", () => `/${wideId}`),
        status: 403,
        answer: "error",
      },
      {
        name: "one on others alone is not there for them",
        request: as("limited", "GET", () => `/${typeId}`),
        status: 404,
        answer: "error",
      },
      {
        name: "nor are its runs",
        request: as("limited", "GET", () => `/${typeId}/runs`),
        status: 404,
        answer: "error",
      },
    ],
  );

  test("somebody with some devices sees of jobs and runs what is about those", async () => {
    await call("POST", `/${wideId}/run`);
    const run = await finishedRun(wideId);
    const job = await call("GET", `/${wideId}`, undefined, "limited");
    expect(job.body).toMatchObject({
      action: { deviceIds: [mine.deviceId] },
      hiddenTargets: 1,
      devices: [{ deviceId: mine.deviceId, name: "mine" }],
    });
    const runs = await call("GET", `/${wideId}/runs`, undefined, "limited");
    expect(runs.body[0]).toMatchObject({ runId: run.runId, targetCount: 1, hiddenTargets: 1 });
    const targets = await call("GET", `/${wideId}/runs/${run.runId}/targets`, undefined, "limited");
    expect(targets.headers.get("x-total-count")).toBe("1");
    for (const answer of [job, runs, targets])
      expect(answer.text).not.toMatch(new RegExp(`${other.deviceId}|other`));
    for (const [search, found] of [
      ["mine", 1],
      ["other", 0],
    ] as const)
      for (const path of [`/${wideId}/runs`, `/${wideId}/runs/${run.runId}/targets`]) {
        const { body, headers } = await call("GET", `${path}?search=${search}`, undefined, "limited");
        expect([path, search, body.length, headers.get("x-total-count")]).toEqual([
          path,
          search,
          found,
          String(found),
        ]);
      }
    const list = await call("GET", "", undefined, "limited");
    expect(list.body.map(({ name }: { name: string }) => name)).not.toContain("for pumps");
  });

  test("the audit log keeps devices from those who may not see them", async () => {
    const admin = (await fixture.signIn("TENANT_ADMIN", { devices: [mine.deviceId] })).token;
    const entries = (token: string) => fixture.call("GET", `/api/audit?targetId=${wideId}`, { token });
    expect((await entries(tokens.owner)).text).toContain(other.deviceId);
    const seen = await entries(admin);
    expect(seen.body.map(({ action }: { action: string }) => action)).toContain("job.create");
    expect(seen.text).not.toContain(other.deviceId);
  });
});

describe("runs", () => {
  test("attributes reach SHARED scope, and the run tells it of each device", async () => {
    const { jobId } = await createJob({
      action: { ...set([mine.deviceId]), attributes: { mode: "eco", steps: [1] } },
    });
    const begun = await call("POST", `/${jobId}/run`);
    expect([begun.status, begun.body]).toMatchObject([201, { jobId, trigger: "MANUAL", targetCount: 0 }]);
    const run = await finishedRun(jobId);
    expect(run).toMatchObject({
      runId: begun.body.runId,
      status: "SUCCESS",
      targetCount: 1,
      failedCount: 0,
      targets: [{ deviceId: mine.deviceId, name: "mine", status: "SUCCESS", error: null, commandId: null }],
    });
    const path = `/api/devices/${mine.deviceId}/attributes?scope=SHARED`;
    const { body } = await fixture.call("GET", path, { token: tokens.owner });
    expect(body).toContainEqual(expect.objectContaining({ key: "mode", value: "eco" }));
    expect((await call("GET", `/${jobId}/runs/${run.runId}`)).body).toEqual(run);
    expect((await call("GET", `/${jobId}`)).body).toMatchObject({
      lastStatus: "SUCCESS",
      lastRunAt: run.startedAt,
    });
    expect((await call("GET", `/${jobId}/runs?status=FAILED`)).body).toEqual([]);
  });

  test("a command goes to the device by the job's name", async () => {
    const action = { type: "command", deviceType: "pump", command: { method: "flush", params: { s: 3 } } };
    const { jobId } = await createJob({ name: "rinse", action });
    await call("POST", `/${jobId}/run`);
    const run = await finishedRun(jobId);
    const { commandId } = run.targets[0];
    const command = await fixture.call("GET", `/api/devices/${other.deviceId}/commands/${commandId}`, {
      token: tokens.owner,
    });
    expect(command.body).toMatchObject({
      method: "flush",
      params: { s: 3 },
      createdBy: "scheduler: rinse",
      requestId: `run-${run.runId}`,
    });
  });

  test("a device that was deleted fails with a reason, and the others run", async () => {
    const doomed = await fixture.createDevice(tokens.owner);
    const { jobId } = await createJob({ action: set([mine.deviceId, doomed.deviceId]) });
    await fixture.call("DELETE", `/api/devices/${doomed.deviceId}`, { token: tokens.owner });
    await call("POST", `/${jobId}/run`);
    const run = await finishedRun(jobId);
    expect(run).toMatchObject({ status: "PARTIAL", targetCount: 2, failedCount: 1 });
    expect(run.targets[0]).toMatchObject({ deviceId: doomed.deviceId, name: null, status: "FAILED" });
    const failed = await call("GET", `/${jobId}/runs/${run.runId}/targets?status=FAILED`);
    expect([failed.body.length, failed.headers.get("x-total-count")]).toEqual([1, "1"]);
  });

  test("the end of a run is told to screens that may see it", async () => {
    const { jobId } = await createJob();
    const listen = async (token: string) => {
      const socket = new WebSocket(`${fixture.app.url.replace("http", "ws")}/api/ws`);
      const messages: string[] = [];
      let wake: () => void = () => undefined;
      socket.onmessage = ({ data }) => {
        messages.push(String(data));
        wake();
      };
      const until = async (part: string) => {
        while (!messages.some((message) => message.includes(part)))
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        return messages.find((message) => message.includes(part)) ?? "";
      };
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      socket.send(JSON.stringify({ type: "auth", token }));
      await until("ready");
      socket.send(JSON.stringify({ type: "subscribe", id: "1", topics: ["events"] }));
      await until("snapshot");
      return { until, messages, close: () => socket.close() };
    };
    const owner = await listen(tokens.owner);
    const limited = await listen(tokens.limited);
    const stranger = await listen(tokens.stranger);
    await call("POST", `/${jobId}/run`);
    const notified = JSON.parse(await owner.until("job-run"));
    expect(notified).toMatchObject({
      topic: "events",
      event: "job-run",
      jobId,
      name: "night",
      status: "SUCCESS",
    });
    await limited.until("job-run");
    expect(stranger.messages.join()).not.toContain("job-run");
    for (const reader of [owner, limited, stranger]) reader.close();
  });

  test("at its time a job reaches a device that listens", async () => {
    const clock = new FakeClock();
    const app = await createTestApp({ clock });
    const { token } = await app.signIn("TENANT_OWNER");
    const device = await app.createDevice(token);
    const body = {
      name: "x",
      schedule: { kind: "cron", expression: "* * * * *" },
      action: { type: "command", deviceIds: [device.deviceId], command: { method: "tick" } },
    };
    expect((await app.call("POST", "/api/scheduler", { token, body })).status).toBe(201);
    const client = await connectAsync(`mqtt://127.0.0.1:${app.app.mqttPort}`, { username: device.token });
    const received = new Promise<string>((resolve) =>
      client.on("message", (_topic, text) => resolve(text.toString())),
    );
    await client.subscribeAsync("v1/devices/me/rpc/request/+", { qos: 1 });
    for (let step = 0; step < 4; step++) {
      await app.call("GET", "/api/scheduler", { token }); // whatever the last look began has its turn
      clock.advance(15_000);
    }
    expect(JSON.parse(await received)).toMatchObject({ method: "tick" });
    await client.endAsync();
    await app.stop();
  });

  test("switched off, jobs are written and read, and none runs", async () => {
    const clock = new FakeClock();
    const app = await createTestApp({ clock, config: { scheduler_enabled: false } });
    const { token } = await app.signIn("TENANT_OWNER");
    const { deviceId } = await app.createDevice(token);
    const body = { name: "x", schedule: { kind: "interval", everyMs: 60_000 }, action: set([deviceId]) };
    const { jobId } = (await app.call("POST", "/api/scheduler", { token, body })).body;
    for (let step = 0; step < 5; step++) {
      await app.call("GET", "/api/scheduler", { token });
      clock.advance(15_000);
    }
    const run = await app.call("POST", `/api/scheduler/${jobId}/run`, { token });
    expect([run.status, run.body.message]).toEqual([409, expect.stringContaining("SCHEDULER_ENABLED")]);
    expect((await app.call("GET", `/api/scheduler/${jobId}/runs`, { token })).body).toEqual([]);
    await app.stop();
  });

  test("a tenant's jobs go with it", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "three" });
    const { deviceId } = await fixture.createDevice(token);
    const body = { name: "x", schedule: hourly, action: set([deviceId]) };
    const { jobId } = (await fixture.call("POST", "/api/scheduler", { token, body })).body;
    await fixture.call("POST", `/api/scheduler/${jobId}/run`, { token });
    const gone = await fixture.call("DELETE", "/api/tenant", { token, body: { tenantName: "three" } });
    expect([gone.status, gone.text]).toEqual([200, expect.any(String)]);
    expect((await call("GET", `/${jobId}`)).status).toBe(404);
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
