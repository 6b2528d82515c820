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

const JOBS_AT_ONCE = 50;
/** Every next time of a job is after it. */
const BEFORE_ALL_TIMES = -1;

interface ClockPauseDeps {
  readonly jobs: Pick<JobsRepository, "listWaiting" | "setNext">;
  readonly isClockSet: () => boolean;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
}

/**
 * Keeps jobs waiting while the clock of the gateway is not set: nobody knows then which of their times have passed. Once it is set, jobs
 * of earlier runs follow their rule for missed times. Jobs that were written in the meantime get their next time by the right clock.
 */
class ClockPause {
  readonly #deps: ClockPauseDeps;
  /** Time of the last change of each job that is older than the pause; undefined while there is no pause. */
  #earlier: ReadonlyMap<string, number> | undefined;

  constructor(deps: ClockPauseDeps) {
    this.#deps = deps;
  }

  /** Begins a pause if the clock is not set. */
  begin(): void {
    const { jobs, isClockSet, log } = this.#deps;
    this.#earlier = undefined;
    if (isClockSet()) return;
    this.#earlier = new Map(
      jobs.listWaiting(BEFORE_ALL_TIMES).map(({ jobId, updatedAt }) => [jobId, updatedAt]),
    );
    log.warn("clock not set, scheduled jobs wait");
  }

  /** Returns whether jobs may run. The first time after a pause, it sets the times of jobs that were written during the pause. */
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
      if (index % JOBS_AT_ONCE === JOBS_AT_ONCE - 1) await setImmediate();
    }
  }
}

/** Longest delay of a run: longer than the 15 s between two checks, and than a restart takes. */
export const GRACE_MS = 60_000;
/** Missed times are counted up to here: a minutely job behind a clock that jumps by decades has millions. */
const MISSED_MAX = 20;

interface Plan {
  readonly scheduledFor: number;
  /** Begins a run, or notes that there was none. */
  readonly runs: boolean;
  /** Times that passed without a run; `MISSED_MAX` and more are not told apart. */
  readonly missed: number;
  /** `undefined` if the job is completed. */
  readonly next: number | undefined;
}

/**
 * Plans the next step of a job that is due. Times that passed unseen, for the gateway was off or its clock was set,
 * never run one by one: the job's rule makes one run of them (`once`) or none (`skip`). A time that is late by no more than the
 * grace simply runs.
 */
function planRun({ schedule, misfire }: Job, due: number, now: number): Plan {
  if (now - due <= GRACE_MS)
    return { scheduledFor: due, runs: true, missed: 0, next: nextTime(schedule, due) };
  const latest = latestTime(schedule, due, now);
  const isOnTime = latest > due && now - latest <= GRACE_MS;
  const before = countTimes(schedule, due, latest);
  if (misfire === "once")
    return { scheduledFor: latest, runs: true, missed: before, next: nextTime(schedule, now) };
  // The latest time is left for the next look where it is still in time.
  return isOnTime
    ? { scheduledFor: due, runs: false, missed: before, next: latest }
    : {
        scheduledFor: due,
        runs: false,
        missed: Math.min(before + 1, MISSED_MAX),
        next: nextTime(schedule, now),
      };
}

/** Times of a schedule from `from`, itself one, that lie before `until`. */
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
const CLAIMED_AT_ONCE = 50;
/** Jobs whose times are reckoned between two looks at whatever else the program has to do. */
const BEGUN_AT_ONCE = 5;
/** Longest delay of the rest of a run: longer than any restart takes. */
const BROKEN_OFF_MS_MAX = 15 * 60_000;
/** A run that ends the program each time must not do so for ever. */
const ATTEMPTS_MAX = 5;
/** Wall and steady time drift apart by less than this in a check. */
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
  /** Resolves once everything written so far is on the disk. */
  readonly durable: () => Promise<void>;
  readonly onFinished: (finished: FinishedRun) => void;
  /** Called when times of a job have passed without a run. */
  readonly onMissed: (job: Job, reason: Text) => void;
  readonly clock: Clock;
  /** Returns whether the time is known; jobs wait until it is. */
  readonly isClockSet: () => boolean;
  readonly log: Logger;
}

/**
 * Looks every 15 s for jobs that are due and runs them. Several runners may share one database: each job is taken by one of them, each
 * run is begun once for its job and time, and what a runner leaves behind when it dies is taken up by the next, target by target. Tenants do not
 * wait for each other's runs. A job is due again when its run has ended, so no more than one run of each job waits.
 */
export class JobRunner {
  readonly #deps: RunnerDeps;
  readonly #actions: RunActions;
  readonly #pause: ClockPause;
  readonly #owner: string = newId();
  /** Runs that this runner works on now, by id. */
  readonly #held = new Set<string>();
  /** Those whose turn has come, by id. */
  readonly #begun = new Set<string>();
  readonly #working = new Set<Promise<void>>();
  /** By tenant. */
  readonly #lanes = new Lanes(TENANT_RUNS_MAX);
  #cancel: () => void = () => undefined;
  /** Resolves to the runs that the current look begins. */
  #checking: Promise<Promise<void>[]> | undefined;
  #isStopping = false;
  /** Both clocks as they were at the last look; undefined before the first. */
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

