import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { DeviceId } from "../../../src/lib/ids.ts";
import { GRACE_MS } from "../../../src/modules/scheduler/job-plan.ts";
import { LEASE_MS } from "../../../src/modules/scheduler/job-runner.ts";
import { latestTime, nextTime } from "../../../src/modules/scheduler/schedule.ts";
import type { Job } from "../../../src/modules/scheduler/scheduler.types.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { openRig, type Rig } from "./rig.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365.25 * 86_400_000;
const minutely = { kind: "cron", expression: "* * * * *" };
const hourly = { kind: "cron", expression: "0 * * * *" };

let directory: string;
let clock: FakeClock;
let rig: Rig;
let devices: DeviceId[];
const rigs: Rig[] = [];

function open(options: Partial<Parameters<typeof openRig>[1]> = {}): Rig {
  const opened = openRig(directory, { clock, ...options });
  rigs.push(opened);
  return opened;
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-scheduler-"));
  clock = new FakeClock();
  rig = open();
  rig.addTenant();
  devices = rig.addDevices(1);
});
afterEach(async () => {
  for (const opened of rigs.splice(0)) opened.close();
  await rm(directory, { recursive: true, force: true });
});

async function later(ms: number): Promise<void> {
  clock.advance(ms);
  await rig.runner.check();
}

const iso = (timeMs: number | null | undefined) =>
  timeMs == null ? timeMs : new Date(timeMs).toISOString().slice(0, 19);
const current = (job: Job) => rig.jobs.findById(job.jobId) as Job;
const commandsOf = (job: Job) =>
  rig
    .runsOf(job.jobId)
    .reverse()
    .map(({ scheduledFor, status, missed }) => `${iso(scheduledFor)} ${status} ${missed}`);

describe("what is due", () => {
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
    rig = open({
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
    rig.jobs.update({ ...job, enabled: false, nextRunAt: null });
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

describe("times that passed unseen", () => {
  test("are noted as skipped, in one note, and the next one runs", async () => {
    const job = rig.addJob({ schedule: minutely, deviceIds: devices, misfire: "skip" });
    clock.jump(10 * MINUTE + 30_000);
    await rig.runner.check();
    await later(MINUTE);
    expect(commandsOf(job)).toEqual([
      "2026-03-01T00:01:00 SKIPPED 9",
      "2026-03-01T00:10:00 SUCCESS 0",
      "2026-03-01T00:11:00 SUCCESS 0",
    ]);
    expect(rig.effects()).toHaveLength(2);
  });

  test("are made up for by one run where the job says so", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices, misfire: "once" });
    clock.jump(5 * HOUR + 30 * MINUTE);
    await rig.runner.check();
    await later(30 * MINUTE);
    expect(commandsOf(job)).toEqual(["2026-03-01T05:00:00 SUCCESS 4", "2026-03-01T06:00:00 SUCCESS 0"]);
  });

  test("a job that was to run once and was missed follows its rule, and is completed", async () => {
    const schedule = { kind: "once", at: "2026-03-01T00:05:00Z" };
    const skipped = rig.addJob({ schedule, deviceIds: devices, misfire: "skip" });
    const run = rig.addJob({ schedule, deviceIds: devices, misfire: "once" });
    clock.jump(HOUR);
    await rig.runner.check();
    expect(commandsOf(skipped)).toEqual(["2026-03-01T00:05:00 SKIPPED 1"]);
    expect(commandsOf(run)).toEqual(["2026-03-01T00:05:00 SUCCESS 0"]);
    expect([current(skipped).nextRunAt, current(run).nextRunAt]).toEqual([null, null]);
    expect(current(skipped)).toMatchObject({ lastStatus: "SKIPPED", lastRunAt: null });
  });

  test("late by no more than a restart takes is not missed", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    await later(HOUR + GRACE_MS);
    expect(commandsOf(job)).toEqual(["2026-03-01T01:00:00 SUCCESS 0"]);
  });
});

