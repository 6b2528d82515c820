const DAY_MS = 86_400_000;

/** Measured in days; 0: never; `date`: on the day that was chosen. */
export const EXPIRIES = ["0", "30", "90", "365", "date"] as const;
export type Expiry = (typeof EXPIRIES)[number];

/** ISO 8601; null: never. A chosen day (`2027-03-01`) counts to its end where the reader is. Undefined: no day was chosen. */
export function expiryTime(expiry: Expiry, day: string, now: number): string | null | undefined {
  if (expiry === "0") return null;
  if (expiry !== "date") return new Date(now + Number(expiry) * DAY_MS).toISOString();
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!parts) return undefined;
  const [, year, month, date] = parts.map(Number) as [number, number, number, number];
  return new Date(year, month - 1, date, 23, 59, 59, 999).toISOString();
}
