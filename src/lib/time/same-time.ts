const NANOSECONDS_PER_MS = 1_000_000n;

interface SameTime {
  /** Epoch ms. */
  readonly ts: number;
  /** False if the other year has no such time, as on 29 February or in an hour that a clock change skips; `ts` is then the nearest. */
  readonly isExact: boolean;
}

/** Returns the same local date and time of a time zone, some years later. @throws RangeError for an unknown zone */
export function yearsLater(ts: number, years: number, timezone: string): SameTime {
  const source = new Temporal.ZonedDateTime(BigInt(Math.floor(ts)) * NANOSECONDS_PER_MS, timezone);
  const found = source.add({ years });
  const isExact = found.day === source.day && found.hour === source.hour && found.minute === source.minute;
  return { ts: found.epochMilliseconds, isExact };
}
