import { setImmediate } from "node:timers/promises";
import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { newId } from "../../platform/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Perform } from "./job-actions.ts";
import type { JobsRepository, Lease } from "./jobs.repository.ts";
import { RunActions } from "./run-actions.ts";
import type { RunsRepository } from "./runs.repository.ts";
import { latestTime, nextTime } from "./schedule.ts";
import { alreadyRunning } from "./scheduler.errors.ts";
import type { Job } from "./scheduler.resource.ts";
import { type Run, type Schedule, TENANT_RUNS_MAX } from "./scheduler.types.ts";
import type { TargetsRepository } from "./targets.repository.ts";

const JOBS_PER_STEP = 50;
/** Sentinel that sorts before every job time. */
const BEFORE_ALL_TIMES = -1;

interface ClockPauseDeps {
  readonly jobs: Pick<JobsRepository, "listWaiting" | "setNext">;
  readonly isClockSet: () => boolean;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
}

/**
 * Suspends jobs while the gateway's clock is not set, because missed times are then unknown. Once it is set, jobs of earlier runs follow their rule
 * for missed times. Jobs written in the meantime get their next time by the right clock.
 */
class ClockPause {
  readonly #deps: ClockPauseDeps;
  /** Last change of each job that predates the pause; undefined while there is no pause. */
  #earlier: ReadonlyMap<string, number> | undefined;

  constructor(deps: ClockPauseDeps) {
    this.#deps = deps;
  }

  /** Starts a pause if the clock is not set. */
  begin(): void {
    const { jobs, isClockSet, log } = this.#deps;
    this.#earlier = undefined;
    if (isClockSet()) return;
    this.#earlier = new Map(
      jobs.listWaiting(BEFORE_ALL_TIMES).map(({ jobId, updatedAt }) => [jobId, updatedAt]),
    );
    log.warn("clock not set, scheduled jobs wait");
  }

  /** Returns whether jobs may run. After a pause, the first call sets the times of jobs written during it. */
  async isOver(): Promise<boolean> {
    if (this.#earlier === undefined) return true;
    if (!this.#deps.isClockSet()) return false;
    await this.#retime(this.#earlier);
    this.#earlier = undefined;
    this.#deps.log.info("clock set, scheduled jobs run again");
    return true;
  }

  async #retime(earlier: ReadonlyMap<string, number>): Promise<void> {
    const { jobs, clock } = this.#deps;
    const now = clock.now();
    const written = jobs
      .listWaiting(BEFORE_ALL_TIMES)
      .filter(({ jobId, updatedAt }) => earlier.get(jobId) !== updatedAt);
    for (const [index, { jobId, schedule, nextRunAt }] of written.entries()) {
      const next = nextTime(schedule, now);
      if (nextRunAt !== null && next !== undefined) jobs.setNext(jobId, { from: nextRunAt, to: next });
      if (index % JOBS_PER_STEP === JOBS_PER_STEP - 1) await setImmediate();
    }
  }
}

/** Max. delay of a run in ms; longer than the 15 s between two checks, and than a restart. */
export const GRACE_MS = 60_000;
/** Max. counted missed times: a minutely job has millions after a clock jump by decades. */
const MISSED_MAX = 20;

interface Plan {
  readonly scheduledFor: number;
  /** True to start a run, false to record that there was none. */
  readonly runs: boolean;
  /** Number of missed times, counted up to `MISSED_MAX`. */
  readonly missed: number;
  /** `undefined` if the job is completed. */
  readonly next: number | undefined;
}

/**
 * Plans the next step of a due job. Missed times (gateway off, or clock set) never run one by one: the job's rule makes one run of them (`once`) or
 * none (`skip`). A time within the grace period runs normally.
 */
function planRun({ schedule, misfire }: Job, due: number, now: number): Plan {
  if (now - due <= GRACE_MS)
    return { scheduledFor: due, runs: true, missed: 0, next: nextTime(schedule, due) };
  const latest = latestTime(schedule, due, now);
  const isOnTime = latest > due && now - latest <= GRACE_MS;
  const before = countTimes(schedule, due, latest);
  if (misfire === "once")
    return { scheduledFor: latest, runs: true, missed: before, next: nextTime(schedule, now) };
  // The latest time is left for the next check if it is still on time.
  return isOnTime
    ? { scheduledFor: due, runs: false, missed: before, next: latest }
    : {
        scheduledFor: due,
        runs: false,
        missed: Math.min(before + 1, MISSED_MAX),
        next: nextTime(schedule, now),
      };
}

