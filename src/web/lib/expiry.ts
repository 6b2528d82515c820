import { DAY_MS } from "../../lib/core/units.ts";

/** Expiry choices: lifetimes in days, `0` for never, `date` for a selected day. */
export const EXPIRIES = ["0", "30", "90", "365", "date"] as const;
export type Expiry = (typeof EXPIRIES)[number];

/**
 * Returns the time of expiry in ISO 8601: null for never, undefined if no day is selected. A selected day (`2027-03-01`) lasts to its end in the
 * user's time zone.
 */
export function expiryTime(expiry: Expiry, day: string, now: number): string | null | undefined {
  if (expiry === "0") return null;
  if (expiry !== "date") return new Date(now + Number(expiry) * DAY_MS).toISOString();
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!parts) return undefined;
  const [, year, month, date] = parts.map(Number) as [number, number, number, number];
  return new Date(year, month - 1, date, 23, 59, 59, 999).toISOString();
}
