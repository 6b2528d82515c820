import { detail } from "../../lib/domain-error.ts";
import { iso } from "../../lib/iso-time.ts";
import type { Text } from "../../lib/texts/text.ts";
import { latestTime, nextTime } from "./schedule.ts";
import type { Job } from "./scheduler.resource.ts";
import type { Schedule } from "./scheduler.types.ts";

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
export function planRun({ schedule, misfire }: Job, due: number, now: number): Plan {
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

export function describeMissed({ scheduledFor, missed }: Plan): Text {
  if (missed === 1) return detail("run_result.missed_one");
  const from = iso(scheduledFor);
  return missed >= MISSED_MAX
    ? detail("run_result.missed_at_least", { count: MISSED_MAX, from })
    : detail("run_result.missed", { count: missed, from });
}
