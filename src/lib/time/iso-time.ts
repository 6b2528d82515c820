import { parseWrittenTime } from "./written-time.ts";

const ISO_DATE = /^\d{4}-\d\d-\d\d/;

/** Epoch ms of an ISO 8601 time with its zone, or of a day in UTC; undefined for any other text. */
export function parseIsoTime(text: string): number | undefined {
  const time = ISO_DATE.test(text) ? parseWrittenTime(text) : "form";
  if (typeof time === "string" || (time.hasTime && time.offsetMs === undefined)) return undefined;
  return time.wall - (time.offsetMs ?? 0);
}

/** Returns an epoch time in ms as ISO 8601 in UTC, as responses show it; null stays null. */
export function iso(timeMs: number): string;
export function iso(timeMs: number | null): string | null;
export function iso(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
