import { firstInstant, zoneOffset } from "./calendar-interval.ts";

export const weekdays = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;
export type Weekday = (typeof weekdays)[number];

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** A week on, everything has come that can; a day more for windows that a change of the clocks swallows. */
const DAYS_AHEAD = 8;

/**
 * Opens on these days when the clocks first show `from`, and closes when they first show `to`, on the next day where `to` is not later
 * than `from`. A time that a change of the clocks leaves out comes when the gap ends; of one that comes twice the first counts. So the
 * windows from A to B and from B to A never overlap and leave nothing out.
 */
export function createTimeWindow(of: {
  readonly timezone: string;
  readonly days: ReadonlySet<Weekday>;
  /** Minutes of the day, up to 1440. */
  readonly from: number;
  readonly to: number;
}) {
  const offset = zoneOffset(of.timezone);
  const opens = of.from * MINUTE_MS;
  const closes = of.to * MINUTE_MS + (of.to <= of.from ? DAY_MS : 0);
  /** What was found last; asked again and again about now, it hardly ever changes. */
  let known = { from: 0, until: 0, isOpen: false };

  // 1970-01-01 was a Thursday.
  const isMeant = (day: number) => of.days.has(weekdays[(((day + 3) % 7) + 7) % 7] ?? "MON");

  function find(at: number): typeof known {
    const today = Math.floor((at + offset(at)) / DAY_MS);
    for (let day = today - 1; day <= today + DAYS_AHEAD; day++) {
      if (!isMeant(day)) continue;
      const end = firstInstant(day * DAY_MS + closes, offset);
      if (end <= at) continue;
      const start = firstInstant(day * DAY_MS + opens, offset);
      if (end <= start) continue; // swallowed by a gap
      return start <= at ? { from: at, until: end, isOpen: true } : { from: at, until: start, isOpen: false };
    }
    return { from: at, until: at + DAYS_AHEAD * DAY_MS, isOpen: false };
  }

  function stateAt(at: number): typeof known {
    if (at < known.from || at >= known.until) known = find(at);
    return known;
  }
  return {
    isOpen: (at: number): boolean =>
      stateAt(at)
        .isOpen /** How long it stays as it is at `at`; it is never longer than that, and may stay so. */,
    staysMs: (at: number): number => stateAt(at).until - at,
  };
}

/** Times of day on some days of the week, by the clocks of a place. */
export type TimeWindow = ReturnType<typeof createTimeWindow>;
