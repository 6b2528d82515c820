import type { StateDuration } from "../../telemetry.types.ts";

/** State times of all intervals of a series as sent by the worker; copying objects would take longer than computing them. */
export interface StateTimes {
  readonly states: readonly (number | string | boolean)[];
  /** Number of each item's state; a number beyond the states means any other value. */
  readonly picks: Uint8Array;
  readonly ms: Float64Array;
  /** Per interval, the index after its last item. */
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
