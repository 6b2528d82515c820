import type { Clock } from "../../platform/clock.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { MaintenanceWatch } from "../maintenance/maintenance-watch.ts";
import type { AlarmRule } from "./alarm-rule.ts";

/**
 * For how long a rule may raise nothing for a device, in ms; 0: it may. What it finds meanwhile is held back, and raised when the time
 * is over if it still holds then.
 */
export type HoldBack = (device: IngestDevice, rule: AlarmRule) => number;

export const createHoldBack =
  (deps: { maintenance: Pick<MaintenanceWatch, "remainingMs">; clock: Clock }): HoldBack =>
  (device, { schedule }) => {
    const mutedMs = deps.maintenance.remainingMs(device);
    if (schedule === undefined) return mutedMs;
    const at = deps.clock.now();
    return schedule.isOpen(at) ? mutedMs : Math.max(mutedMs, schedule.staysMs(at));
  };

const LOOK_MS = 15_000;
const JUMP_MS = 1_000;

/** Tells when the wall clock was set: times of day, and ends of maintenance, come sooner or later then. */
export function createJumpWatch(clock: Clock, onJump: () => void): { start(): void; stop(): void } {
  const driftOf = () => clock.now() - clock.monotonic();
  let cancel: () => void = () => undefined;
  let known = driftOf();
  function look(): void {
    const drift = driftOf();
    if (Math.abs(drift - known) >= JUMP_MS) onJump();
    known = drift;
    cancel = clock.schedule(LOOK_MS, look);
  }
  return {
    start() {
      known = driftOf();
      cancel = clock.schedule(LOOK_MS, look);
    },
    stop: () => cancel(),
  };
}
