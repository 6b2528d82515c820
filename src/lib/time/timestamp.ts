import { DomainError, detail, invalid } from "../core/domain-error.ts";
import { excerpt } from "../strings/excerpt.ts";
import type { Text } from "../texts/text.ts";
import { type DateOrder, parseWrittenTime, type WrittenFault } from "./written-time.ts";
import type { ZoneClock } from "./zone-clock.ts";

/*
 * The only reader of timestamps. A number is an epoch in the unit that puts it between the year 2000 and some years from now: the ranges of
 * seconds, milliseconds, microseconds and nanoseconds do not overlap. Other numbers (0, an uptime in seconds, a serial number, 20240101) are
 * not timestamps. A string is a date as `written-time.ts` reads it, in the zone that it names, otherwise in the zone of the request, otherwise
 * in UTC.
 *
 * If a live message has an invalid timestamp because the device's clock is not set (`isUnset`), its values are stored at the time of receipt,
 * with a note. In files, such rows are refused, with the reason.
 */

/** Epoch ms from which a clock counts as set. Unset clocks start earlier. */
export const CLOCK_SET_FROM_MS = Date.UTC(2000, 0, 1);
/** Max. timestamp ahead of the clock of the gateway. */
export const FUTURE_MS_MAX = 24 * 3_600_000;
/**
 * Max. timestamp ahead for senders that cannot handle a refusal, because the clock of the gateway may be behind. Such readings are held until they
 * are due.
 */
export const HELD_MS_MAX = 10 * 366 * FUTURE_MS_MAX;

/** Reason why a value is not a time. */
export class TimeFault {
  readonly reason: Text;
  /** True if the clock of the sender is not set, or its number is not an epoch time. */
  readonly isUnset: boolean;

  constructor(reason: Text, { isUnset = false } = {}) {
    this.reason = reason;
    this.isUnset = isUnset;
  }
}

export interface TimeRules {
  /** Epoch ms. */
  readonly now: number;
  /** 24 hours by default. */
  readonly aheadMsMax?: number | undefined;
}

export const TIME_UNITS = ["s", "ms", "us", "ns"] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** Units per ms; for seconds, the fraction per ms. */
const PER_MS: Readonly<Record<TimeUnit, number>> = { s: 0.001, ms: 1, us: 1_000, ns: 1_000_000 };

/** Converts an epoch in a unit to epoch ms. Finer times are truncated to the containing ms; fractions of seconds and ms are rounded. */
function toMs(value: number, unit: TimeUnit): number {
  if (unit === "s") return Math.round(value * 1_000);
  return unit === "ms" ? Math.round(value) : Math.floor(value / PER_MS[unit]);
}

/** Returns the unit in which a number is a plausible epoch up to `untilMs`. */
export function unitOf(value: number, untilMs: number): TimeUnit | undefined {
  return TIME_UNITS.find(
    (unit) => value >= CLOCK_SET_FROM_MS * PER_MS[unit] && value <= untilMs * PER_MS[unit],
  );
}

/** Min. and max. days since 1900 in spreadsheets, for the years 1982 to 2091. */
const SERIAL_MIN = 30_000;
const SERIAL_MAX = 70_000;
/** Date of the years 1900 to 2099 without separators, with an optional time. */
const COMPACT_DATE =
  /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d(?:[0-5]\d){0,2}|2[0-3](?:[0-5]\d){0,2})?$/;

/** Returns why a number is not an epoch time. */
function numberFault(value: number, untilMs: number): TimeFault {
  const number = excerpt(String(value));
  if (COMPACT_DATE.test(number))
    return new TimeFault(detail("telemetry.ts_compact", { number }), { isUnset: true });
  if (value > untilMs) return new TimeFault(detail("telemetry.ts_future"));
  if (value >= SERIAL_MIN && value <= SERIAL_MAX)
    return new TimeFault(detail("telemetry.ts_serial", { number }), { isUnset: true });
  return new TimeFault(detail("telemetry.ts_number", { number }), { isUnset: true });
}

/** Parses a number as an epoch. */
export function readEpoch(value: number, now: number, aheadMsMax = FUTURE_MS_MAX): number | TimeFault {
  // The form that nearly every device sends.
  if (value >= CLOCK_SET_FROM_MS && value <= now) return Math.round(value);
  if (!Number.isFinite(value)) return new TimeFault(detail("telemetry.ts_invalid"));
  const unit = unitOf(value, now + aheadMsMax);
  return unit === undefined ? numberFault(value, now + aheadMsMax) : toMs(value, unit);
}

/** Number in a text, with either decimal sign. */
const NUMERIC = /^[+-]?\d{1,20}(?:[.,]\d{1,20})?$/;
const numberIn = (text: string): number => Number(text.replace(",", "."));

const faults: Readonly<Record<WrittenFault, TimeFault>> = {
  form: new TimeFault(detail("telemetry.ts_invalid")),
  missing: new TimeFault(detail("telemetry.ts_missing_day")),
  order: new TimeFault(detail("telemetry.ts_order")),
  zone: new TimeFault(detail("telemetry.ts_zone")),
  skipped: new TimeFault(detail("telemetry.ts_skipped")),
};

