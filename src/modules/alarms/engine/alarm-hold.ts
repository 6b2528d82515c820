import type { Clock } from "../../../platform/time/clock.ts";
import type { IngestDevice } from "../../ingest/ingest.types.ts";
import type { MaintenanceWatch } from "../../maintenance/maintenance-watch.ts";
import type { AlarmRule } from "../rules/alarm-rule.ts";

/**
 * Returns for how long a rule must not raise alarms for a device, in ms; 0 if it may. Alarms found meanwhile are suppressed, and raised afterwards
 * if they still hold.
 */
export type HoldBack = (device: IngestDevice, rule: AlarmRule) => number;

export const createHoldBack =
  (deps: { maintenance: Pick<MaintenanceWatch, "remainingMs">; clock: Clock }): HoldBack =>
  (device, { schedule }) => {
    const mutedMs = deps.maintenance.remainingMs(device);
    if (schedule === undefined) return mutedMs;
    const timeMs = deps.clock.now();
    return schedule.isOpen(timeMs) ? mutedMs : Math.max(mutedMs, schedule.staysMs(timeMs));
  };

const POLL_MS = 15_000;
const JUMP_MS = 1_000;

/** Creates a watch that reports when the wall clock was set, because times of day and ends of maintenance then move. */
export function createJumpWatch(clock: Clock, onJump: () => void): { start(): void; stop(): void } {
  const driftOf = () => clock.now() - clock.monotonic();
  let cancel: () => void = () => undefined;
  let existing = driftOf();
  function poll(): void {
    const drift = driftOf();
    if (Math.abs(drift - existing) >= JUMP_MS) onJump();
    existing = drift;
    cancel = clock.schedule(POLL_MS, poll);
  }
  return {
    start() {
      existing = driftOf();
      cancel = clock.schedule(POLL_MS, poll);
    },
    stop: () => cancel(),
  };
}
