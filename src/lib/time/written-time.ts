import { MINUTE_MS } from "../core/units.ts";
import { ZoneClock } from "./zone-clock.ts";

/*
 * Dates and times as people and programs write them, limited to unambiguous forms. `timestamp.ts` has the rule for numbers, and explains both.
 */

/** Date, usually with a time of day, as written. */
export interface WrittenTime {
  /** Wall clock in ms, as if it were UTC. */
  readonly wall: number;
  /** Milliseconds to subtract from the wall clock; undefined without an offset or zone. */
  readonly offsetMs: number | undefined;
  /** False for a day without a time. */
  readonly hasTime: boolean;
}

/** Order of day and month in dates with slashes, such as 03/04/2026. */
export type DateOrder = "day-first" | "month-first";

/**
 * Reason why a text is not a time: unknown form (`form`), nonexistent day or time of day (`missing`), ambiguous day and month (`order`), or the zone
 * in brackets does not exist (`zone`) or skips the time (`skipped`).
 */
export type WrittenFault = "form" | "missing" | "order" | "zone" | "skipped";

/** Max. characters of a time with a zone and its name. */
const LENGTH_MAX = 100;

/** The usual forms of ISO 8601. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:(Z|z)|([+-])(\d\d):(\d\d))?)?$/;
/** Dates with the year first, or the day first with points. Digits without separators are a date only if a time follows. */
const DATES: readonly RegExp[] = [
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?!\d)/,
  /^(?<year>\d{4})\/(?<month>\d\d?)\/(?<day>\d\d?)(?!\d)/,
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?=[Tt])/,
  /^(?<day>\d\d?)\.(?<month>\d\d?)\.(?<year>\d{4})(?!\d)/,
];
const SLASHED = /^(?<first>\d\d?)([/-])(?<second>\d\d?)\2(?<year>\d{4})(?!\d)/;
const TIMES: readonly RegExp[] = [
  /^(?:[Tt]|,? +)(?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?<half>[ap])\.?m\.?)?/i,
  /^,? +(?<hour>\d\d?)\.(?<minute>\d\d)(?:\.(?<second>\d\d))?(?![\d.])/,
  /^[Tt](?<hour>\d\d)(?:(?<minute>\d\d)(?:(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?(?!\d)/,
];
const ZONE =
  /^ *(?<utc>z|utc|gmt)?(?:(?<sign>[+\-\u2212])(?<hours>\d\d?)(?::?(?<minutes>\d\d)(?::?(?<seconds>\d\d))?)?)?(?:\[(?<name>[\w/+-]+)\])?$/i;

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Digits after the decimal sign of the seconds. */
  readonly fraction: string | undefined;
}

/** Returns the ms of the parts as if they were UTC; undefined for a nonexistent day or time of day. */
function wallOf({ year, month, day, hour, minute, second, fraction = "" }: Parts): number | undefined {
  const ms = fraction === "" ? 0 : Number(fraction.slice(0, 3).padEnd(3, "0"));
  // 24:00 is the end of the day; the 60th second is a leap second.
  const isEnd = hour === 24 && minute === 0 && second === 0 && ms === 0;
  const hasHour = hour <= 23 || isEnd;
  if (!hasHour || minute > 59 || second > 60 || (second === 60 && minute !== 59)) return undefined;
  const midnight = Date.UTC(year, month - 1, day);
  const date = new Date(midnight);
  // `Date` accepts February 31, and takes two-digit years for the 20th century.
  if (year < 100 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return midnight + hour * 60 * MINUTE_MS + minute * MINUTE_MS + second * 1_000 + ms;
}

/** Returns the ms of an offset; undefined for an offset of no place. */
function offsetOf(sign: string, hours: string, minutes = "0", seconds = "0"): number | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1_000;
  return sign === "+" ? ms : -ms;
}

/** Parses a date and time. */
export function parseWrittenTime(text: string, order?: DateOrder): WrittenTime | WrittenFault {
  if (latest.read(text)) return { wall: latest.wall, offsetMs: latest.isUtc ? 0 : undefined, hasTime: true };
  const found = ISO.exec(text);
  if (found === null) return text.length > LENGTH_MAX ? "form" : parseRare(text, order);
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction] = found;
  const wall = wallOf({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    fraction,
  });
  const [utc, sign, hours = "", minutes] = found.slice(8);
  const offsetMs = utc !== undefined ? 0 : sign === undefined ? undefined : offsetOf(sign, hours, minutes);
  if (wall === undefined || (sign !== undefined && offsetMs === undefined)) return "missing";
  return { wall, offsetMs, hasTime: found[4] !== undefined };
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Returns the parts of a date, and the remaining text. */
function parseDate(
  text: string,
  order: DateOrder | undefined,
): { date: Groups; rest: string } | WrittenFault {
  for (const pattern of DATES) {
    const found = pattern.exec(text);
    if (found?.groups !== undefined) return { date: found.groups, rest: text.slice(found[0].length) };
  }
  const found = SLASHED.exec(text);
  if (found?.groups === undefined) return "form";
  const { first, second, year } = found.groups;
  const resolved = order ?? orderOf(Number(first), Number(second));
  if (resolved === undefined) return "order";
  const [day, month] = resolved === "day-first" ? [first, second] : [second, first];
  return { date: { day, month, year }, rest: text.slice(found[0].length) };
}

/** Returns the order of a date if it is unambiguous: a month is at most 12. */
function orderOf(first: number, second: number): DateOrder | undefined {
  if (first > 12) return "day-first";
  if (second > 12) return "month-first";
  return first === second ? "day-first" : undefined;
}

/** Returns the order of a date with slashes if its numbers determine it; undefined otherwise. */
export function dateOrderOf(text: string): DateOrder | undefined {
  const groups = SLASHED.exec(text)?.groups;
  if (groups === undefined || groups.first === groups.second) return undefined;
  return orderOf(Number(groups.first), Number(groups.second));
}

/** Returns the time of day, and the remaining text. */
function parseTimeOfDay(text: string): { clock: Groups | undefined; rest: string } {
  for (const pattern of TIMES) {
    const found = pattern.exec(text);
    if (found?.groups !== undefined) return { clock: found.groups, rest: text.slice(found[0].length) };
  }
  return { clock: undefined, rest: text };
}

/** Max. cached clocks of zones. About 450 zones have a time of their own. */
const ZONES_MAX = 64;
/** Clocks of zones in texts, by name. */
const zoneClocks = new Map<string, ZoneClock>();

/** Returns the clock of a zone; undefined for an unknown one. */
function zoneClockOf(name: string): ZoneClock | undefined {
  const existing = zoneClocks.get(name);
  if (existing !== undefined) return existing;
  try {
    const clock = new ZoneClock(name);
    if (zoneClocks.size >= ZONES_MAX) zoneClocks.clear();
    zoneClocks.set(name, clock);
    return clock;
  } catch {
    return undefined;
  }
}

/** Returns the offset of a zone when its clocks first show `wall`. */
function offsetIn(name: string, wall: number): number | WrittenFault {
  const clock = zoneClockOf(name);
  if (clock === undefined) return "zone";
  const moments = clock.moments(wall);
  return "end" in moments ? "skipped" : wall - moments.first;
}

interface WrittenZone {
  /** Undefined without an offset. */
  readonly offsetMs: number | undefined;
  /** Name in brackets. A numeric offset takes precedence. */
  readonly name?: string | undefined;
}

/** Returns the zone of a text. A day without a time has no zone except `Z`. */
function parseZone(text: string, hasTime: boolean): WrittenZone | WrittenFault {
  if (!hasTime) return text === "" ? { offsetMs: undefined } : /^z$/i.test(text) ? { offsetMs: 0 } : "form";
  const groups = ZONE.exec(text)?.groups;
  if (groups === undefined) return "form";
  const { utc, sign, hours = "", minutes, seconds, name } = groups;
  if (sign === undefined) return { offsetMs: utc === undefined ? undefined : 0, name };
  const offsetMs = offsetOf(sign === "+" ? "+" : "-", hours, minutes, seconds);
  return offsetMs === undefined ? "missing" : { offsetMs };
}

function parseRare(text: string, order: DateOrder | undefined): WrittenTime | WrittenFault {
  const dated = parseDate(text, order);
  if (typeof dated === "string") return dated;
  const { clock, rest } = parseTimeOfDay(dated.rest);
  const zoned = parseZone(rest, clock !== undefined);
  if (typeof zoned === "string") return zoned;
  const { hour = "0", minute = "0", second = "0", fraction, half } = clock ?? {};
  const wall = wallOf({
    year: Number(dated.date.year),
    month: Number(dated.date.month),
    day: Number(dated.date.day),
    hour: hourOf(Number(hour), half),
    minute: Number(minute),
    second: Number(second),
    fraction,
  });
  if (wall === undefined) return "missing";
  const { name, offsetMs = name === undefined ? undefined : offsetIn(name, wall) } = zoned;
  return typeof offsetMs === "string" ? offsetMs : { wall, offsetMs, hasTime: clock !== undefined };
}

/** Converts an hour before (`a`) or after (`p`) noon to the hour of the day. */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return Number.NaN;
  return (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0);
}

