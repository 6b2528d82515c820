import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { LEASE_MS } from "../../../src/modules/scheduler/job-runner.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";
import { until } from "../../support/until.ts";
import {
  clock,
  devices,
  directory,
  HOUR,
  hourly,
  later,
  MINUTE,
  minutely,
  open,
  reopen,
  rig,
  useRunner,
} from "./runner-fixture.ts";

useRunner();

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

  test("belongs to one runner until its lease has expired", async () => {
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

  test("is not taken up by its own runner when its lease has expired", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    let end: () => void = () => undefined;
    const isSlow = new Promise<null>((resolve) => {
      end = () => resolve(null);
    });
    let acted = 0;
    reopen({ perform: () => (++acted === 1 ? isSlow : Promise.resolve(null)) });
    rig.runner.runNow(job);
    await until(() => acted === 1, "the first command");
    await later(LEASE_MS);
    expect(acted).toBe(1);
    end();
    await until(() => rig.finished.length === 1, "the end of the run");
    expect(rig.runsOf(job.jobId)).toMatchObject([{ status: "SUCCESS", attempts: 1 }]);
  });

  test("is announced by the runner that finished it, and not by the runner that lost it", async () => {
    rig.addJob({ schedule: hourly, deviceIds: devices });
    let end: () => void = () => undefined;
    const isSlow = new Promise<null>((resolve) => {
      end = () => resolve(null);
    });
    let begun = false;
    const slow = open({
      perform() {
        begun = true;
        return isSlow;
      },
    });
    clock.advance(HOUR);
    const checked = slow.runner.check();
    await until(() => begun, "the first command");
    await later(LEASE_MS);
    expect(rig.finished).toHaveLength(1);
    end();
    await checked;
    expect(slow.finished).toEqual([]);
  });

  test("is named in the log if it cannot be released at a stop", async () => {
    const warnings: string[] = [];
    const closed = open({ onWarning: (message) => warnings.push(message) });
    closed.database.sqlite.run("ALTER TABLE scheduler_runs RENAME TO damaged");
    await closed.runner.stop();
    expect(warnings).toEqual(["runs could not be released"]);
  });

  test("is taken up again when the disk failed before it began", async () => {
    const job = rig.addJob({ schedule: hourly, deviceIds: devices });
    let isBroken = true;
    reopen({
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

  test.each([
    [4, 2, { status: "SUCCESS", error: null }],
    [5, 1, { status: "FAILED", error: { code: "run_result.never_ended", params: { count: 5 } } }],
  ])(
    "is tried five times: after %d attempts its command was sent %d times",
    async (attempts, effects, expected) => {
      const job = rig.addJob({ schedule: hourly, deviceIds: devices });
      await later(HOUR);
      rig.database.sqlite.run("UPDATE scheduler_runs SET status = 'RUNNING', attempts = ?, lease_until = 0", [
        attempts,
      ]);
      rig.database.sqlite.run("DELETE FROM scheduler_targets");
      await later(15_000);
      expect(rig.runsOf(job.jobId)[0]).toMatchObject(expected);
      expect(rig.effects()).toHaveLength(effects);
    },
  );

  test("is taken up together with a job that is due", async () => {
    const left = rig.addJob({ schedule: { kind: "once", at: "2026-03-01T01:00:00Z" }, deviceIds: devices });
    await later(HOUR);
    rig.database.sqlite.run("UPDATE scheduler_runs SET status = 'RUNNING', lease_until = 0");
    rig.database.sqlite.run("DELETE FROM scheduler_targets");
    const due = rig.addJob({ schedule: minutely, deviceIds: devices });
    await later(MINUTE);
    for (const { jobId } of [left, due]) expect(rig.runsOf(jobId)[0]?.status).toBe("SUCCESS");
    expect(rig.effects()).toHaveLength(3);
  });

  test("of a job that is deleted meanwhile ends without an error", async () => {
    rig.addDevices(60, "valve");
    const job = rig.addJob({ schedule: minutely, deviceType: "valve" });
    let acted = 0;
    const other = open({
      perform: async () => {
        if (++acted === 10) rig.jobs.delete(job);
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

const child = (subject: string) =>
  Bun.spawn([process.execPath, join(import.meta.dir, "runner-child.ts"), directory, subject], {
    stdout: "inherit",
    stderr: "inherit",
    env: process.env,
  });

describe("processes that share a database", () => {
  test("a runner with an older time claims nothing from the other", () => {
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
  });

  test("a killed runner's run is continued, and no device gets the command twice", async () => {
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
    // For the next runner, the lease has expired.
    rig.database.sqlite.run("UPDATE scheduler_runs SET lease_until = 0");
    const next = child("1000");
    expect(await next.exited).toBe(0);
    expect(sent().map(({ deviceId, n }) => `${deviceId} ${n}`)).toEqual(
      [...valves].sort().map((id) => `${id} 1`),
    );
    expect(rig.runsOf(job.jobId)[0]).toMatchObject({ status: "SUCCESS", attempts: 2, targetCount: 100 });
  });
});
