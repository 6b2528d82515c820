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

/** Either "the last x", which moves with the clock, or a fixed stretch of the past. */
export type TimeWindow =
  | { readonly kind: "live"; readonly id: WindowId }
  | { readonly kind: "fixed"; readonly from: number; readonly to: number };

export function isWindowId(text: string | undefined): text is WindowId {
  return text !== undefined && Object.hasOwn(WINDOWS, text);
}

export function boundsOf(window: TimeWindow, now: number): { from: number; to: number } {
  if (window.kind === "fixed") return { from: window.from, to: window.to };
  return { from: now - WINDOWS[window.id], to: now };
}

const SHORTEST_MS = 1000;

export function zoomed(bounds: { from: number; to: number }, factor: number): TimeWindow {
  const middle = (bounds.from + bounds.to) / 2;
  const half = Math.max(SHORTEST_MS, (bounds.to - bounds.from) * factor) / 2;
  return { kind: "fixed", from: Math.round(middle - half), to: Math.round(middle + half) };
}

/** Moves by a share of the visible width; never past `now`. */
export function panned(bounds: { from: number; to: number }, share: number, now: number): TimeWindow {
  const width = bounds.to - bounds.from;
  const to = Math.min(now, Math.round(bounds.to + width * share));
  return { kind: "fixed", from: to - width, to };
}

export function windowFromQuery(query: Record<string, string>): TimeWindow {
  const from = Number(query.from);
  const to = Number(query.to);
  if (query.from && query.to && Number.isFinite(from) && from < to) return { kind: "fixed", from, to };
  return { kind: "live", id: isWindowId(query.window) ? query.window : "15m" };
}

export function windowToQuery(window: TimeWindow): Record<string, string> {
  if (window.kind === "live") return { window: window.id };
  return { from: String(window.from), to: String(window.to) };
}