/** Counts the times of a schedule from `from` (itself a time) before `until`. */
function countTimes(schedule: Schedule, from: number, until: number): number {
  let count = 0;
  for (let time: number | undefined = from; time !== undefined && time < until && count < MISSED_MAX; count++)
    time = nextTime(schedule, time);
  return count;
}

function describeMissed({ scheduledFor, missed }: Plan): Text {
  if (missed === 1) return detail("run_result.missed_one");
  const from = iso(scheduledFor);
  return missed >= MISSED_MAX
    ? detail("run_result.missed_at_least", { count: MISSED_MAX, from })
    : detail("run_result.missed", { count: missed, from });
}

export const CHECK_EVERY_MS = 15_000;
/** Time after which the runs of a dead runner are taken over. */
export const LEASE_MS = 60_000;
const CLAIMED_PER_STEP = 50;
/** Jobs whose times are computed before other work runs. */
const BEGUN_PER_STEP = 5;
/** Max. delay in ms for the rest of an interrupted run; longer than any restart. */
const BROKEN_OFF_MS_MAX = 15 * 60_000;
/** Max. attempts, so that a run that crashes the program is not repeated forever. */
const ATTEMPTS_MAX = 5;
/** Tolerated drift between wall and monotonic time per check, in ms. */
const SET_BACK_MS = 1_000;

export interface FinishedRun {
  readonly tenantId: TenantId;
  readonly job: Job;
  readonly run: Run;
}

interface RunnerDeps {
  readonly jobs: JobsRepository;
  readonly runs: RunsRepository;
  readonly targets: TargetsRepository;
  readonly perform: Perform;
  readonly transact: (work: () => void) => void;
  /** Resolves once all writes so far are on disk. */
  readonly durable: () => Promise<void>;
  readonly onFinished: (finished: FinishedRun) => void;
  /** Called when a job has missed times. */
  readonly onMissed: (job: Job, reason: Text) => void;
  readonly clock: Clock;
  /** Returns whether the clock is set; jobs wait until it is. */
  readonly isClockSet: () => boolean;
  /** Returns the time against which the age of runs is measured, in epoch ms. */
  readonly retentionTime: () => number;
  readonly log: Logger;
}

/**
 * Checks every 15 s for due jobs and runs them. Several runners may share one database: each job is claimed by one of them, each run starts once per
 * job and time, and runs of a dead runner are resumed by another, target by target. Tenants do not wait for each other's runs. A job is due again
 * only when its run has ended, so at most one run per job waits.
 */
