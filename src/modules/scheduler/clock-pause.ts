import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import type { JobsRepository } from "./jobs.repository.ts";
import { nextTime } from "./schedule.ts";

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
export class ClockPause {
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
    log.warn("the clock is not set: scheduled jobs wait until it is");
  }

  /** Returns whether jobs may run. The first time after a pause, it sets the times of jobs that were written during the pause. */
  async isOver(): Promise<boolean> {
    if (this.#earlier === undefined) return true;
    if (!this.#deps.isClockSet()) return false;
    await this.#retime(this.#earlier);
    this.#earlier = undefined;
    this.#deps.log.info("the clock is set: scheduled jobs run again");
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
