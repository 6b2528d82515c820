import { and, count, desc, eq, or, type SQL, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import { contains, containsText } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { isFree, type Lease } from "./jobs.repository.ts";
import { schedulerRuns, schedulerTargets } from "./scheduler.tables.ts";
import type { Run, RunStatus } from "./scheduler.types.ts";

/** Kept runs per job: the newest `KEPT_MAX` younger than `KEPT_MS`, but at least the newest `KEPT_MIN`. */
const KEPT_MAX = 1_000;
const KEPT_MS = 90 * 86_400_000;
const KEPT_MIN = 20;
/** Expired runs deleted with each new one. */
const AGED_PER_STEP = 20;
/** Max. kept results of a job's devices; those of its newest run are always kept. */
const TARGETS_KEPT_MAX = 2_000;

export interface RunFilter {
  /** Devices whose results the caller may see, to which searches are limited. */
  readonly visible: "all" | ReadonlySet<DeviceId>;
  readonly status?: RunStatus | undefined;
  /** Part of the error of a run, or of the name of one of its devices. */
  readonly search?: string | undefined;
}

type Row = typeof schedulerRuns.$inferSelect;

const toRun = (row: Row): Run => omit(row, "leaseOwner", "leaseUntil");

/** Matches runs by their error, which the caller sees only with the results of all devices, and by the names of visible devices. */
function found({ visible, search }: RunFilter): SQL | undefined {
  if (search === undefined) return undefined;
  const isVisible =
    visible === "all"
      ? undefined
      : sql`${schedulerTargets.deviceId} IN (SELECT value FROM json_each(${JSON.stringify([...visible])}))`;
  const isOfRun = and(eq(schedulerTargets.runId, schedulerRuns.runId), isVisible);
  const isErrorVisible =
    visible === "all"
      ? undefined
      : or(
          eq(schedulerRuns.status, "SKIPPED"),
          sql`${schedulerRuns.targetCount} <= (SELECT count(*) FROM ${schedulerTargets} WHERE ${isOfRun})`,
        );
  return or(
    and(containsText(schedulerRuns.error, search), isErrorVisible),
    sql`EXISTS (SELECT 1 FROM ${schedulerTargets} WHERE ${and(isOfRun, contains(schedulerTargets.name, search))})`,
  );
}

export function createRunsRepository({ orm }: MainDatabase) {
  const ofJob = (jobId: string, status?: RunStatus) =>
    and(eq(schedulerRuns.jobId, jobId), status === undefined ? undefined : eq(schedulerRuns.status, status));
  const leased = ({ owner, now, leaseMs }: Lease) => ({ leaseOwner: owner, leaseUntil: now + leaseMs });
  return {
    /** Starts a run within a transaction. Returns `undefined` if the job already had a run for this time. */
    begin(
      run: Omit<Run, "sequence" | "targetCount" | "failedCount" | "attempts">,
      lease: Lease,
    ): Run | undefined {
      // A time that was recorded as missed, and occurs after all because the clock was set back.
      if (run.status === "RUNNING")
        orm
          .delete(schedulerRuns)
          .where(and(ofJob(run.jobId, "SKIPPED"), eq(schedulerRuns.scheduledFor, run.scheduledFor)))
          .run();
      const row = orm
        .insert(schedulerRuns)
        .values({ ...run, attempts: 1, ...(run.status === "RUNNING" && leased(lease)) })
        .onConflictDoNothing()
        .returning()
        .get();
      return row === undefined ? undefined : toRun(row);
    },
    /** Claims abandoned runs, each for one runner. */
    claimAbandoned(lease: Lease, { except, limit }: { except: readonly string[]; limit: number }): Run[] {
      // The plus makes SQLite use the index on the status, not on the order, because few runs are RUNNING.
      const abandoned = sql`SELECT run_id FROM scheduler_runs WHERE status = 'RUNNING' AND ${isFree(lease)} AND run_id NOT IN (SELECT value FROM json_each(${JSON.stringify(except)})) ORDER BY +sequence LIMIT ${limit}`;
      return orm
        .update(schedulerRuns)
        .set({ ...leased(lease), attempts: sql`${schedulerRuns.attempts} + 1` })
        .where(sql`${schedulerRuns.runId} IN (${abandoned})`)
        .returning()
        .all()
        .map(toRun);
    },
    /** Returns `false` if the run was deleted or another runner holds it. */
    renew: (runId: string, lease: Lease): boolean =>
      orm
        .update(schedulerRuns)
        .set(leased(lease))
        .where(and(eq(schedulerRuns.runId, runId), eq(schedulerRuns.leaseOwner, lease.owner)))
        .returning({ runId: schedulerRuns.runId })
        .all().length > 0,
    /** Releases the unfinished runs of `owner` to other runners. */
    release: (owner: string): void =>
      void orm
        .update(schedulerRuns)
        .set({ leaseOwner: null, leaseUntil: null })
        .where(and(eq(schedulerRuns.leaseOwner, owner), eq(schedulerRuns.status, "RUNNING")))
        .run(),
    finish: (
      runId: string,
      owner: string,
      result: Pick<Run, "status" | "error" | "finishedAt" | "targetCount" | "failedCount">,
    ): boolean =>
      orm
        .update(schedulerRuns)
        .set({ ...result, leaseOwner: null, leaseUntil: null })
        .where(and(eq(schedulerRuns.runId, runId), eq(schedulerRuns.leaseOwner, owner)))
        .returning({ runId: schedulerRuns.runId })
        .all().length > 0,
    isRunning: (jobId: string): boolean =>
      orm
        .select({ runId: schedulerRuns.runId })
        .from(schedulerRuns)
        .where(ofJob(jobId, "RUNNING"))
        .limit(1)
        .get() !== undefined,
    find(jobId: string, runId: string): Run | undefined {
      const row = orm
        .select()
        .from(schedulerRuns)
        .where(and(eq(schedulerRuns.jobId, jobId), eq(schedulerRuns.runId, runId)))
        .get();
      return row === undefined ? undefined : toRun(row);
    },
    /** Lists runs, newest first. */
    list: (
      jobId: string,
      { limit, offset, ...filter }: RunFilter & { limit: number; offset: number },
    ): Run[] =>
      orm
        .select()
        .from(schedulerRuns)
        .where(and(ofJob(jobId, filter.status), found(filter)))
        .orderBy(desc(schedulerRuns.sequence))
        .limit(limit)
        .offset(offset)
        .all()
        .map(toRun),
    count: (jobId: string, filter: RunFilter): number =>
      orm
        .select({ n: count() })
        .from(schedulerRuns)
        .where(and(ofJob(jobId, filter.status), found(filter)))
        .get()?.n ?? 0,
    /** Deletes expired runs of a job after its run has ended. */
    prune({ jobId, targetCount }: Pick<Run, "jobId" | "targetCount">, now: number): void {
      const place = (place: number) =>
        sql`(SELECT sequence FROM scheduler_runs WHERE job_id = ${jobId} ORDER BY sequence DESC LIMIT 1 OFFSET ${place})`;
      const oldest = sql`SELECT sequence FROM scheduler_runs WHERE job_id = ${jobId} ORDER BY sequence LIMIT ${AGED_PER_STEP}`;
      orm.run(
        sql`DELETE FROM scheduler_runs WHERE job_id = ${jobId} AND (sequence <= ${place(KEPT_MAX)} OR (sequence IN (${oldest}) AND started_at < ${now - KEPT_MS} AND sequence <= ${place(KEPT_MIN)}))`,
      );
      // With so few targets per run, the kept runs cannot exceed the limit.
      if (targetCount * KEPT_MAX <= TARGETS_KEPT_MAX) return;
      const ranked = sql`SELECT run_id, row_number() OVER newest AS place, sum(target_count) OVER newest AS targets FROM scheduler_runs WHERE job_id = ${jobId} WINDOW newest AS (ORDER BY sequence DESC)`;
      orm.run(
        sql`DELETE FROM scheduler_targets WHERE run_id IN (SELECT run_id FROM (${ranked}) WHERE place > 1 AND targets > ${TARGETS_KEPT_MAX})`,
      );
    },
  };
}

export type RunsRepository = ReturnType<typeof createRunsRepository>;
