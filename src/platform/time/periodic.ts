import type { Logger } from "../core/log.ts";
import type { Clock } from "./clock.ts";

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
    cancel = deps.clock.schedule(deps.intervalMs, () => {
      try {
        deps.work();
      } catch (error) {
        deps.log.warn("could not be written and is retried", { error });
      }
      schedule();
    });
  }
  return { start: schedule, stop: () => cancel() };
}
