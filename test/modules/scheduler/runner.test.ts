import { describe, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import {
  clock,
  commandsOf,
  current,
  devices,
  HOUR,
  hourly,
  iso,
  later,
  MINUTE,
  minutely,
  reopen,
  rig,
  useRunner,
} from "./runner-fixture.ts";

useRunner();

describe("due jobs", () => {
  test("runs once at its time, and not before", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    await later(HOUR - 1);
    expect(rig.effects()).toEqual([]);
    await later(1);
    await later(15_000);
    expect(rig.effects()).toHaveLength(1);
    expect(commandsOf(job)).toEqual(["2026-03-01T01:00:00 SUCCESS 0"]);
    expect(current(job)).toMatchObject({ lastStatus: "SUCCESS", lastRunAt: Date.parse("2026-03-01T01:00Z") });
    expect(iso(current(job).nextRunAt)).toBe("2026-03-01T02:00:00");
  });

  test("is looked for every 15 s once the runner has started", async () => {
    let ran: (timeMs: number) => void = () => undefined;
    const first = new Promise<number>((resolve) => {
      ran = resolve;
    });
    reopen({
      perform: async () => {
        ran(clock.now());
        return null;
      },
    });
    clock.advance(5_000);
    rig.addJob({ schedule: minutely, deviceIds: devices });
    rig.runner.start();
    for (let step = 0; step < 4; step++) {
      clock.advance(15_000);
      for (let turn = 0; turn < 5; turn++) await setImmediate(); // the look that the timer began
    }
    expect(iso(await first)).toBe("2026-03-01T00:01:05");
    await rig.runner.stop();
  });

  test("runs after the runner was stopped and started again", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    await rig.runner.stop();
    rig.runner.start();
    await later(HOUR + 15_000);
    expect(commandsOf(job)).toEqual(["2026-03-01T01:00:00 SUCCESS 0"]);
  });

  test("an interval does not drift, however late each look is", async () => {
    const job = rig.addJob({ schedule: { kind: "interval", everyMs: 2 * MINUTE }, deviceIds: devices });
    for (let step = 0; step < 20; step++) await later(2 * MINUTE + (step === 0 ? 0 : 1_500));
    const times = rig
      .runsOf(job.jobId)
      .map(({ scheduledFor }) => (scheduledFor - job.createdAt) % (2 * MINUTE));
    expect(new Set(times)).toEqual(new Set([0]));
    expect(times).toHaveLength(20);
  });

  test("a job that runs once is completed after it", async () => {
    const job = rig.addJob({ schedule: { kind: "once", at: "2026-03-01T00:05:00Z" }, deviceIds: devices });
    await later(5 * MINUTE);
    await later(5 * MINUTE);
    expect(commandsOf(job)).toEqual(["2026-03-01T00:05:00 SUCCESS 0"]);
    expect(current(job)).toMatchObject({ enabled: true, nextRunAt: null });
  });

  test("a paused job does not run", async () => {
    const job = rig.addJob({ schedule: minutely, deviceIds: devices });
    rig.jobs.update(job, { enabled: false, nextRunAt: null });
    await later(HOUR);
    expect(commandsOf(job)).toEqual([]);
  });
});

