import { and, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Changes } from "../../platform/database/resource-store.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type Job, jobResource } from "./scheduler.resource.ts";
import { schedulerJobs } from "./scheduler.tables.ts";
import type { RunStatus } from "./scheduler.types.ts";

/**
 * Identifies who takes something to work on, and for how long nobody else may; times are epoch ms of the wall clock, which
 * runners share.
 */
export interface Lease {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
}

/**
 * Nobody's: no lease, one that has run out, or one that reaches so far that the clock was set back since. Twice as far, for whoever
 * waited to write looked at the clock before the one who wrote first.
 */
export const isFree = ({ now, leaseMs }: Lease) =>
  sql`(lease_until IS NULL OR lease_until <= ${now} OR lease_until > ${now + 2 * leaseMs})`;

export function createJobsRepository(database: MainDatabase, clock: Clock) {
  const { orm } = database;
  const store = jobResource.createStore(database, clock);
  return {
    ...store,
    /** Whoever looks at it now gives it up. */
    update: (job: Job, changes: Changes<Job>): Job =>
      store.update(job, { ...changes, leaseOwner: null, leaseUntil: null }),
    /** Takes jobs that are due and of which no run is in progress, each for one runner alone. */
    claimDue(lease: Lease, limit: number): Job[] {
      const due = sql`SELECT job_id FROM scheduler_jobs WHERE enabled AND next_run_at <= ${lease.now} AND ${isFree(lease)} AND job_id NOT IN (SELECT job_id FROM scheduler_runs WHERE status = 'RUNNING') ORDER BY next_run_at LIMIT ${limit}`;
      return orm
        .update(schedulerJobs)
        .set({ leaseOwner: lease.owner, leaseUntil: lease.now + lease.leaseMs })
        .where(sql`${schedulerJobs.jobId} IN (${due})`)
        .returning()
        .all();
    },
    /** Sets the next time of a claimed job; false when it is not claimed by `owner` any more, or was changed. */
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
    /** Returns those whose next time is after `now`. */
    listWaiting: (now: number): Job[] =>
      orm
        .select()
        .from(schedulerJobs)
        .where(and(isNotNull(schedulerJobs.nextRunAt), gt(schedulerJobs.nextRunAt, now)))
        .all(),
    /** Returns `false` if it was changed since. */
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
