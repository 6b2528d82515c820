import { detail } from "../../lib/core/domain-error.ts";
import { DAY_MS, HOUR_MS } from "../../lib/core/units.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { firstInstant, zoneOffset } from "../../lib/time/calendar-interval.ts";
import { wallYearsLater } from "../../lib/time/same-time.ts";
import { dashboardInvalid } from "./dashboards.errors.ts";

export interface AbsoluteWindow {
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
}

const SPAN_MS_MAX = 100 * 366 * DAY_MS;

/** Max. distance from the current period, in periods. */
const OFFSET_MAX = 1_000;

/** Latest time that a Date can represent. */
const TIME_MAX = 8.64e15;
const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= TIME_MAX;

function offsetOf(timezone: unknown): (timeMs: number) => number {
  if (timezone === undefined) return () => 0;
  try {
    return zoneOffset(String(timezone));
  } catch {
    throw dashboardInvalid("timeWindow.timezone", detail("rule.iana_timezone"));
  }
}

function calendarWindow(input: Readonly<Record<string, unknown>>, now: number): AbsoluteWindow {
  const { unit, offset: back = 0 } = input;
  const offset = offsetOf(input.timezone);
  if (!Number.isInteger(back) || Math.abs(Number(back)) > OFFSET_MAX)
    throw dashboardInvalid("timeWindow.offset", detail("rule.window_offset"));
  const steps = Number(back);
  const local = new Date(now + offset(now));
  const today = Math.floor(local.getTime() / DAY_MS);
  const span = (from: number, to: number) => ({
    from: Math.max(0, firstInstant(from * DAY_MS, offset)),
    to: Math.max(0, firstInstant(to * DAY_MS, offset) - 1),
  });
  if (unit === "day") return span(today + steps, today + steps + 1);
  if (unit === "week") {
    // 1970-01-01 was a Thursday; weeks begin on Monday (ISO 8601).
    const monday = today - ((((today + 3) % 7) + 7) % 7) + steps * 7;
    return span(monday, monday + 7);
  }
  const monthStart = (month: number) => Date.UTC(local.getUTCFullYear(), month, 1) / DAY_MS;
  if (unit === "month")
    return span(monthStart(local.getUTCMonth() + steps), monthStart(local.getUTCMonth() + steps + 1));
  if (unit === "year") return span(monthStart(12 * steps), monthStart(12 * (steps + 1)));
  throw dashboardInvalid("timeWindow.unit", detail("rule.window_unit"));
}

/**
 * Resolves a time window: `{from, to}`; `{mode: "live" | "relative", durationMs}`, up to now; or `{mode: "calendar", unit, offset?, timezone?}`, the
 * current day, week, month or year, shifted by `offset`. Default: the last hour.
 * @throws DomainError `invalid`
 */
export function windowOf(input: unknown, now: number): AbsoluteWindow {
  if (input === undefined || input === null) return { from: now - HOUR_MS, to: now };
  if (!isJsonObject(input)) throw dashboardInvalid("timeRange", detail("rule.object"));
  const { mode, from, to, durationMs } = input;
  if (mode === "calendar") return calendarWindow(input, now);
  if (durationMs !== undefined && mode !== "absolute") {
    if (!isTime(durationMs) || durationMs === 0 || durationMs > SPAN_MS_MAX)
      throw dashboardInvalid("timeWindow.durationMs", detail("rule.duration_ms"));
    return { from: Math.max(0, now - durationMs), to: now };
  }
  if (from === undefined && to === undefined) return { from: now - HOUR_MS, to: now };
  if (!isTime(from) || !isTime(to) || from > to)
    throw dashboardInvalid("timeWindow", detail("rule.window_range"));
  return { from, to };
}

export interface ShownWindow extends AbsoluteWindow {
  /** Comparison period: the previous period, or the same time of the previous year; undefined if there is none, as on 29 February. */
  readonly before?: AbsoluteWindow;
  /** Comparison period up to the same point as now, while the current period lasts. */
  readonly beforeSoFar?: AbsoluteWindow;
  /** Time zone in which `before` has the same dates and times of day, a year earlier; undefined for the previous period. */
  readonly yearZone?: string;
}

/**
 * Returns the same local dates and times of the previous year, including the leap day; undefined for 29 February. If a clock change skips midnight,
 * a calendar window still gets whole days.
 */
function yearBefore(
  window: AbsoluteWindow,
  timezone: string,
  isWholeDays: boolean,
): AbsoluteWindow | undefined {
  const offset = zoneOffset(timezone);
  const earlier = (ts: number) => {
    const wall = ts + offset(ts);
    const day = Math.floor(wall / DAY_MS) * DAY_MS;
    const sameWall = isWholeDays ? undefined : wallYearsLater(wall, -1);
    return firstInstant(sameWall ?? wallYearsLater(day, -1) ?? wallYearsLater(day + DAY_MS, -1)!, offset);
  };
  const [from, to] = [earlier(window.from), earlier(window.to + 1) - 1];
  return from > to || to < 0 ? undefined : { from: Math.max(0, from), to };
}

function periodBefore(input: unknown, { from, to }: AbsoluteWindow, now: number): AbsoluteWindow {
  if (!isJsonObject(input) || input.mode !== "calendar")
    return { from: Math.max(0, from - (to - from)), to: from };
  return windowOf({ ...input, offset: Math.max(Number(input.offset ?? 0) - 1, -OFFSET_MAX) }, now);
}

/**
 * Returns a time window and its comparison period: the previous day, week, month or year for a calendar window, otherwise the preceding period of
 * the same length; with `yearZone`, the same time of the previous year, in the calendar window's zone or in `yearZone`.
 * @throws DomainError `invalid`
 */
export function shownWindow(input: unknown, now: number, yearZone?: string): ShownWindow {
  const window = windowOf(input, now);
  const { from, to } = window;
  const isOpen = from <= now && now < to;
  if (yearZone === undefined) {
    const before = periodBefore(input, window, now);
    const beforeSoFar = { from: before.from, to: Math.min(before.from + now - from, before.to) };
    return { ...window, before, ...(isOpen && { beforeSoFar }) };
  }
  const zone = isJsonObject(input) && typeof input.timezone === "string" ? input.timezone : yearZone;
  offsetOf(zone); // refuses an unknown zone
  const isCalendar = isJsonObject(input) && input.mode === "calendar";
  const before = yearBefore(window, zone, isCalendar);
  const soFar = isOpen ? yearBefore({ from, to: now }, zone, false) : before;
  if (before === undefined || soFar === undefined) return { ...window, yearZone: zone };
  const beforeSoFar = { from: before.from, to: Math.min(soFar.to, before.to) };
  return { ...window, before, yearZone: zone, ...(isOpen && { beforeSoFar }) };
}
