import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import type { Perform } from "../../../src/modules/scheduler/job-actions.ts";
import { runToWire } from "../../../src/modules/scheduler/scheduler.wire.ts";
import { until } from "../../support/until.ts";
import { tenantId } from "./rig.ts";
import {
  clock,
  commandsOf,
  current,
  devices,
  HOUR,
  hourly,
  iso,
  MINUTE,
  minutely,
  reopen,
  rig,
  useRunner,
} from "./runner-fixture.ts";

useRunner();

/** A stand-in for what runs do to devices; it waits until it is released. */
function createHold() {
  const held: Array<() => void> = [];
  let isOpen = false;
  const perform: Perform = async () => {
    if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
    return null;
  };
  return {
    perform,
    held,
    release() {
      isOpen = true;
      for (const go of held.splice(0)) go();
    },
  };
}

test("a tenant's jobs do not wait for the runs of another tenant", async () => {
  const hold = createHold();
  const ran: string[] = [];
  const other = "other" as TenantId;
  reopen({
    perform: (job, ...rest) => {
      ran.push(job.tenantId);
      return job.tenantId === other ? Promise.resolve(null) : hold.perform(job, ...rest);
    },
  });
  rig.addTenant(other);
  for (let index = 0; index < 6; index++) rig.addJob({ schedule: hourly, deviceIds: devices });
  const theirs = rig.addJob({ schedule: hourly, deviceIds: devices, tenantId: other });
  clock.advance(HOUR);
  const first = rig.runner.check();
  await until(() => commandsOf(theirs).length === 1 && current(theirs).lastStatus !== null);
  const late = rig.addJob({ schedule: minutely, deviceIds: devices, tenantId: other });
  clock.advance(MINUTE);
  const second = rig.runner.check();
  await until(() => current(late).lastStatus !== null);
  hold.release();
  await Promise.all([first, second]);
});

test("a few runs of a tenant are in progress at a time, those that people begin included", async () => {
  const hold = createHold();
  reopen({ perform: hold.perform });
  const jobs = Array.from({ length: 12 }, () => rig.addJob({ schedule: hourly, deviceIds: devices }));
  for (const job of jobs.slice(6)) rig.runner.runNow(job);
  const waiting = () =>
    jobs.flatMap(({ jobId }) =>
      rig.runs
        .list(jobId, { visible: "all", limit: 1, offset: 0 })
        .filter((run) => rig.runner.isWaiting(run, tenantId)),
    );
  clock.advance(HOUR);
  const check = rig.runner.check();
  await until(() => hold.held.length === 4);
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  expect([hold.held.length, waiting().length]).toEqual([4, 8]);
  const [first] = waiting();
  expect(first && runToWire({ ...first, isWaiting: true, targets: [], hiddenTargets: 0 })).toMatchObject({
    status: "RUNNING",
    waiting: true,
  });
  hold.release();
  await check;
  await until(() => rig.finished.length === 12);
  expect(waiting()).toEqual([]);
});

test("a job is due again when its run has ended, and its missed times follow its rule", async () => {
  const hold = createHold();
  reopen({ perform: hold.perform });
  const job = rig.addJob({ schedule: minutely, deviceIds: devices });
  clock.advance(MINUTE);
  const first = rig.runner.check();
  await until(() => hold.held.length === 1);
  clock.advance(5 * MINUTE);
  await rig.runner.check();
  expect(rig.runsOf(job.jobId)).toHaveLength(1);
  hold.release();
  await first;
  await rig.runner.check();
  expect(commandsOf(job)).toEqual([
    "2026-03-01T00:01:00 SUCCESS 0",
    "2026-03-01T00:02:00 SKIPPED 4",
    "2026-03-01T00:06:00 SUCCESS 0",
  ]);
  expect(iso(current(job).nextRunAt)).toBe("2026-03-01T00:07:00");
});

test("a run that has not begun when the runner stops is left to the next one", async () => {
  const hold = createHold();
  reopen({ perform: hold.perform });
  const jobs = Array.from({ length: 5 }, () => rig.addJob({ schedule: hourly, deviceIds: devices }));
  clock.advance(HOUR);
  const check = rig.runner.check();
  await until(() => hold.held.length === 4);
  const stopped = rig.runner.stop();
  hold.release();
  await Promise.all([check, stopped]);
  const before = rig.finished.length;
  expect(before).toBeLessThan(5);
  reopen();
  await rig.runner.check();
  expect(rig.finished).toHaveLength(5 - before);
  for (const job of jobs) expect(commandsOf(job)).toEqual(["2026-03-01T01:00:00 SUCCESS 0"]);
});

test("a run is no faster than the disk", async () => {
  const disk = Promise.withResolvers<void>();
  let isSlow = false;
  reopen({ durable: () => (isSlow ? disk.promise : Promise.resolve()) });
  rig.addDevices(60, "many");
  const job = rig.addJob({ schedule: hourly, deviceType: "many" });
  const run = rig.runner.runNow(job);
  isSlow = true;
  await until(() => rig.effects().length > 0);
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  expect(rig.effects().length).toBeLessThan(60);
  disk.resolve();
  await until(() => rig.runs.find(job.jobId, run.runId)?.status === "SUCCESS");
  expect(rig.effects()).toHaveLength(60);
});
