import { DAY_MS, MINUTE_MS } from "../core/units.ts";
import { firstInstant, zoneOffset } from "./calendar-interval.ts";

export const WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Days searched ahead: a week covers all windows, and one more day those that a clock change skips. */
const DAYS_AHEAD = 8;

/**
 * Creates a window that opens on these days when the clocks first show `from`, and closes when they first show `to`, on the next day if `to` is not
 * later than `from`. A skipped time is at the end of the gap; of a repeated time, the first one counts. So the windows from A to B and from B to A
 * never overlap and leave no gap.
 */
export function createWeeklyWindow(of: {
  readonly timezone: string;
  readonly days: ReadonlySet<Weekday>;
  /** Minutes of the day, up to 1440. */
  readonly from: number;
  readonly to: number;
}) {
  const offset = zoneOffset(of.timezone);
  const opens = of.from * MINUTE_MS;
  const closes = of.to * MINUTE_MS + (of.to <= of.from ? DAY_MS : 0);
  /** Cached result. Callers repeatedly ask for the current time, and the result rarely changes. */
  let state = { from: 0, until: 0, isOpen: false };

  // 1970-01-01 was a Thursday.
  const isMeant = (day: number) => of.days.has(WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? "MON");

  function find(timeMs: number): typeof state {
    const today = Math.floor((timeMs + offset(timeMs)) / DAY_MS);
    for (let day = today - 1; day <= today + DAYS_AHEAD; day++) {
      if (!isMeant(day)) continue;
      const end = firstInstant(day * DAY_MS + closes, offset);
      if (end <= timeMs) continue;
      const start = firstInstant(day * DAY_MS + opens, offset);
      if (end <= start) continue; // skipped by a clock change
      return start <= timeMs
        ? { from: timeMs, until: end, isOpen: true }
        : { from: timeMs, until: start, isOpen: false };
    }
    return { from: timeMs, until: timeMs + DAYS_AHEAD * DAY_MS, isOpen: false };
  }

  function stateAt(timeMs: number): typeof state {
    if (timeMs < state.from || timeMs >= state.until) state = find(timeMs);
    return state;
  }
  return {
    isOpen: (timeMs: number): boolean => stateAt(timeMs).isOpen,
    /** Returns a lower bound of the ms until the state at `timeMs` changes. */
    staysMs: (timeMs: number): number => stateAt(timeMs).until - timeMs,
  };
}

/** Times of day on some days of the week, on the local clock. */
export type WeeklyWindow = ReturnType<typeof createWeeklyWindow>;
