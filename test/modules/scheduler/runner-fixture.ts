import { afterEach, beforeEach } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import type { Job } from "../../../src/modules/scheduler/scheduler.resource.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { openRig, type Rig } from "./rig.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const minutely = { kind: "cron", expression: "* * * * *" };
export const hourly = { kind: "cron", expression: "0 * * * *" };
export let directory: string;
export let clock: FakeClock;
/** Tests that restart replace it by `reopen`. */
export let rig: Rig;
export let devices: DeviceId[];
const rigs: Rig[] = [];

export function open(options: Partial<Parameters<typeof openRig>[1]> = {}): Rig {
  const opened = openRig(directory, { clock, ...options });
  rigs.push(opened);
  return opened;
}

/** Opens a new rig on the same database, as a restart does; it takes the place of `rig`. */
export function reopen(options: Parameters<typeof open>[0] = {}): void {
  rig = open(options);
}

export async function later(ms: number): Promise<void> {
  clock.advance(ms);
  await rig.runner.check();
}

export const iso = (timeMs: number | null | undefined) =>
  timeMs == null ? timeMs : new Date(timeMs).toISOString().slice(0, 19);

export const current = (job: Job) => rig.jobs.findAcrossTenants(job.jobId) as Job;

export const commandsOf = (job: Job) =>
  rig
    .runsOf(job.jobId)
    .reverse()
    .map(({ scheduledFor, status, missed }) => `${iso(scheduledFor)} ${status} ${missed}`);

/** Opens a rig on an empty directory before each test. */
export function useRunner(): void {
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
}
