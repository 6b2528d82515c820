import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/units.ts";

/** Calendar-aligned intervals in an IANA time zone. Hours and minutes have a fixed length; days and longer units follow the wall clock. */
export type CalendarUnit = "minute" | "hour" | "day" | "week" | "month";

/** `times`: ascending start times of daily intervals in minutes after midnight, such as the shifts of a plant. */
export type CalendarInterval =
  | { readonly unit: CalendarUnit; readonly timezone: string }
  | { readonly times: readonly number[]; readonly timezone: string };

const NANOSECONDS_PER_MS = 1_000_000;

/**
 * Returns a function for the offset of a time zone from UTC at an instant, in ms.
 * @throws RangeError for an unknown zone
 */
export function zoneOffset(timezone: string): (ts: number) => number {
  const epoch = new Temporal.ZonedDateTime(0n, timezone);
  const zone = epoch.timeZoneId;
  return (ts) => {
    const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(ts));
    return instant.toZonedDateTimeISO(zone).offsetNanoseconds / NANOSECONDS_PER_MS;
  };
}

function floorWall(wall: number, unit: "day" | "week" | "month"): number {
  const day = Math.floor(wall / DAY_MS);
  if (unit === "day") return day * DAY_MS;
  // 1970-01-01 was a Thursday; weeks start on Monday.
  if (unit === "week") return (day - ((((day + 3) % 7) + 7) % 7)) * DAY_MS;
  const date = new Date(day * DAY_MS);
  return date.setUTCDate(1);
}

function nextWall(wall: number, unit: "day" | "week" | "month"): number {
  if (unit === "day") return wall + DAY_MS;
  if (unit === "week") return wall + 7 * DAY_MS;
  const date = new Date(wall);
  return date.setUTCMonth(date.getUTCMonth() + 1);
}

/**
 * Returns a function for the nominal wall clock (ms) of an interval start: midnight of its day, or its time of day. If a clock change skips that
 * time, the interval itself starts later.
 */
export function nominalStarts(of: CalendarInterval): (start: number) => number {
  const offset = zoneOffset(of.timezone);
  if ("times" in of) {
    const times = of.times.map((minutes) => minutes * MINUTE_MS);
    return (start) => {
      const wall = start + offset(start);
      const day = floorWall(wall, "day");
      const time = times.findLast((candidate) => candidate <= wall - day);
      return time === undefined ? day - DAY_MS + times.at(-1)! : day + time;
    };
  }
  const { unit } = of;
  if (unit === "minute" || unit === "hour") return (start) => start + offset(start);
  return (start) => floorWall(start + offset(start), unit);
}

/** Returns the first instant at which the wall clock shows `wall` or, if a clock change skips it, a later time. */
export function firstInstant(wall: number, offset: (ts: number) => number): number {
  let early = wall - offset(wall - DAY_MS);
  let late = wall - offset(wall + DAY_MS);
  if (early > late) [early, late] = [late, early];
  if (early + offset(early) === wall) return early;
  if (late + offset(late) === wall) return late;
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (middle + offset(middle) >= wall) late = middle;
    else early = middle;
  }
  return late;
}

/** Returns the ascending starts of intervals that overlap the closed range. The first one may precede `from`. Null if there are more than `most`. */
export function calendarStarts(
  range: { from: number; to: number },
  of: CalendarInterval,
  most: number,
): Float64Array | null {
  const offset = zoneOffset(of.timezone);
  if ("times" in of) return dailyStarts(range, of.times, { offset, most });
  const starts: number[] = [];
  let start = intervalStart(range.from, of.unit, offset);
  while (start <= range.to) {
    if (starts.length === most) return null;
    starts.push(start);
    start = followingStart(start, of.unit, offset);
  }
  return Float64Array.from(starts);
}

/** Returns the starts of daily intervals. If a clock change maps two of them to one instant, the later one counts. */
function dailyStarts(
  range: { from: number; to: number },
  times: readonly number[],
  { offset, most }: { offset: (ts: number) => number; most: number },
): Float64Array | null {
  const starts: number[] = [];
  for (let day = floorWall(range.from + offset(range.from), "day") - DAY_MS; ; day += DAY_MS) {
    for (const minutes of times) {
      const start = firstInstant(day + minutes * MINUTE_MS, offset);
      if (start > range.to) return Float64Array.from(starts);
      // Of the intervals that begin before the range, only the last can overlap it.
      if (start <= range.from || start === starts.at(-1)) starts.pop();
      if (starts.push(start) > most) return null;
    }
  }
}

function intervalStart(ts: number, unit: CalendarUnit, offset: (ts: number) => number): number {
  const shift = offset(ts);
  if (unit === "minute") return Math.floor((ts + shift) / MINUTE_MS) * MINUTE_MS - shift;
  if (unit !== "hour") return firstInstant(floorWall(ts + shift, unit), offset);
  const start = Math.floor((ts + shift) / HOUR_MS) * HOUR_MS - shift;
  return offset(start) === shift ? start : changeBetween(start, ts, offset);
}

/** Returns the first moment after `early` with the offset of `late`. */
function changeBetween(early: number, late: number, offset: (ts: number) => number): number {
  const shift = offset(late);
  let before = early;
  let after = late;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle) === shift) after = middle;
    else before = middle;
  }
  return after;
}

function followingStart(start: number, unit: CalendarUnit, offset: (ts: number) => number): number {
  if (unit === "minute" || unit === "hour") {
    const step = unit === "minute" ? MINUTE_MS : HOUR_MS;
    // A clock change by half an hour splits the hour in which it falls: realign, but always advance.
    const aligned = intervalStart(start + step, unit, offset);
    return aligned > start ? aligned : start + step;
  }
  const wall = floorWall(start + offset(start), unit);
  return firstInstant(nextWall(wall, unit), offset);
}
