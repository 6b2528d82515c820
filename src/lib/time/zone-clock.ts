import { zoneOffset } from "./calendar-interval.ts";

/** Clocks change at quarters of an hour: within one the offset is the same. */
const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

/** The moments at which a wall clock shows a time: none within the gap of spring, two in the hour that comes twice in autumn. */
export type Moments =
  | { readonly first: number; readonly last: number }
  /** The clock skips the time; the gap ends at `end`. */
  | { readonly end: number };

/** The wall clock of a time zone. @throws RangeError for an unknown zone */
export class ZoneClock {
  readonly #offset: (ts: number) => number;
  /** Start of the quarter of an hour that was asked for last, on the wall clock, and its offset if it comes exactly once. */
  #quarter = Number.NaN;
  #shift: number | undefined;

  constructor(timezone: string) {
    this.#offset = zoneOffset(timezone);
  }

  /** Returns the moment at which the clock shows `wall` if there is exactly one. Times that follow each other are read quickly. */
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

  /** The two moments that the offsets before and after a change of the clock lead to. */
  #bounds(wall: number): [early: number, late: number] {
    const before = wall - this.#offset(wall - DAY_MS);
    const after = wall - this.#offset(wall + DAY_MS);
    return before <= after ? [before, after] : [after, before];
  }

  /** The offset with which the clock shows `wall`; undefined if it never does, or twice. */
  #shiftOf(wall: number): number | undefined {
    const [early, late] = this.#bounds(wall);
    const isEarly = this.#shows(early, wall);
    const isLate = this.#shows(late, wall);
    if (isEarly && isLate && early !== late) return undefined;
    return isEarly ? wall - early : isLate ? wall - late : undefined;
  }
}