describe("a clock that is set", () => {
  test.each(["skip", "once"] as const)("from 1970 to now makes no storm (%s)", async (misfire) => {
    clock.jump(-clock.now());
    const job = rig.addJob({ schedule: minutely, deviceIds: devices, misfire });
    await later(MINUTE);
    clock.jump(Date.parse("2026-03-01T12:00:30Z") - clock.now());
    await rig.runner.check();
    await later(MINUTE);
    const missed = misfire === "skip" ? ["1970-01-01T00:02:00 SKIPPED 20"] : [];
    expect(commandsOf(job)).toEqual([
      "1970-01-01T00:01:00 SUCCESS 0",
      ...missed,
      `2026-03-01T12:00:00 SUCCESS ${misfire === "skip" ? 0 : 20}`,
      "2026-03-01T12:01:00 SUCCESS 0",
    ]);
  });

  test("57 years ahead and back again: the job goes on at its next time", async () => {
    const jobs = [
      rig.addJob({ schedule: hourly, deviceIds: devices }),
      rig.addJob({ schedule: { kind: "interval", everyMs: HOUR }, deviceIds: devices }),
    ];
    await later(HOUR);
    clock.jump(57 * YEAR);
    await rig.runner.check();
    clock.jump(-57 * YEAR);
    await rig.runner.check();
    for (const job of jobs) expect(iso(current(job).nextRunAt)).toBe("2026-03-01T02:00:00");
    await later(HOUR);
    for (const job of jobs) expect(commandsOf(job).at(-1)).toBe("2026-03-01T02:00:00 SUCCESS 0");
  });

  test("back by less than a run: nothing is done twice", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    await later(HOUR);
    clock.jump(-10 * MINUTE);
    await rig.runner.check();
    expect(iso(current(job).nextRunAt)).toBe("2026-03-01T01:00:00");
    await later(10 * MINUTE);
    await later(HOUR);
    expect(commandsOf(job)).toEqual(["2026-03-01T01:00:00 SUCCESS 0", "2026-03-01T02:00:00 SUCCESS 0"]);
    expect(rig.effects()).toHaveLength(2);
  });

  test("a restart with the clock back in 1970 waits for no year", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    await later(HOUR);
    clock.jump(-clock.now());
    rig = open();
    await rig.runner.check();
    expect(iso(current(job).nextRunAt)).toBe("1970-01-01T01:00:00");
  });

  test("a thousand times: no run is lost, none doubled, and there is never a storm", async () => {
    const often = { kind: "cron", expression: "*/5 * * * *", timezone: "Europe/Berlin" };
    const jobs = [
      rig.addJob({ schedule: often, deviceIds: devices, misfire: "skip" }),
      rig.addJob({
        schedule: { kind: "interval", everyMs: 7 * MINUTE },
        deviceIds: devices,
        misfire: "skip",
      }),
      rig.addJob({
        schedule: { kind: "interval", everyMs: 5 * MINUTE },
        deviceIds: devices,
        misfire: "once",
      }),
    ];
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 0x7fffffff;
      return seed / 0x7fffffff;
    };
    const status = rig.database.sqlite.query<{ status: string }, [string, number]>(
      "SELECT status FROM scheduler_runs WHERE job_id = ? AND scheduled_for = ?",
    );
    let away = 0; // how far the clock is set off the true time
    let runsBefore = 0;
    for (let step = 0; step < 1_000; step++) {
      const before = clock.now();
      const due = new Map(jobs.map((job) => [job.jobId, current(job).nextRunAt]));
      clock.advance(Math.floor(random() * 12 * MINUTE));
      const target = [0, 0, 57 * YEAR, HOUR, -HOUR, -before * 0.9, (random() - 0.5) * YEAR][
        Math.floor(random() * 7)
      ] as number;
      clock.jump(Math.round(target - away));
      away = Math.round(target);
      await rig.runner.check();
      const now = clock.now();
      const effects = rig.effects().length;
      expect(effects - runsBefore).toBeLessThanOrEqual(2 * jobs.length);
      runsBefore = effects;
      for (const job of jobs) {
        const { schedule, misfire, nextRunAt } = current(job);
        expect(nextRunAt).toBeGreaterThan(now);
        expect(nextRunAt).toBeLessThanOrEqual(nextTime(schedule, now) as number);
        const from = due.get(job.jobId) as number;
        if (from > now) continue; // nothing was due
        const latest = latestTime(schedule, from, now);
        const statusOf = (timeMs: number) => status.get(job.jobId, timeMs)?.status;
        if (misfire === "once" || now - latest <= GRACE_MS) expect(statusOf(latest)).toBe("SUCCESS");
        else expect(statusOf(from)).toBeDefined();
      }
    }
    const all = rig.effects();
    expect(new Set(all.map(({ runId }) => runId)).size).toBe(all.length);
    const times = rig.database.sqlite
      .query("SELECT count(*) AS n FROM scheduler_runs GROUP BY job_id, scheduled_for HAVING n > 1")
      .all();
    expect(times).toEqual([]);
    expect(all.length).toBeGreaterThan(500);
  }, 30_000);
});

