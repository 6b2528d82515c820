import type { Logger } from "../core/log.ts";
import type { Clock } from "./clock.ts";

/** Deadlines of unhurried work are multiples of a second, shorter ones of half a second, so that an idle gateway wakes once for all of them. */
const SHARED_WAKE_MS = 1_000;
/** Tolerance (ms) within which a deadline counts as shared: timers fire a little late. */
const LATE_MS = 50;

/** Returns the time (ms) until the first shared wake-up after `ms` (500 or more), less than a second later. */
export function untilSharedWake(clock: Pick<Clock, "monotonic">, ms: number): number {
  const nowMs = clock.monotonic();
  const gridMs = Math.min(ms, SHARED_WAKE_MS);
  return Math.ceil((nowMs + ms - LATE_MS) / gridMs) * gridMs - nowMs;
}

/**
 * Runs `work` every `intervalMs`. A failed run, for example on a full disk, is logged, and the next run follows: `work` must keep unwritten data for
 * it.
 */
export function createPeriodic(deps: { clock: Clock; log: Logger; intervalMs: number; work: () => void }): {
  start(): void;
  stop(): void;
} {
  let cancel: () => void = () => undefined;
  function schedule(): void {
    cancel = deps.clock.schedule(untilSharedWake(deps.clock, deps.intervalMs), () => {
      try {
        deps.work();
      } catch (error) {
        deps.log.warn("write failed, retrying", { error });
      }
      schedule();
    });
  }
  return { start: schedule, stop: () => cancel() };
}