describe("targets", () => {
  test("a device that is gone fails with a reason, and the others run", async () => {
    const all = [...devices, "gone" as DeviceId];
    const job = rig.addJob({ schedule: minutely, deviceIds: all });
    await later(MINUTE);
    const [run] = rig.runsOf(job.jobId);
    expect(run).toMatchObject({
      status: "PARTIAL",
      targetCount: 2,
      failedCount: 1,
      error: { code: "run_result.devices_failed", params: { failed: 1, total: 2 } },
    });
    expect(rig.targets.list(run!.runId, { visible: "all", limit: 9, offset: 0 })).toEqual([
      {
        deviceId: "gone" as DeviceId,
        name: null,
        status: "FAILED",
        error: { code: "run_result.device_gone", params: {} },
        commandId: null,
      },
      { deviceId: devices[0]!, name: "sensor 0", status: "SUCCESS", error: null, commandId: null },
    ]);
  });

  test("a run of which every device failed has failed", async () => {
    const job = rig.addJob({ schedule: minutely, deviceIds: ["gone" as DeviceId] });
    await later(MINUTE);
    expect(rig.runsOf(job.jobId)[0]).toMatchObject({
      status: "FAILED",
      error: { code: "run_result.device_gone", params: {} },
    });
  });

  test("all devices of a type are those that there are when it runs", async () => {
    rig.addDevices(60, "valve");
    const job = rig.addJob({ schedule: minutely, deviceType: "valve" });
    const none = rig.addJob({ schedule: minutely, deviceType: "pump" });
    await later(MINUTE);
    rig.addDevices(2, "pump");
    await later(MINUTE);
    expect(rig.runsOf(job.jobId).map(({ targetCount }) => targetCount)).toEqual([60, 60]);
    expect(rig.runsOf(none.jobId).map(({ status, targetCount }) => [status, targetCount])).toEqual([
      ["SUCCESS", 2],
      ["SKIPPED", 0],
    ]);
  });
});

describe("the run history", () => {
  test("keeps the newest thousand runs", async () => {
    const job = rig.addJob({ schedule: minutely, deviceIds: devices });
    const insert = rig.database.sqlite.query(
      "INSERT INTO scheduler_runs (run_id, job_id, scheduled_for, trigger, started_at, status, target_count, attempts) VALUES (?, ?, ?, 'SCHEDULE', ?, 'SUCCESS', 1, 1)",
    );
    rig.database.transact(() => {
      for (let index = 0; index < 1_500; index++) insert.run(`old ${index}`, job.jobId, index, clock.now());
    });
    await later(MINUTE);
    const kept = rig.runsOf(job.jobId);
    expect(kept).toHaveLength(1_000);
    expect(kept[0]).toMatchObject({ status: "SUCCESS", scheduledFor: clock.now() });
    expect(kept.at(-1)?.runId).toBe("old 501");
  });

  test("keeps runs of the last 90 days, twenty in any case", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    for (let hour = 0; hour < 30; hour++) await later(HOUR);
    expect(rig.runsOf(job.jobId)).toHaveLength(30);
    clock.jump(100 * 86_400_000 + 1_000);
    await rig.runner.check();
    await later(HOUR);
    expect(rig.runsOf(job.jobId)).toHaveLength(20);
  });

  test("keeps the newest two thousand results of devices, and those of the last run in any case", async () => {
    rig.addDevices(900, "valve");
    const job = rig.addJob({ schedule: minutely, deviceType: "valve" });
    for (let run = 0; run < 4; run++) await later(MINUTE);
    const counts = rig
      .runsOf(job.jobId)
      .map(({ runId }) => rig.targets.count(runId, { visible: "all" }).total);
    expect(counts).toEqual([900, 900, 0, 0]);
  });

  test("is deleted with the job, and the job with its tenant", async () => {
    const job = rig.addJob({ schedule: minutely, deviceIds: devices });
    await later(MINUTE);
    rig.database.sqlite.run("DELETE FROM tenants");
    const left = ["jobs", "runs", "targets"].map(
      (name) =>
        rig.database.sqlite.query<{ n: number }, []>(`SELECT count(*) AS n FROM scheduler_${name}`).get()?.n,
    );
    expect(left).toEqual([0, 0, 0]);
    await later(MINUTE);
    expect(rig.jobs.findAcrossTenants(job.jobId)).toBeUndefined();
  });
});

describe("run now", () => {
  test("runs beside the job's own times", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    clock.advance(MINUTE);
    const run = rig.runner.runNow(job);
    expect(run).toMatchObject({ trigger: "MANUAL", status: "RUNNING", scheduledFor: clock.now(), missed: 0 });
    expect(() => rig.runner.runNow(job)).toThrow("already running");
    while (rig.finished.length === 0) await setImmediate();
    await later(HOUR);
    expect(rig.runsOf(job.jobId).map(({ trigger, status }) => `${trigger} ${status}`)).toEqual([
      "SCHEDULE SUCCESS",
      "MANUAL SUCCESS",
    ]);
  });
});