describe("what is kept", () => {
  test("of runs, the newest thousand", async () => {
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

  test("and those of the last 90 days, twenty in any case", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    for (let hour = 0; hour < 30; hour++) await later(HOUR);
    expect(rig.runsOf(job.jobId)).toHaveLength(30);
    clock.jump(100 * 86_400_000 + 1_000);
    await rig.runner.check();
    await later(HOUR);
    expect(rig.runsOf(job.jobId)).toHaveLength(20);
  });

  test("of results of single devices, the newest two thousand, and those of the last run in any case", async () => {
    rig.addDevices(900, "valve");
    const job = rig.addJob({ schedule: minutely, deviceType: "valve" });
    for (let run = 0; run < 4; run++) await later(MINUTE);
    const counts = rig
      .runsOf(job.jobId)
      .map(({ runId }) => rig.targets.count(runId, { visible: "all" }).total);
    expect(counts).toEqual([900, 900, 0, 0]);
  });

  test("goes with the job, and the job with its tenant", async () => {
    const job = rig.addJob({ schedule: minutely, deviceIds: devices });
    await later(MINUTE);
    rig.database.sqlite.run("DELETE FROM tenants");
    const left = ["jobs", "runs", "targets"].map(
      (name) =>
        rig.database.sqlite.query<{ n: number }, []>(`SELECT count(*) AS n FROM scheduler_${name}`).get()?.n,
    );
    expect(left).toEqual([0, 0, 0]);
    await later(MINUTE);
    expect(rig.jobs.findById(job.jobId)).toBeUndefined();
  });
});

describe("a run that does not come to its end", () => {
  test("goes on at the next start after an orderly stop, with the devices that are left", async () => {
    const valves = rig.addDevices(100, "valve");
    const job = rig.addJob({ schedule: minutely, deviceType: "valve" });
    const acted: string[] = [];
    const stopping = open({
      perform: async (_job, _runId, deviceId) => {
        acted.push(deviceId);
        if (acted.length === 30) void stopping.runner.stop();
        return null;
      },
    });
    clock.advance(MINUTE);
    await stopping.runner.check();
    await stopping.runner.stop();
    expect(rig.runsOf(job.jobId)[0]?.status).toBe("RUNNING");
    expect(acted.length).toBe(50);
    await rig.runner.check();
    expect(rig.runsOf(job.jobId)[0]).toMatchObject({ status: "SUCCESS", attempts: 2, targetCount: 100 });
    expect([...acted, ...rig.effects().map(({ deviceId }) => deviceId)].sort()).toEqual([...valves].sort());
  });

  test.each([
    ["skip", { status: "PARTIAL", targetCount: 100, failedCount: 50 }],
    ["once", { status: "SUCCESS", targetCount: 100, failedCount: 0 }],
  ] as const)(
    "and that goes on only days later follows the rule for missed times: %s",
    async (misfire, expected) => {
      rig.addDevices(100, "valve");
      const job = rig.addJob({
        schedule: { kind: "once", at: "2026-03-01T00:01:00Z" },
        deviceType: "valve",
        misfire,
      });
      let acted = 0;
      const stopping = open({
        perform: async () => {
          if (++acted === 30) void stopping.runner.stop();
          return null;
        },
      });
      clock.advance(MINUTE);
      await stopping.runner.check();
      await stopping.runner.stop();
      await later(48 * HOUR);
      const [run] = rig.runsOf(job.jobId);
      expect(run).toMatchObject(expected);
      expect(rig.effects()).toHaveLength(misfire === "skip" ? 0 : 50);
    },
  );

  test("is nobody else's while it is worked on, and anybody's when the lease has run out", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    let begun: () => void = () => undefined;
    const hangs = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const stuck = open({
      perform() {
        begun();
        return new Promise(() => undefined);
      },
    });
    clock.advance(HOUR);
    void stuck.runner.check();
    await hangs;
    await later(LEASE_MS - 1);
    expect(rig.effects()).toEqual([]);
    await later(1);
    expect(rig.effects()).toHaveLength(1);
    expect(rig.runsOf(job.jobId)[0]).toMatchObject({ status: "SUCCESS", attempts: 2 });
  });

  test("is taken up again when the disk failed before it began", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    let isBroken = true;
    rig = open({
      async durable() {
        if (isBroken) throw new Error("the disk failed");
      },
    });
    await later(HOUR);
    expect(rig.effects()).toEqual([]);
    isBroken = false;
    await later(LEASE_MS);
    expect(rig.effects()).toHaveLength(1);
    expect(rig.runsOf(job.jobId)[0]).toMatchObject({ status: "SUCCESS", attempts: 2 });
  });

  test("is given up after five times", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    await later(HOUR);
    rig.database.sqlite.run("UPDATE scheduler_runs SET status = 'RUNNING', attempts = 5, lease_until = 0");
    rig.database.sqlite.run("DELETE FROM scheduler_targets");
    await later(15_000);
    expect(rig.runsOf(job.jobId)[0]).toMatchObject({
      status: "FAILED",
      error: { code: "run_result.never_ended", params: { count: 5 } },
    });
    expect(rig.effects()).toHaveLength(1);
  });

  test("of a job that is deleted meanwhile ends quietly", async () => {
    rig.addDevices(60, "valve");
    const job = rig.addJob({ schedule: minutely, deviceType: "valve" });
    let acted = 0;
    const other = open({
      perform: async () => {
        if (++acted === 10) rig.jobs.delete(job.jobId);
        return null;
      },
    });
    clock.advance(MINUTE);
    await other.runner.check();
    expect(acted).toBe(25);
    expect(other.finished).toEqual([]);
    expect(rig.database.sqlite.query("SELECT * FROM scheduler_targets").all()).toEqual([]);
  });
});

