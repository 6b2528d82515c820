import { join } from "node:path";
import type { DeviceId, TenantId } from "../../../src/lib/core/ids.ts";
import type { Perform } from "../../../src/modules/scheduler/job-actions.ts";
import { type FinishedRun, JobRunner } from "../../../src/modules/scheduler/job-runner.ts";
import { createJobsRepository } from "../../../src/modules/scheduler/jobs.repository.ts";
import { createRunsRepository } from "../../../src/modules/scheduler/runs.repository.ts";
import { nextTime, parseSchedule } from "../../../src/modules/scheduler/schedule.ts";
import type { Job } from "../../../src/modules/scheduler/scheduler.resource.ts";
import type { JobTargets, Misfire } from "../../../src/modules/scheduler/scheduler.types.ts";
import { createTargetsRepository } from "../../../src/modules/scheduler/targets.repository.ts";
import { createTenantsRepository } from "../../../src/modules/tenants/tenants.repository.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import type { Clock } from "../../../src/platform/time/clock.ts";

export const tenantId = "tenant" as TenantId;
const log = createLogger("test");

/** What a run did to a device: one row for each time that it was done. */
export interface Effect {
  readonly jobId: string;
  readonly runId: string;
  readonly deviceId: string;
}

/** A runner on a database of its own; several of them, also of other processes, may share the file. */
export function openRig(
  directory: string,
  options: {
    clock: Clock;
    perform?: Perform;
    durable?: () => Promise<void>;
    isClockSet?: () => boolean;
    onWarning?: (message: string) => void;
  },
) {
  const { clock } = options;
  const database = openMainDatabase(join(directory, "lineside.db"), "lineside", log);
  const { sqlite } = database;
  sqlite.run("CREATE TABLE IF NOT EXISTS effects (jobId TEXT, runId TEXT, deviceId TEXT)");
  const jobs = createJobsRepository(database, clock);
  const runs = createRunsRepository(database);
  const targets = createTargetsRepository(database);
  const insertEffect = sqlite.query("INSERT INTO effects VALUES (?, ?, ?)");
  const finished: FinishedRun[] = [];
  const missed: string[] = [];
  const note: Perform = async (job, runId, deviceId) => {
    insertEffect.run(job.jobId, runId, deviceId);
    return null;
  };
  const runner = new JobRunner({
    jobs,
    runs,
    targets,
    perform: options.perform ?? note,
    transact: database.transact,
    durable: options.durable ?? (async () => undefined),
    onFinished: (run) => void finished.push(run),
    onMissed: (_, reason) => void missed.push(reason.code),
    clock,
    isClockSet: options.isClockSet ?? (() => true),
    retentionTime: () => clock.now(),
    log: { ...log, warn: options.onWarning ?? log.warn },
  });
  let jobCount = 0;
  return {
    database,
    jobs,
    runs,
    targets,
    runner,
    finished,
    /** Codes of the reasons why times passed without a run. */
    missed,
    effects: () => sqlite.query<Effect, []>("SELECT * FROM effects").all(),
    /** Adds the tenant with its profile, or another one with nothing. */
    addTenant(id = tenantId) {
      createTenantsRepository(database).insert(
        { tenantId: id, name: "Plant", planName: "onprem", isHost: false },
        clock.now(),
      );
      if (id !== tenantId) return;
      sqlite.run(
        "INSERT INTO device_profiles (profile_id, tenant_id, name, alarm_rules, inactivity_timeout_ms, payload, command_timeout_ms, created_at, updated_at) VALUES ('profile', 'tenant', 'default', '[]', 1, 'JSON', 1000, 1, 1)",
      );
    },
    addDevices(count: number, deviceType = "sensor"): DeviceId[] {
      const insert = sqlite.query(
        "INSERT INTO devices (device_id, tenant_id, profile_id, name, device_type, role, tags, token_hash, token_sealed, created_at, updated_at) VALUES (?1, 'tenant', 'profile', ?1, ?2, 'DEVICE', '[]', ?1, '', 1, 1)",
      );
      const ids = Array.from({ length: count }, (_, index) => `${deviceType} ${index}` as DeviceId);
      database.transact(() => {
        for (const id of ids) insert.run(id, deviceType);
      });
      return ids;
    },
    addJob(
      input: { schedule: unknown; misfire?: Misfire; tenantId?: TenantId } & JobTargets,
      changes: Partial<Pick<Job, "nextRunAt">> = {},
    ): Job {
      const { schedule: asked, misfire = "skip", tenantId: owner = tenantId, ...on } = input;
      const now = clock.now();
      const schedule = parseSchedule(asked, now);
      return jobs.insert(owner, {
        jobId: `job ${++jobCount}`,
        name: `job ${jobCount}`,
        enabled: true,
        schedule,
        action: { ...on, type: "attributes", attributes: { a: 1 } },
        misfire,
        nextRunAt: nextTime(schedule, now) ?? null,
        lastRunAt: null,
        lastStatus: null,
        leaseOwner: null,
        leaseUntil: null,
        ...changes,
      });
    },
    runsOf: (jobId: string) => runs.list(jobId, { visible: "all", limit: 10_000, offset: 0 }),
    close: () => database.close(),
  };
}

export type Rig = ReturnType<typeof openRig>;
