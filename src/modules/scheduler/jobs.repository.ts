import { and, asc, count, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { schedulerJobs } from "./scheduler.tables.ts";
import type { Job, JobAction, RunStatus, Schedule } from "./scheduler.types.ts";

/**
 * Identifies who takes something to work on, and for how long nobody else may; times are epoch ms of the wall clock, which
 * runners share.
 */
export interface Lease {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
}

type Row = typeof schedulerJobs.$inferSelect;

const toJob = ({ leaseOwner: _, leaseUntil: __, schedule, action, ...row }: Row): Job => ({
  ...row,
  tenantId: row.tenantId as TenantId, // branded when it was written, as is what lies in the texts
  schedule: JSON.parse(schedule) as Schedule,
  action: JSON.parse(action) as JobAction,
});

const toRow = ({ schedule, action, ...job }: Job) => ({
  ...job,
  schedule: JSON.stringify(schedule),
  action: JSON.stringify(action),
  leaseOwner: null,
  leaseUntil: null,
});

/**
 * Nobody's: no lease, one that has run out, or one that reaches so far that the clock was set back since. Twice as far, for whoever
 * waited to write looked at the clock before the one who wrote first.
 */
export const isFree = ({ now, leaseMs }: Lease) =>
  sql`(lease_until IS NULL OR lease_until <= ${now} OR lease_until > ${now + 2 * leaseMs})`;

export function createJobsRepository({ orm }: MainDatabase) {
  const findOne = (...conditions: Parameters<typeof and>) => {
    const row = orm
      .select()
      .from(schedulerJobs)
      .where(and(...conditions))
      .get();
    return row === undefined ? undefined : toJob(row);
  };
  return {
    list: (tenantId: TenantId): Job[] =>
      orm
        .select()
        .from(schedulerJobs)
        .where(eq(schedulerJobs.tenantId, tenantId))
        .orderBy(asc(schedulerJobs.name), asc(schedulerJobs.jobId))
        .all()
        .map(toJob),
    count: (tenantId: TenantId): number =>
      orm.select({ n: count() }).from(schedulerJobs).where(eq(schedulerJobs.tenantId, tenantId)).get()?.n ??
      0,
    find: (tenantId: TenantId, jobId: string): Job | undefined =>
      findOne(eq(schedulerJobs.jobId, jobId), eq(schedulerJobs.tenantId, tenantId)),
    findById: (jobId: string): Job | undefined => findOne(eq(schedulerJobs.jobId, jobId)),
    insert: (job: Job): void => void orm.insert(schedulerJobs).values(toRow(job)).run(),
    /** Whoever looks at it now gives it up. */
    update: (job: Job): void =>
      void orm.update(schedulerJobs).set(toRow(job)).where(eq(schedulerJobs.jobId, job.jobId)).run(),
    delete: (jobId: string): void =>
      void orm.delete(schedulerJobs).where(eq(schedulerJobs.jobId, jobId)).run(),
    /** Takes jobs that are due, each for one runner alone. */
    claimDue(lease: Lease, limit: number): Job[] {
      const due = sql`SELECT job_id FROM scheduler_jobs WHERE enabled AND next_run_at <= ${lease.now} AND ${isFree(lease)} ORDER BY next_run_at LIMIT ${limit}`;
      return orm
        .update(schedulerJobs)
        .set({ leaseOwner: lease.owner, leaseUntil: lease.now + lease.leaseMs })
        .where(sql`${schedulerJobs.jobId} IN (${due})`)
        .returning()
        .all()
        .map(toJob);
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
        .all()
        .map(toJob),
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
