import {
  CLOCK_SET_FROM_MS,
  fileRules,
  readFileTime,
  skippedTime,
  type TimeFault,
  type WrittenRules,
} from "../time/timestamp.ts";
import { type DateOrder, dateOrderOf, parseWrittenTime, UsualTime } from "../time/written-time.ts";
import { ZoneClock } from "../time/zone-clock.ts";
import type { CsvLayout } from "./csv-layout.ts";

/** Max. remembered times. Beyond it, only adjacent equal times are detected. */
const REMEMBERED_MAX = 1_000_000;

/** Detects rows with the time of an earlier row. Files are nearly always sorted, which takes eight bytes per row. */
export class SameTimes {
  #rising = new Float64Array(64);
  #risingCount = 0;
  #newest = Number.NEGATIVE_INFINITY;
  /** Times that are earlier than a previous one. */
  readonly #others = new Set<number>();
  /** Number of remembered times. */
  #count = 0;
  #last = Number.NaN;

  /** Returns whether an earlier row has this time. */
  add(ts: number): boolean {
    const isNewest = ts > this.#newest;
    const isKnown = ts === this.#last || (!isNewest && (this.#isRising(ts) || this.#others.has(ts)));
    this.#last = ts;
    if (isKnown || this.#count === REMEMBERED_MAX) return isKnown;
    this.#count++;
    if (isNewest) this.#push(ts);
    else this.#others.add(ts);
    return false;
  }

  #push(ts: number): void {
    if (this.#risingCount === this.#rising.length) {
      const larger = new Float64Array(2 * this.#rising.length);
      larger.set(this.#rising);
      this.#rising = larger;
    }
    this.#rising[this.#risingCount++] = ts;
    this.#newest = ts;
  }

  #isRising(ts: number): boolean {
    let low = 0;
    let high = this.#risingCount;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rising[middle]! < ts) low = middle + 1;
      else high = middle;
    }
    return low < this.#risingCount && this.#rising[low] === ts;
  }
}

export interface TimeOptions {
  readonly now: number;
  /** Zone of times without a zone. */
  readonly timezone: string;
  readonly order?: DateOrder | undefined;
}

/** Returns the order of day and month in the dates; undefined if they are ambiguous or contradictory. */
function orderOf(rows: readonly (readonly string[])[], column: number): DateOrder | undefined {
  const orders = new Set(rows.map((row) => dateOrderOf(row[column] ?? "")));
  orders.delete(undefined);
  const [only, other] = orders;
  return other === undefined ? only : undefined;
}

/** Number of rows that show whether times rise or fall. */
const DIRECTION_ROWS = 50;

/** Returns 1 if the times of most rows rise, -1 if they fall, 0 if that is unknown. */
function directionOf(times: readonly string[], order: DateOrder | undefined): number {
  let sum = 0;
  let before: number | undefined;
  for (const text of times.slice(0, DIRECTION_ROWS)) {
    const time = parseWrittenTime(text, order);
    if (typeof time === "string") continue;
    if (before !== undefined) sum += Math.sign(time.wall - before);
    before = time.wall;
  }
  return Math.sign(sum);
}

/** Returns the moments of a local time; undefined if it has an offset, is invalid or is skipped in spring. */
function momentsOf(text: string, zone: ZoneClock, order: DateOrder | undefined) {
  const time = parseWrittenTime(text, order);
  if (typeof time === "string" || time.offsetMs !== undefined) return undefined;
  const moments = zone.moments(time.wall);
  return "end" in moments ? undefined : moments;
}

const nearerOf = ({ first, last }: { first: number; last: number }, ts: number): "first" | "last" =>
  Math.abs(ts - first) < Math.abs(ts - last) ? "first" : "last";

/**
 * Returns whether a file begins in the first or the second of two equal hours: the one closer to the first row outside of them. Undefined if the
 * file begins elsewhere, or its rows return to a time, so that their order decides.
 */
