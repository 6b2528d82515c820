import { describe, expect, test } from "bun:test";
import { GRACE_MS } from "../../../src/modules/scheduler/job-runner.ts";
import { latestTime, nextTime } from "../../../src/modules/scheduler/schedule.ts";
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

const YEAR = 365.25 * 86_400_000;

describe("missed times", () => {
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
    expect(rig.missed).toEqual(["run_result.missed"]);
  });

  test("are replaced by one run where the job says so", async () => {
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
  test.each(["skip", "once"] as const)("from 1970 to now causes no storm (%s)", async (misfire) => {
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
    reopen();
    await rig.runner.check();
    expect(iso(current(job).nextRunAt)).toBe("1970-01-01T01:00:00");
  });

  test("after a boot in the past: jobs wait, none runs twice, and none is lost", async () => {
    const skipping = rig.addJob({ schedule: hourly, deviceIds: devices, misfire: "skip" });
    const repeating = rig.addJob({ schedule: hourly, deviceIds: devices, misfire: "once" });
    const schedule = { kind: "once", at: "2026-03-01T02:30:00Z" };
    const single = rig.addJob({ schedule, deviceIds: devices, misfire: "once" });
    await later(HOUR);
    let isSet = false;
    const { addJob } = rig; // numbers of jobs go on
    reopen({ isClockSet: () => isSet });
    rig.runner.start();
    await later(HOUR);
    const written = [
      addJob({ schedule: minutely, deviceIds: devices, misfire: "once" }),
      addJob({ schedule: { kind: "interval", everyMs: HOUR }, deviceIds: devices, misfire: "once" }),
    ];
    await later(HOUR);
    expect(rig.effects()).toHaveLength(2);
    isSet = true;
    clock.jump(Date.parse("2026-03-08T12:30:10Z") - clock.now());
    for (let check = 0; check < 3; check++) await rig.runner.check();
    expect(commandsOf(skipping)).toEqual(["2026-03-01T01:00:00 SUCCESS 0", "2026-03-01T02:00:00 SKIPPED 20"]);
    expect(commandsOf(repeating)).toEqual([
      "2026-03-01T01:00:00 SUCCESS 0",
      "2026-03-08T12:00:00 SUCCESS 20",
    ]);
    expect(commandsOf(single)).toEqual(["2026-03-01T02:30:00 SUCCESS 0"]);
    // Jobs that were written meanwhile have missed nothing.
    expect(written.map((job) => iso(current(job).nextRunAt))).toEqual([
      "2026-03-08T12:31:00",
      "2026-03-08T13:00:00",
    ]);
    expect(written.flatMap(commandsOf)).toEqual([]);
    await rig.runner.stop();
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
  });
});
