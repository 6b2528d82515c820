const NANOSECONDS_PER_MS = 1_000_000n;

/** Returns a wall clock (ms) some years later; undefined if that year lacks the date 29 February. */
export function wallYearsLater(wall: number, years: number): number | undefined {
  const date = new Date(wall);
  const day = date.getUTCDate();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.getUTCDate() === day ? date.getTime() : undefined;
}

interface SameTime {
  /** Epoch ms. */
  readonly ts: number;
  /** False if the other year lacks this time, on 29 February or in an hour skipped by a clock change; `ts` is then the nearest time. */
  readonly isExact: boolean;
}

/** Returns the same local date and time of a time zone, some years later. @throws RangeError for an unknown zone */
export function yearsLater(ts: number, years: number, timezone: string): SameTime {
  const source = new Temporal.ZonedDateTime(BigInt(Math.floor(ts)) * NANOSECONDS_PER_MS, timezone);
  const found = source.add({ years });
  const isExact = found.day === source.day && found.hour === source.hour && found.minute === source.minute;
  return { ts: found.epochMilliseconds, isExact };
}