function beginningIn(
  times: readonly string[],
  zone: ZoneClock,
  order: DateOrder | undefined,
): "first" | "last" | undefined {
  let before: { first: number; last: number } | undefined;
  let direction = 0;
  for (const text of times) {
    const moments = momentsOf(text, zone, order);
    if (moments === undefined) return undefined;
    if (moments.first === moments.last) return before && nearerOf(before, moments.first);
    const step = Math.sign(moments.first - (before ?? moments).first);
    if (before !== undefined && (step === 0 || step === -direction)) return undefined;
    direction = step;
    before = moments;
  }
  return undefined;
}

/**
 * Reads the times of the rows, one after the other. The order of the rows distinguishes a repeated hour in autumn: a time that would not follow the
 * previous row belongs to the second hour. In files with the newest row first, the order is reversed. If a file begins in such an hour, the
 * occurrence closer to the first row outside of it counts.
 */
export class CsvTimes {
  readonly #layout: Pick<CsvLayout, "timeColumn" | "clockColumn">;
  readonly #rules: WrittenRules;
  readonly #usual = new UsualTime();
  #last: number | undefined;
  /** 1 if times rise, -1 if they fall, 0 while that is unknown. */
  #direction: number;
  readonly #beginning: "first" | "last" | undefined;
  /** True if rows with equal times are adjacent: then a repeated time is not the second hour. */
  #hasPairs = false;

  constructor(
    layout: Pick<CsvLayout, "timeColumn" | "clockColumn">,
    firstRows: readonly (readonly string[])[],
    { now, timezone, order }: TimeOptions,
  ) {
    this.#layout = layout;
    const settled = order ?? orderOf(firstRows, layout.timeColumn);
    const zone = timezone === "UTC" ? undefined : new ZoneClock(timezone);
    this.#rules = fileRules({ now, zone, order: settled });
    const firstTimes = zone === undefined ? [] : firstRows.map((cells) => this.textOf(cells));
    this.#direction = directionOf(firstTimes, settled);
    this.#beginning = zone && beginningIn(firstTimes, zone, settled);
  }

  /** Continues after the last row of the previous part of the file. */
  continueFrom(ts: number): void {
    this.#last = ts;
  }

  /** Returns the text of the time of a row. */
  textOf(cells: readonly string[]): string {
    const { timeColumn, clockColumn } = this.#layout;
    const text = cells[timeColumn] ?? "";
    const clock = clockColumn === undefined ? "" : (cells[clockColumn] ?? "");
    return clock === "" ? text : `${text} ${clock}`;
  }

  read(time: number | string): number | TimeFault {
    const ts = this.#readUsual(time) ?? readFileTime(time, this.#rules, this.#momentOf);
    // The order of the rows matters only where clocks change.
    if (typeof ts === "number" && this.#rules.zone !== undefined) this.#note(ts);
    return ts;
  }

  /** Reads the usual times: epoch ms up to the present, and dates in ISO 8601. Returns undefined for others. */
  #readUsual(time: number | string): number | TimeFault | undefined {
    const { now, zone } = this.#rules;
    if (typeof time === "number")
      return time >= CLOCK_SET_FROM_MS && time <= now ? Math.round(time) : undefined;
    const usual = this.#usual;
    if (!usual.read(time)) return undefined;
    const ts = usual.isUtc || zone === undefined ? usual.wall : this.#momentOf(usual.wall, zone);
    return typeof ts !== "number" || (ts >= 0 && ts <= now) ? ts : undefined;
  }

  #note(ts: number): void {
    const step = this.#last === undefined ? 0 : Math.sign(ts - this.#last);
    if (step !== 0) this.#direction = step;
    else if (this.#last !== undefined) this.#hasPairs = true;
    this.#last = ts;
  }

  readonly #momentOf = (wall: number, zone: ZoneClock): number | TimeFault => {
    const only = zone.only(wall);
    if (only !== undefined) return only;
    const moments = zone.moments(wall);
    if ("end" in moments) return skippedTime;
    const { first, last } = moments;
    const before = this.#last;
    if (before === undefined && this.#beginning !== undefined) return moments[this.#beginning];
    if (this.#direction < 0) {
      const isFirst = before !== undefined && (this.#hasPairs ? before < last : before <= last);
      return isFirst ? first : last;
    }
    if (before === undefined || before > last) return first;
    return before > first || (before === first && !this.#hasPairs) ? last : first;
  };
}
