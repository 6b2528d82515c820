import { and, eq, getTableColumns, gt, isNotNull, sql } from "drizzle-orm";
import { omit } from "../../lib/core/omit.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Changes } from "../../platform/database/resource-store.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type Job, jobResource } from "./scheduler.resource.ts";
import { schedulerJobs } from "./scheduler.tables.ts";
import type { RunStatus } from "./scheduler.types.ts";

/** Holder and duration of an exclusive claim; times are epoch ms of the wall clock, which runners share. */
export interface Lease {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
}

/**
 * Matches rows without a valid lease: none, expired, or so far in the future that the clock was set back since. The tolerance is twice the lease,
 * because a waiting writer read the clock before an earlier one.
 */
export const isFree = ({ now, leaseMs }: Lease) =>
  sql`(lease_until IS NULL OR lease_until <= ${now} OR lease_until > ${now + 2 * leaseMs})`;

export function createJobsRepository(database: MainDatabase, clock: Clock) {
  const { orm } = database;
  const store = jobResource.createStore(database, clock);
  return {
    ...store,
    /** Updates a job, ending its current lease. */
    update: (job: Job, changes: Changes<Job>): Job =>
      store.update(job, { ...changes, leaseOwner: null, leaseUntil: null }),
    /** Claims due jobs without a run in progress, each for one runner. */
    claimDue(lease: Lease, limit: number): Job[] {
      const due = sql`SELECT job_id FROM scheduler_jobs WHERE enabled AND next_run_at <= ${lease.now} AND ${isFree(lease)} AND job_id NOT IN (SELECT job_id FROM scheduler_runs WHERE status = 'RUNNING') ORDER BY next_run_at LIMIT ${limit}`;
      return orm
        .update(schedulerJobs)
        .set({ leaseOwner: lease.owner, leaseUntil: lease.now + lease.leaseMs })
        .where(sql`${schedulerJobs.jobId} IN (${due})`)
        .returning()
        .all();
    },
    /** Sets the next time of a claimed job; false if `owner` no longer holds it, or it was changed. */
    advance: (jobId: string, owner: string, { due, next }: { due: number; next: number | null }): boolean =>
      orm
        .update(schedulerJobs)
        .set({ nextRunAt: next, leaseOwner: null, leaseUntil: null })
        .where(
          and(
            eq(schedulerJobs.jobId, jobId),
            eq(schedulerJobs.leaseOwner, owner),
            eq(schedulerJobs.nextRunAt, due),
          ),
        )
        .returning({ jobId: schedulerJobs.jobId })
        .all().length > 0,
    /** Returns the jobs of all tenants whose next time is after `now`, without their actions, which may be long. */
    listWaiting: (now: number): Omit<Job, "action">[] =>
      orm
        .select(omit(getTableColumns(schedulerJobs), "action"))
        .from(schedulerJobs)
        .where(and(isNotNull(schedulerJobs.nextRunAt), gt(schedulerJobs.nextRunAt, now)))
        .all(),
    /** Returns `false` if the job was changed meanwhile. */
    setNext: (jobId: string, { from, to }: { from: number; to: number }): boolean =>
      orm
        .update(schedulerJobs)
        .set({ nextRunAt: to })
        .where(and(eq(schedulerJobs.jobId, jobId), eq(schedulerJobs.nextRunAt, from)))
        .returning({ jobId: schedulerJobs.jobId })
        .all().length > 0,
    setLast: (jobId: string, { at, status }: { at?: number; status: RunStatus }): void =>
      void orm
        .update(schedulerJobs)
        .set({ ...(at !== undefined && { lastRunAt: at }), lastStatus: status })
        .where(eq(schedulerJobs.jobId, jobId))
        .run(),
  };
}

export type JobsRepository = ReturnType<typeof createJobsRepository>;
