import type { Logger } from "../core/log.ts";
import type { Clock } from "./clock.ts";

/** Deadlines of unhurried work fall on multiples of a second, shorter ones of half a second: a gateway at rest wakes once for all of it. */
const SHARED_WAKE_MS = 1_000;
/** A deadline this long (ms) after a shared one is taken for it: timers fire a little late. */
const LATE_MS = 50;

/** Time (ms) until the shared wake-up that comes first after `ms` (500 or more): less than a second later. */
export function untilSharedWake(clock: Pick<Clock, "monotonic">, ms: number): number {
  const nowMs = clock.monotonic();
  const gridMs = Math.min(ms, SHARED_WAKE_MS);
  return Math.ceil((nowMs + ms - LATE_MS) / gridMs) * gridMs - nowMs;
}

/**
 * Runs `work` every `intervalMs`. A run that fails (a full disk, say) is logged and the next one comes all the same: what
 * `work` could not write it must keep for then.
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