describe("run now", () => {
  test("runs beside the job's own times", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    clock.advance(MINUTE);
    const run = rig.runner.runNow(job);
    expect(run).toMatchObject({ trigger: "MANUAL", status: "RUNNING", scheduledFor: clock.now() });
    expect(() => rig.runner.runNow(job)).toThrow("already running");
    while (rig.finished.length === 0) await setImmediate();
    await later(HOUR);
    expect(rig.runsOf(job.jobId).map(({ trigger, status }) => `${trigger} ${status}`)).toEqual([
      "SCHEDULE SUCCESS",
      "MANUAL SUCCESS",
    ]);
  });
});

const child = (subject: string) =>
  Bun.spawn([process.execPath, join(import.meta.dir, "runner-child.ts"), directory, subject], {
    stdout: "inherit",
    stderr: "inherit",
    env: process.env,
  });

describe("processes that share a database", () => {
  test("one that looked at the clock earlier, and came later, takes nothing from the other", () => {
    const now = clock.now();
    const job = rig.addJob({ schedule: hourly, deviceIds: devices }, { nextRunAt: now - 1 });
    const lease = (owner: string, timeMs: number) => ({ owner, now: timeMs, leaseMs: LEASE_MS });
    expect(rig.jobs.claimDue(lease("first", now + 20), 50).map(({ jobId }) => jobId)).toEqual([job.jobId]);
    expect(rig.jobs.claimDue(lease("second", now), 50)).toEqual([]);
    expect(rig.jobs.claimDue(lease("second", now + 20 + LEASE_MS), 50)).toHaveLength(1);
  });

  test("two of them run a thousand due jobs once each", async () => {
    const timeMs = systemClock.now() - 5_000;
    rig.database.transact(() => {
      for (let index = 0; index < 1_000; index++)
        rig.addJob(
          { schedule: { kind: "interval", everyMs: HOUR }, deviceIds: devices },
          { nextRunAt: timeMs },
        );
    });
    const both = [child("work"), child("work")];
    expect(await Promise.all(both.map(({ exited }) => exited))).toEqual([0, 0]);
    const effects = rig.effects();
    expect(effects).toHaveLength(1_000);
    expect(new Set(effects.map(({ jobId }) => jobId)).size).toBe(1_000);
    const states = rig.database.sqlite
      .query(
        "SELECT status, count(*) AS n, count(DISTINCT job_id) AS jobs FROM scheduler_runs GROUP BY status",
      )
      .all();
    expect(states).toEqual([{ status: "SUCCESS", n: 1_000, jobs: 1_000 }]);
  }, 30_000);

  test("one that is killed in a run: the next goes on, and no device gets the command twice", async () => {
    const valves = rig.addDevices(100, "valve");
    const job = rig.addJob(
      { schedule: { kind: "interval", everyMs: HOUR }, deviceType: "valve" },
      { nextRunAt: systemClock.now() - 5_000 },
    );
    const killed = child("60");
    expect(await killed.exited).not.toBe(0);
    const sent = () =>
      rig.database.sqlite
        .query<{ deviceId: string; n: number }, []>(
          "SELECT device_id AS deviceId, count(*) AS n FROM commands GROUP BY device_id",
        )
        .all();
    expect(sent()).toHaveLength(60);
    const [run] = rig.runsOf(job.jobId);
    expect(run?.status).toBe("RUNNING");
    // The clock of whoever comes next: the lease has run out.
    rig.database.sqlite.run("UPDATE scheduler_runs SET lease_until = 0");
    const next = child("1000");
    expect(await next.exited).toBe(0);
    expect(sent().map(({ deviceId, n }) => `${deviceId} ${n}`)).toEqual(
      [...valves].sort().map((id) => `${id} 1`),
    );
    expect(rig.runsOf(job.jobId)[0]).toMatchObject({ status: "SUCCESS", attempts: 2, targetCount: 100 });
  }, 30_000);
});
