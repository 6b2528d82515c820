import { parseWrittenTime } from "./written-time.ts";

const ISO_DATE = /^\d{4}-\d\d-\d\d/;

/** Returns epoch ms of an ISO 8601 time with a zone, or of a day in UTC; undefined for any other text. */
export function parseIsoTime(text: string): number | undefined {
  const time = ISO_DATE.test(text) ? parseWrittenTime(text) : "form";
  if (typeof time === "string" || (time.hasTime && time.offsetMs === undefined)) return undefined;
  return time.wall - (time.offsetMs ?? 0);
}

/** Returns epoch ms as ISO 8601 in UTC, the form of responses; null for null. */
export function iso(timeMs: number): string;
export function iso(timeMs: number | null): string | null;
export function iso(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