const ZERO = 48;
const NINE = 57;
const SPACE = 32;
const DASH = 45;
const POINT = 46;
const COLON = 58;
const CAPITAL_T = 84;
const CAPITAL_Z = 90;
const DATE_LENGTH = 10;

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Returns two digits of a text as a number; NaN if there are none. */
function twoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index);
  const ones = text.charCodeAt(index + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : Number.NaN;
}

/**
 * Parses `2026-12-31T10:00:00.123Z`, also with a space instead of the T, a fraction of any length, and without seconds and zone, several times as
 * fast as an expression: the day is nearly always the same as before. Other texts are left to the expressions.
 */
export class UsualTime {
  /** Wall clock of the most recently parsed text, in ms as if it were UTC. */
  wall = 0;
  isUtc = false;
  #date = "";
  #midnight = Number.NaN;
  /** Index after the parsed part. */
  #end = 0;

  /** Parses a text. Returns whether it has this form. */
  read(text: string): boolean {
    const separator = text.charCodeAt(DATE_LENGTH);
    if (separator !== CAPITAL_T && separator !== SPACE) return false;
    if (this.#date === "" || !text.startsWith(this.#date)) this.#readDate(text.slice(0, DATE_LENGTH));
    const hour = twoDigits(text, 11);
    const minute = twoDigits(text, 14);
    if (!(hour < 24 && minute < 60) || text.charCodeAt(13) !== COLON) return false;
    const ms = this.#readSeconds(text);
    this.isUtc = text.charCodeAt(this.#end) === CAPITAL_Z;
    this.wall = this.#midnight + (hour * 60 + minute) * MINUTE_MS + ms;
    return this.#end + (this.isUtc ? 1 : 0) === text.length && !Number.isNaN(this.wall);
  }

  /** Returns the ms after hour and minute and moves to their end; NaN for another form. */
  #readSeconds(text: string): number {
    this.#end = 16;
    if (text.charCodeAt(16) !== COLON) return 0;
    this.#end = 19;
    const second = twoDigits(text, 17);
    if (!(second < 60)) return Number.NaN;
    return second * 1_000 + (text.charCodeAt(19) === POINT ? this.#readFraction(text) : 0);
  }

  /** Returns the ms of a fraction and moves to its end; NaN without digits. */
  #readFraction(text: string): number {
    const start = 20;
    let ms = 0;
    let weight = 100;
    let index = start;
    for (; isDigit(text.charCodeAt(index)); index++) {
      ms += (text.charCodeAt(index) - ZERO) * weight;
      weight = Math.floor(weight / 10); // 0 for µs and ns
    }
    this.#end = index;
    return index === start ? Number.NaN : ms;
  }

  #readDate(date: string): void {
    const time = date.charCodeAt(4) === DASH ? parseWrittenTime(date) : "form";
    this.#date = date;
    this.#midnight = typeof time === "string" ? Number.NaN : time.wall;
  }
}

/** Parser shared by the messages of all devices. */
const latest = new UsualTime();
