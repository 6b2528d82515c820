import { describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp } from "../support/test-app.ts";
import { type StreamMessage, WebSocketClient } from "../support/websocket-client.ts";
import {
  call,
  createJob,
  finishedRun,
  fixture,
  hourly,
  mine,
  other,
  set,
  tokens,
  useScheduler,
} from "./scheduler-fixture.ts";

useScheduler();

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

  test("a stream brings the end of a run to readers who may see it", async () => {
    const { jobId } = await createJob();
    const listen = async (token: string) => {
      const stream = await WebSocketClient.signIn(fixture.app.url, token);
      await stream.subscribe(["events"]);
      return stream;
    };
    const isRun = ({ event }: StreamMessage) => event === "job-run";
    const owner = await listen(tokens.owner);
    const limited = await listen(tokens.limited);
    const stranger = await listen(tokens.stranger);
    await call("POST", `/${jobId}/run`);
    expect(await owner.until(isRun)).toMatchObject({
      topic: "events",
      event: "job-run",
      jobId,
      name: "night",
      status: "SUCCESS",
    });
    await limited.until(isRun);
    // The stranger's own event comes after the one that is not for them.
    await fixture.call("POST", `/api/v1/${(await fixture.createDevice(tokens.stranger)).token}/telemetry`, {
      body: 5,
    });
    expect(await stranger.next()).toMatchObject({ topic: "events", event: "rejected" });
    for (const reader of [owner, limited, stranger]) await reader.close();
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
