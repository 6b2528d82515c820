const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const WINDOWS = {
  "15m": 15 * MINUTE,
  "1h": HOUR,
  "6h": 6 * HOUR,
  "24h": DAY,
  "7d": 7 * DAY,
  "30d": 30 * DAY,
  "1y": 365 * DAY,
} as const;

export type WindowId = keyof typeof WINDOWS;
export const WINDOW_IDS = Object.keys(WINDOWS) as WindowId[];

/** Either "the last x", which moves with the clock, or a fixed period in the past. */
export type TimeWindow =
  | { readonly kind: "live"; readonly id: WindowId }
  | { readonly kind: "fixed"; readonly from: number; readonly to: number };

/** Start and end of the visible time, in epoch ms. */
export interface TimeBounds {
  readonly from: number;
  readonly to: number;
}

export function isWindowId(text: string | undefined): text is WindowId {
  return text !== undefined && Object.hasOwn(WINDOWS, text);
}

export function boundsOf(window: TimeWindow, now: number): TimeBounds {
  if (window.kind === "fixed") return { from: window.from, to: window.to };
  return { from: now - WINDOWS[window.id], to: now };
}

/** Width of the first window of a device whose newest value is too old for all live windows. */
const PAST_MS = WINDOWS["30d"];

/** Returns the shortest live window whose newer half contains `newest`; 15 min without a value, a past window for an old value. */
export function firstWindow(newest: number, now: number): TimeWindow {
  if (newest <= 0) return { kind: "live", id: "15m" };
  const id = WINDOW_IDS.find((each) => now - newest <= WINDOWS[each] / 2);
  if (id !== undefined) return { kind: "live", id };
  return { kind: "fixed", from: newest - Math.round(PAST_MS * 0.9), to: newest + Math.round(PAST_MS * 0.1) };
}

/** Returns a window that shows the newest imported value; undefined if `shown` already contains it. */
export function windowOfImport(newest: number, shown: TimeWindow, now: number): TimeWindow | undefined {
  const { from, to } = boundsOf(shown, now);
  const visible = Math.min(newest, now); // a value of the future appears when its time comes
  return visible < from || visible > to ? firstWindow(newest, now) : undefined;
}

const SHORTEST_MS = 1000;

const LONGEST_MS = 10 * WINDOWS["1y"];

/** Returns bounds that are wider by a factor, with the time `ts` at the same position. */
export function zoomedAt({ from, to }: TimeBounds, ts: number, factor: number): TimeBounds {
  const width = to - from;
  const next = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, width * factor));
  const start = Math.round(ts - ((ts - from) / width) * next);
  return { from: start, to: Math.round(start + next) };
}

export const zoomed = (bounds: TimeBounds, factor: number): TimeWindow => ({
  kind: "fixed",
  ...zoomedAt(bounds, (bounds.from + bounds.to) / 2, factor),
});

/** Time before the first value that stays in a fitted window. */
const FITTED_MS = 2 * MINUTE;

/** Returns bounds without the empty time before the first value of a new device. The 2 min before `kept` stay. */
export function fittedTo({ from, to }: TimeBounds, firstTs: number | undefined, kept = to): TimeBounds {
  return { from: Math.max(from, Math.min(firstTs ?? from, kept - FITTED_MS)), to };
}

/** Moves bounds, but not beyond `now` unless they already reach beyond it. */
export function moved({ from, to }: TimeBounds, byMs: number, now: number): TimeBounds {
  const step = Math.min(byMs, Math.max(0, now - to));
  return { from: Math.round(from + step), to: Math.round(to + step) };
}

/** Moves bounds by a share of the visible width. */
export const panned = (bounds: TimeBounds, share: number, now: number): TimeWindow => ({
  kind: "fixed",
  ...moved(bounds, (bounds.to - bounds.from) * share, now),
});

export function windowFromQuery(
  query: Record<string, string>,
  first: TimeWindow = { kind: "live", id: "15m" },
): TimeWindow {
  const from = Number(query.from);
  const to = Number(query.to);
  if (query.from && query.to && Number.isFinite(from) && from < to) return { kind: "fixed", from, to };
  return isWindowId(query.window) ? { kind: "live", id: query.window } : first;
}

export function windowToQuery(window: TimeWindow): Record<string, string> {
  if (window.kind === "live") return { window: window.id };
  return { from: String(window.from), to: String(window.to) };
}
