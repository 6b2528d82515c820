import type { StateDuration } from "../telemetry.types.ts";

/** The state times of all intervals of a series as they leave the worker: copying objects would take longer than finding them. */
export interface StateTimes {
  readonly states: readonly (number | string | boolean)[];
  /** Number of each item's state; beyond the states it is the time of all others. */
  readonly picks: Uint8Array;
  readonly ms: Float64Array;
  /** Item behind the last one of each interval. */
  readonly ends: Uint32Array;
}

/** Returns the items of each interval. */
export function durationsOf({ states, picks, ms, ends }: StateTimes): StateDuration[][] {
  let item = 0;
  return Array.from(ends, (end) => {
    const durations: StateDuration[] = [];
    for (; item < end; item++) {
      const value = states[picks[item]!];
      durations.push(value === undefined ? { ms: ms[item]! } : { value, ms: ms[item]! });
    }
    return durations;
  });
}
