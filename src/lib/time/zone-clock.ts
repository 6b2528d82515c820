import { DAY_MS } from "../core/units.ts";
import { zoneOffset } from "./calendar-interval.ts";

/** Clock changes are at quarters of an hour, so the offset is constant within each. */
const QUARTER_MS = 900_000;

/** Moments at which a wall clock shows a time: none within the gap in spring, two in the repeated hour in autumn. */
export type Moments =
  | { readonly first: number; readonly last: number }
  /** The clock skips the time. The gap ends at `end`. */
  | { readonly end: number };

/** Wall clock of a time zone. @throws RangeError for an unknown zone */
export class ZoneClock {
  readonly #offset: (ts: number) => number;
  /** Start of the most recent quarter of an hour on the wall clock, with its offset if it occurs exactly once. */
  #quarter = Number.NaN;
  #shift: number | undefined;

  constructor(timezone: string) {
    this.#offset = zoneOffset(timezone);
  }

  /** Returns the moment at which the clock shows `wall` if there is exactly one. Fast for successive times. */
  only(wall: number): number | undefined {
    const quarter = Math.floor(wall / QUARTER_MS) * QUARTER_MS;
    if (quarter !== this.#quarter) {
      this.#quarter = quarter;
      const start = this.#shiftOf(quarter);
      this.#shift = start === this.#shiftOf(quarter + QUARTER_MS - 1) ? start : undefined;
    }
    if (this.#shift !== undefined) return wall - this.#shift;
    const shift = this.#shiftOf(wall);
    return shift === undefined ? undefined : wall - shift;
  }

  /** Returns the moments at which the clock shows `wall`. */
  moments(wall: number): Moments {
    const only = this.only(wall);
    if (only !== undefined) return { first: only, last: only };
    const [early, late] = this.#bounds(wall);
    if (this.#shows(early, wall)) return { first: early, last: late };
    let before = early;
    let end = late;
    while (end - before > 1) {
      const middle = Math.floor((before + end) / 2);
      if (middle + this.#offset(middle) >= wall) end = middle;
      else before = middle;
    }
    return { end };
  }

  #shows(moment: number, wall: number): boolean {
    return moment + this.#offset(moment) === wall;
  }

  /** Returns the two moments for the offsets before and after a clock change. */
  #bounds(wall: number): [early: number, late: number] {
    const before = wall - this.#offset(wall - DAY_MS);
    const after = wall - this.#offset(wall + DAY_MS);
    return before <= after ? [before, after] : [after, before];
  }

  /** Returns the offset at which the clock shows `wall`; undefined for a skipped or repeated time. */
  #shiftOf(wall: number): number | undefined {
    const [early, late] = this.#bounds(wall);
    const isEarly = this.#shows(early, wall);
    const isLate = this.#shows(late, wall);
    if (isEarly && isLate && early !== late) return undefined;
    return isEarly ? wall - early : isLate ? wall - late : undefined;
  }
}
