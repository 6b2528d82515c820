/** Calendar-aligned intervals in an IANA time zone; hours and minutes are real ones, days and longer follow the wall clock. */
export type CalendarUnit = "minute" | "hour" | "day" | "week" | "month";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** Milliseconds to add to UTC to get the wall clock of a time zone at an instant. Throws a RangeError for an unknown zone. */
export function zoneOffset(timezone: string): (ts: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ts) => {
    const second = Math.floor(ts / 1000) * 1000;
    const parts: Record<string, string> = {};
    for (const { type, value } of format.formatToParts(second)) parts[type] = value;
    const year = Number(parts.year);
    const wall = new Date(0);
    // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
    wall.setUTCFullYear(parts.era === "BC" ? 1 - year : year, Number(parts.month) - 1, Number(parts.day));
    wall.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
    return wall.getTime() - second;
  };
}

function floorWall(wall: number, unit: "day" | "week" | "month"): number {
  const day = Math.floor(wall / dayMs);
  if (unit === "day") return day * dayMs;
  // 1970-01-01 was a Thursday; weeks start on Monday.
  if (unit === "week") return (day - ((((day + 3) % 7) + 7) % 7)) * dayMs;
  const date = new Date(day * dayMs);
  return date.setUTCDate(1);
}

function nextWall(wall: number, unit: "day" | "week" | "month"): number {
  if (unit === "day") return wall + dayMs;
  if (unit === "week") return wall + 7 * dayMs;
  const date = new Date(wall);
  return date.setUTCMonth(date.getUTCMonth() + 1);
}

/** The first instant at which the wall clock shows `wall` or, where a clock change skips it, something later. */
export function firstInstant(wall: number, offset: (ts: number) => number): number {
  let early = wall - offset(wall - dayMs);
  let late = wall - offset(wall + dayMs);
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

/**
 * Starts of the intervals that touch the closed range, ascending; the first may lie before `from`. Null when there are
 * more than `most`.
 */
export function calendarStarts(
  range: { from: number; to: number },
  of: { unit: CalendarUnit; timezone: string },
  most: number,
): Float64Array | null {
  const offset = zoneOffset(of.timezone);
  const starts: number[] = [];
  let start = intervalStart(range.from, of.unit, offset);
  while (start <= range.to) {
    if (starts.length === most) return null;
    starts.push(start);
    start = followingStart(start, of.unit, offset);
  }
  return Float64Array.from(starts);
}

function intervalStart(ts: number, unit: CalendarUnit, offset: (ts: number) => number): number {
  const shift = offset(ts);
  if (unit === "minute") return Math.floor((ts + shift) / minuteMs) * minuteMs - shift;
  if (unit === "hour") return Math.floor((ts + shift) / hourMs) * hourMs - shift;
  return firstInstant(floorWall(ts + shift, unit), offset);
}

function followingStart(start: number, unit: CalendarUnit, offset: (ts: number) => number): number {
  if (unit === "minute" || unit === "hour") {
    const step = unit === "minute" ? minuteMs : hourMs;
    // A clock change by half an hour moves the hours: realign, but never stand still.
    const aligned = intervalStart(start + step, unit, offset);
    return aligned > start ? aligned : start + step;
  }
  const wall = floorWall(start + offset(start), unit);
  return firstInstant(nextWall(wall, unit), offset);
}