export interface WrittenRules extends TimeRules {
  /** Zone of texts without a zone; UTC by default. */
  readonly zone?: ZoneClock | undefined;
  readonly order?: DateOrder | undefined;
  /** True to accept written dates from 1970 instead of 2000, as history files contain them. */
  readonly isPast?: boolean | undefined;
}

/** Parses a text: a written date, or a number like `readEpoch`. `momentOf` selects the moment in a zone, by default the first one. */
export function readTimeText(
  text: string,
  rules: WrittenRules,
  momentOf: (wall: number, zone: ZoneClock) => number | TimeFault = firstMoment,
): number | TimeFault {
  if (NUMERIC.test(text)) return readEpoch(numberIn(text), rules.now, rules.aheadMsMax);
  const written = parseWrittenTime(text.trim(), rules.order);
  if (typeof written === "string") return faults[written];
  const { wall, offsetMs, hasTime } = written;
  const { zone } = rules;
  if (offsetMs !== undefined || zone === undefined) return bounded(wall - (offsetMs ?? 0), rules);
  const moment = hasTime ? momentOf(wall, zone) : startOf(wall, zone);
  return typeof moment === "number" ? bounded(moment, rules) : moment;
}

/** Returns the first moment at which clocks show the time. */
function firstMoment(wall: number, zone: ZoneClock): number | TimeFault {
  const moments = zone.moments(wall);
  return "end" in moments ? skippedTime : moments.first;
}

/** Returns the start of a day. If clocks skip midnight, it is the end of the gap. */
function startOf(wall: number, zone: ZoneClock): number {
  const moments = zone.moments(wall);
  return "end" in moments ? moments.end : moments.first;
}

/** Fault of a local time that clocks skip in spring. */
export const skippedTime = faults.skipped;

function bounded(
  ts: number,
  { now, aheadMsMax = FUTURE_MS_MAX, isPast = false }: WrittenRules,
): number | TimeFault {
  if (ts > now + aheadMsMax) return new TimeFault(detail("telemetry.ts_future"));
  if (ts >= (isPast ? 0 : CLOCK_SET_FROM_MS)) return ts;
  const time = new Date(ts).toISOString();
  return new TimeFault(detail(isPast ? "telemetry.ts_before_epoch" : "telemetry.ts_unset", { time }), {
    isUnset: !isPast,
  });
}

/** Parses a timestamp of any type to epoch ms. */
export function readTimestamp(value: unknown, rules: WrittenRules): number | TimeFault {
  if (typeof value === "number") return readEpoch(value, rules.now, rules.aheadMsMax);
  if (typeof value === "bigint") return readEpoch(Number(value), rules.now, rules.aheadMsMax);
  if (typeof value === "string") return readTimeText(value, rules);
  if (value instanceof Date && Number.isFinite(value.getTime())) return bounded(value.getTime(), rules);
  return faults.form;
}

/** Parses a timestamp of a history file: written dates back to 1970, numbers only up to the present. Takes the rules of `fileRules`. */
export function readFileTime(
  value: unknown,
  rules: WrittenRules,
  momentOf?: (wall: number, zone: ZoneClock) => number | TimeFault,
): number | TimeFault {
  if (typeof value === "number" || typeof value === "bigint") return readEpoch(Number(value), rules.now);
  if (typeof value !== "string") return readTimestamp(value, rules);
  if (NUMERIC.test(value)) return readEpoch(numberIn(value), rules.now);
  return readTimeText(value, rules, momentOf);
}

export const fileRules = (rules: Pick<WrittenRules, "now" | "zone" | "order">): WrittenRules => ({
  ...rules,
  aheadMsMax: HELD_MS_MAX,
  isPast: true,
});

/**
 * Returns a timestamp as epoch ms.
 * @throws DomainError `invalid` for a value that is not a time, or more than `aheadMsMax` ahead of `now`
 */
export function parseTimestamp(value: unknown, now: number, aheadMsMax = FUTURE_MS_MAX): number {
  if (typeof value === "number" && value >= CLOCK_SET_FROM_MS && value <= now) return Math.round(value);
  const ts = readTimestamp(value, { now, aheadMsMax });
  if (typeof ts === "number") return ts;
  throw new DomainError("invalid", ts.reason);
}

/** Reports a replaced time of an accepted message. */
export type NoteTime = (reason: DomainError) => void;

/**
 * Returns the timestamp of a live message. If the clock of the sender is not set, it is the time of receipt, which is reported to `note`.
 * @throws DomainError `invalid` for any other value that is not a time
 */
export function liveTimestamp(value: unknown, now: number, note: NoteTime): number {
  if (typeof value === "number" && value >= CLOCK_SET_FROM_MS && value <= now) return Math.round(value);
  const ts = readTimestamp(value, { now, aheadMsMax: HELD_MS_MAX });
  if (typeof ts === "number") return ts;
  if (!ts.isUnset) throw new DomainError("invalid", ts.reason);
  note(invalid("telemetry.ts_replaced", { reason: ts.reason }));
  return now;
}