  /** Resolves when nothing is in progress; what was not finished is left for the next runner. */
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

  /** Checks once for due jobs; resolves when all of them have run. Further checks may begin before. */
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

  /** Begins a run immediately, in addition to the job's own times. @throws DomainError `job.running` */
  runNow(job: Job): Run {
    const { runs, transact, clock } = this.#deps;
    let run: Run | undefined;
    transact(() => {
      if (runs.isRunning(job.jobId)) throw alreadyRunning();
      // The very millisecond may be taken by a run of the schedule.
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

  /** Adds the runs that it begins to `works`. */
  async #check(works: Promise<void>[]): Promise<void> {
    if (!(await this.#pause.isOver())) return;
    if (this.#wasSetBack()) await this.#bringForward();
    while (!this.#isStopping) {
      const begun = await this.#claim();
      if (begun === undefined) return;
      for (const { job, run } of begun) works.push(this.#work(job, run));
    }
  }

  /** Runs to be worked on, those that somebody left first; undefined when nothing is left to claim. */
  async #claim(): Promise<Array<{ job: Job; run: Run }> | undefined> {
    const { jobs, runs } = this.#deps;
    const left = runs.claimAbandoned(this.#lease, { except: [...this.#held], limit: CLAIMED_AT_ONCE });
    const due = jobs.claimDue(this.#lease, CLAIMED_AT_ONCE);
    if (left.length + due.length === 0) return undefined;
    const begun = left.flatMap((run) => this.#takeUp(run));
    for (const [index, job] of due.entries()) {
      begun.push(...this.#beginDue(job));
      if (index % BEGUN_AT_ONCE === BEGUN_AT_ONCE - 1) await setImmediate();
    }
    return begun;
  }

  /** Returns `true` at the first look too: nobody knows what the clock did while nothing ran. */
  #wasSetBack(): boolean {
    const seen = this.#seen;
    const wall = this.#deps.clock.now();
    const steady = this.#deps.clock.monotonic();
    this.#seen = { wall, steady };
    return seen === undefined || wall - seen.wall < steady - seen.steady - SET_BACK_MS;
  }

  /** Next times that were reckoned while the clock was ahead may lie decades away: none may be later than the schedule says now. */
  async #bringForward(): Promise<void> {
    const { jobs, clock, log } = this.#deps;
    const now = clock.now();
    for (const [index, job] of jobs.listWaiting(now).entries()) {
      const next = nextTime(job.schedule, now);
      if (job.nextRunAt !== null && next !== undefined && next < job.nextRunAt) {
        jobs.setNext(job.jobId, { from: job.nextRunAt, to: next });
        log.info("clock set back, job runs earlier", { jobId: job.jobId, name: job.name });
      }
      if (index % CLAIMED_AT_ONCE === CLAIMED_AT_ONCE - 1) await setImmediate();
    }
  }

  #takeUp(run: Run): Array<{ job: Job; run: Run }> {
    const job = this.#deps.jobs.findAcrossTenants(run.jobId);
    if (job === undefined) return [];
    this.#held.add(run.runId);
    return [{ job, run }];
  }

  /** Settles one due time of a claimed job: the run and the job's next time stand together or not at all. */
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
      log.error("starting a job failed", { jobId: job.jobId, error }); // its lease runs out, then it is tried again
    }
    return begun === undefined ? [] : [{ job, run: begun }];
  }

  /** Returns `undefined` if the job has had a run for this time. */
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

  /** Runs when the tenant's turn comes. Resolves when the run has ended, or is left to another runner. */
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
      // What is not written (a full disk, say) is done again when the lease has run out.
      this.#deps.log.error("finishing a run failed", { jobId: job.jobId, runId: run.runId, error });
    } finally {
      this.#held.delete(run.runId);
      this.#begun.delete(run.runId);
    }
  }

  /** A run that was broken off follows the job's rule, too: valves are not opened days late, unless somebody wants that. */
  #optionsOf({ misfire }: Job, run: Run): Parameters<RunActions["onAll"]>[2] {
    const lateMs = this.#deps.clock.now() - run.scheduledFor;
    const isTooLate = misfire === "skip" && run.attempts > 1 && lateMs > BROKEN_OFF_MS_MAX;
    return {
      mayGoOn: () => this.#mayGoOn(run),
      ...(isTooLate && { tooLate: detail("run_result.too_late") }),
    };
  }

  /** Returns `false` if it is not this runner's to finish: the job is gone, or somebody else goes on with the run. */
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
      runs.prune({ jobId: job.jobId, targetCount: total }, clock.now());
    });
    if (isOurs) this.#deps.onFinished({ tenantId: job.tenantId, job, run: { ...run, ...result } });
  }
}