export class JobRunner {
  readonly #deps: RunnerDeps;
  readonly #actions: RunActions;
  readonly #pause: ClockPause;
  readonly #owner: string = newId();
  /** Runs in progress on this runner, by id. */
  readonly #held = new Set<string>();
  /** Started runs, by id. */
  readonly #begun = new Set<string>();
  readonly #working = new Set<Promise<void>>();
  /** Queues by tenant. */
  readonly #lanes = new Lanes(TENANT_RUNS_MAX);
  #cancel: () => void = () => undefined;
  /** Resolves to the runs that the current check starts. */
  #checking: Promise<Promise<void>[]> | undefined;
  #isStopping = false;
  /** Both clocks at the last check; undefined before the first. */
  #seen: { wall: number; steady: number } | undefined;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#actions = new RunActions(deps);
    this.#pause = new ClockPause(deps);
  }

  start(): void {
    this.#isStopping = false;
    this.#seen = undefined;
    this.#pause.begin();
    this.#tick();
  }

  /** Resolves when no work is in progress; unfinished runs are left to the next runner. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancel();
    await this.#checking;
    await Promise.all(this.#working);
    try {
      this.#deps.runs.release(this.#owner);
    } catch (error) {
      this.#deps.log.warn("runs could not be released", { error });
    }
  }

  /** Checks once for due jobs; resolves when all have run. Further checks may start earlier. */
  async check(): Promise<void> {
    const works: Promise<void>[] = [];
    this.#checking ??= this.#check(works)
      .catch((error) => this.#deps.log.error("due jobs could not be read", { error }))
      .then(() => works)
      .finally(() => {
        this.#checking = undefined;
      });
    await Promise.all(await this.#checking);
  }

  /** Starts a run immediately, in addition to the job's schedule. @throws DomainError `job.running` */
  runNow(job: Job): Run {
    const { runs, transact, clock } = this.#deps;
    let run: Run | undefined;
    transact(() => {
      if (runs.isRunning(job.jobId)) throw alreadyRunning();
      // A scheduled run may already have this millisecond.
      for (let timeMs = clock.now(); run === undefined; timeMs++)
        run = this.#begin(job, { at: timeMs, trigger: "MANUAL" });
    });
    if (run === undefined) throw alreadyRunning();
    void this.#work(job, run);
    return run;
  }

  /** Returns whether a run waits for other runs of its tenant. */
  isWaiting({ runId }: Run, tenantId: TenantId): boolean {
    return this.#held.has(runId) && !this.#begun.has(runId) && this.#lanes.isFull(tenantId);
  }

  #tick(): void {
    this.#cancel = this.#deps.clock.schedule(CHECK_EVERY_MS, () => this.#tick());
    void this.check();
  }

  get #lease(): Lease {
    return { owner: this.#owner, now: this.#deps.clock.now(), leaseMs: LEASE_MS };
  }

  /** Adds the started runs to `works`. */
  async #check(works: Promise<void>[]): Promise<void> {
    if (!(await this.#pause.isOver())) return;
    if (this.#wasSetBack()) await this.#bringForward();
    while (!this.#isStopping) {
      const begun = await this.#claim();
      if (begun === undefined) return;
      for (const { job, run } of begun) works.push(this.#work(job, run));
    }
  }

  /** Returns runs to work on, abandoned runs first; undefined if there are none to claim. */
  async #claim(): Promise<Array<{ job: Job; run: Run }> | undefined> {
    const { jobs, runs } = this.#deps;
    const left = runs.claimAbandoned(this.#lease, { except: [...this.#held], limit: CLAIMED_PER_STEP });
    const due = jobs.claimDue(this.#lease, CLAIMED_PER_STEP);
    if (left.length + due.length === 0) return undefined;
    const begun = left.flatMap((run) => this.#takeUp(run));
    for (const [index, job] of due.entries()) {
      begun.push(...this.#beginDue(job));
      if (index % BEGUN_PER_STEP === BEGUN_PER_STEP - 1) await setImmediate();
    }
    return begun;
  }

  /** Returns whether the clock was set back; `true` also at the first check, because it may have been set while nothing ran. */
  #wasSetBack(): boolean {
    const seen = this.#seen;
    const wall = this.#deps.clock.now();
    const steady = this.#deps.clock.monotonic();
    this.#seen = { wall, steady };
    return seen === undefined || wall - seen.wall < steady - seen.steady - SET_BACK_MS;
  }

  /** Brings next times forward to those that the schedule yields now: times computed while the clock was ahead may be decades away. */
  async #bringForward(): Promise<void> {
    const { jobs, clock, log } = this.#deps;
    const now = clock.now();
    for (const [index, job] of jobs.listWaiting(now).entries()) {
      const next = nextTime(job.schedule, now);
      if (job.nextRunAt !== null && next !== undefined && next < job.nextRunAt) {
        jobs.setNext(job.jobId, { from: job.nextRunAt, to: next });
        log.info("clock set back, job runs earlier", { jobId: job.jobId, name: job.name });
      }
      if (index % CLAIMED_PER_STEP === CLAIMED_PER_STEP - 1) await setImmediate();
    }
  }

  #takeUp(run: Run): Array<{ job: Job; run: Run }> {
    const job = this.#deps.jobs.findAcrossTenants(run.jobId);
    if (job === undefined) return [];
    this.#held.add(run.runId);
    return [{ job, run }];
  }

  /** Settles one due time of a claimed job: the run and the job's next time are written together. */
  #beginDue(job: Job): Array<{ job: Job; run: Run }> {
    const { jobs, transact, onMissed, clock, log } = this.#deps;
    if (job.nextRunAt === null) return [];
    const due = job.nextRunAt;
    let begun: Run | undefined;
    try {
      const plan = planRun(job, due, clock.now());
      transact(() => {
        if (!jobs.advance(job.jobId, this.#owner, { due, next: plan.next ?? null })) return;
        const { scheduledFor: timeMs, missed } = plan;
        if (plan.runs) begun = this.#begin(job, { at: timeMs, missed, trigger: "SCHEDULE" });
        else this.#begin(job, { at: timeMs, missed, trigger: "SCHEDULE", skipped: describeMissed(plan) });
      });
      if (!plan.runs) {
        jobs.setLast(job.jobId, { status: "SKIPPED" });
        onMissed(job, describeMissed(plan));
        log.warn("job not run in time", { jobId: job.jobId, name: job.name, missed: plan.missed });
      }
    } catch (error) {
      log.error("starting a job failed", { jobId: job.jobId, error }); // it is retried when its lease expires
    }
    return begun === undefined ? [] : [{ job, run: begun }];
  }

  /** Returns `undefined` if the job already had a run for this time. */
  #begin(
    { jobId }: Job,
    input: { at: number; trigger: Run["trigger"]; missed?: number; skipped?: Text },
  ): Run | undefined {
    const lease = this.#lease;
    const isSkipped = input.skipped !== undefined;
    const run = this.#deps.runs.begin(
      {
        runId: newId(),
        jobId,
        scheduledFor: input.at,
        trigger: input.trigger,
        startedAt: lease.now,
        finishedAt: isSkipped ? lease.now : null,
        status: isSkipped ? "SKIPPED" : "RUNNING",
        error: input.skipped ?? null,
        missed: input.missed ?? 0,
      },
      lease,
    );
    if (run !== undefined && !isSkipped) this.#held.add(run.runId);
    return run;
  }

  /** Runs when it is the tenant's turn. Resolves when the run has ended, or is left to another runner. */
  #work(job: Job, run: Run): Promise<void> {
    const work = this.#deps
      .durable()
      .then(() => this.#lanes.run(job.tenantId, () => this.#execute(job, run)));
    const settled = work.catch((error) => {
      this.#held.delete(run.runId);
      this.#deps.log.error("starting a run failed", { jobId: job.jobId, error });
    });
    this.#working.add(settled);
    return settled.finally(() => this.#working.delete(settled));
  }

  async #execute(job: Job, run: Run): Promise<void> {
    this.#begun.add(run.runId);
    try {
      if (this.#isStopping) return;
      if (run.attempts > ATTEMPTS_MAX)
        this.#finish(job, run, detail("run_result.never_ended", { count: ATTEMPTS_MAX }));
      else if (await this.#actions.onAll(job, run, this.#optionsOf(job, run))) this.#finish(job, run);
    } catch (error) {
      // If it cannot be written, for example to a full disk, it is retried when the lease expires.
      this.#deps.log.error("finishing a run failed", { jobId: job.jobId, runId: run.runId, error });
    } finally {
      this.#held.delete(run.runId);
      this.#begun.delete(run.runId);
    }
  }

  /** Applies the job's rule to an interrupted run, so that, for example, valves are not opened days late unless requested. */
  #optionsOf({ misfire }: Job, run: Run): Parameters<RunActions["onAll"]>[2] {
    const lateMs = this.#deps.clock.now() - run.scheduledFor;
    const isTooLate = misfire === "skip" && run.attempts > 1 && lateMs > BROKEN_OFF_MS_MAX;
    return {
      mayGoOn: () => this.#mayGoOn(run),
      ...(isTooLate && { tooLate: detail("run_result.too_late") }),
    };
  }

  /** Returns `false` if the job was deleted, or another runner continues the run. */
  #mayGoOn({ runId }: Run): boolean {
    return !this.#isStopping && this.#deps.runs.renew(runId, this.#lease);
  }

  #finish(job: Job, run: Run, failure?: Text): void {
    const { jobs, runs, targets, transact, clock } = this.#deps;
    const { total, failed } = targets.count(run.runId, { visible: "all" });
    const { status, error } =
      failure === undefined
        ? this.#actions.resultOf(job, run, { total, failed })
        : { status: "FAILED" as const, error: failure };
    const result = { status, error, finishedAt: clock.now(), targetCount: total, failedCount: failed };
    let isOurs = false;
    transact(() => {
      isOurs = runs.finish(run.runId, this.#owner, result);
      if (!isOurs) return;
      jobs.setLast(job.jobId, { at: run.startedAt, status });
      runs.prune({ jobId: job.jobId, targetCount: total }, this.#deps.retentionTime());
    });
    if (isOurs) this.#deps.onFinished({ tenantId: job.tenantId, job, run: { ...run, ...result } });
  }
}
