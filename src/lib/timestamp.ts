import { invalid } from "./domain-error.ts";

/** A time stamp further ahead of the gateway's clock is not believed. */
export const FUTURE_MS_MAX = 24 * 3_600_000;
/** A sender that takes no refusal is believed so far: the gateway's clock may be behind. Its readings are held until they are due. */
export const HELD_MS_MAX = 10 * 366 * FUTURE_MS_MAX;
/** Numbers below this are seconds: 10^11 ms is March 1973, 10^11 s is the year 5138. */
const SECONDS_BELOW = 1e11;

/**
 * Returns a device's time stamp (epoch ms, epoch s, or ISO 8601 with UTC where no zone is given) as epoch ms.
 * @throws DomainError `invalid` for a value that is none, or more than `aheadMsMax` ahead of `now`
 */
export function parseTimestamp(value: unknown, now: number, aheadMsMax = FUTURE_MS_MAX): number {
  // As nearly every device sends it.
  if (typeof value === "number" && value >= SECONDS_BELOW && value <= now) return Math.round(value);
  let ts = Number.NaN;
  if (typeof value === "number" || typeof value === "bigint") {
    const number = Number(value);
    ts = Math.round(number < SECONDS_BELOW ? number * 1000 : number);
  } else if (value instanceof Date) ts = value.getTime();
  else if (typeof value === "string") ts = parseTimestampText(value, now, aheadMsMax);
  if (!Number.isFinite(ts) || ts < 0) throw invalid("telemetry.ts_invalid");
  if (ts > now + aheadMsMax) throw invalid("telemetry.ts_future");
  return ts;
}

function parseTimestampText(text: string, now: number, aheadMsMax: number): number {
  if (/^\d{1,16}(\.\d+)?$/.test(text)) return parseTimestamp(Number(text), now, aheadMsMax);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return Number.NaN;
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const hasTime = text.length > 10;
  return Date.parse(hasTime && !hasZone ? `${text.replace(" ", "T")}Z` : text);
}
