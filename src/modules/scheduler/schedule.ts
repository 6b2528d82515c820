import type { Cron } from "croner";
import { CRON_CHARACTERS_MAX, JOB_INTERVAL_MS_MAX } from "../../lib/console/form-limits.ts";
import { detail } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { excerpt, reasonExcerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import { firstInstant, zoneOffset } from "../../lib/time/calendar-interval.ts";
import { isTimeZone } from "../../lib/time/time-zone.ts";
import { parseWrittenTime } from "../../lib/time/written-time.ts";
import { scheduleInvalid } from "./scheduler.errors.ts";
import type { Schedule } from "./scheduler.types.ts";

interface CronField {
  readonly name: Text;
  readonly min: number;
  readonly max: number;
  /** Words for the field's numbers. */
  readonly words: readonly string[];
  /** Other syntax that croner accepts in the field. */
  readonly others: RegExp;
}

const NONE = /(?!)/;
const fields: readonly CronField[] = [
  { name: detail("cron_field.minute"), min: 0, max: 59, words: [], others: NONE },
  { name: detail("cron_field.hour"), min: 0, max: 23, words: [], others: NONE },
  { name: detail("cron_field.day"), min: 1, max: 31, words: [], others: /^(L|LW|\d\d?W)$/i },
  {
    name: detail("cron_field.month"),
    min: 1,
    max: 12,
    words: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
    others: NONE,
  },
  {
    name: detail("cron_field.weekday"),
    min: 0,
    max: 7,
    words: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
    others: /^(L|[0-7]L|[A-Z]{3}L|\w{1,3}#[1-5L])$/i,
  },
];

const NUMBER = /^\d{1,4}$/;

/** Returns the number of a part of a field; undefined for anything else. */
function numberOf(text: string, { words, min }: CronField): number | undefined {
  const word = words.indexOf(text.toUpperCase());
  if (word >= 0) return word + min;
  return NUMBER.test(text) ? Number(text) : undefined;
}

function numberMistake(text: string, field: CronField): Text | undefined {
  const { name, min, max } = field;
  const value = numberOf(text, field);
  if (value === undefined) return detail("rule.cron_word", { field: name, value: excerpt(text) });
  return value < min || value > max ? detail("rule.cron_range", { field: name, value, min, max }) : undefined;
}

function stepMistake(step: string | undefined, field: CronField): Text | undefined {
  if (step === undefined) return undefined;
  const isStep = NUMBER.test(step) && Number(step) >= 1 && Number(step) <= field.max;
  return isStep
    ? undefined
    : detail("rule.cron_step", { field: field.name, value: excerpt(step), max: field.max });
}

function itemMistake(item: string, field: CronField): Text | undefined {
  if (item === "*" || item === "?" || field.others.test(item)) return undefined;
  const [range = "", step, more] = item.split("/");
  if (more !== undefined) return detail("rule.cron_word", { field: field.name, value: excerpt(item) });
  if (range === "*") return stepMistake(step, field);
  const [from = "", to, rest] = range.split("-");
  if (from === "" || to === "" || rest !== undefined)
    return detail("rule.cron_word", { field: field.name, value: excerpt(item) });
  const wrong = numberMistake(from, field) ?? (to === undefined ? undefined : numberMistake(to, field));
  if (wrong !== undefined) return wrong;
  if (to === undefined && step !== undefined)
    return detail("rule.cron_start", { field: field.name, value: excerpt(item), from, max: field.max, step });
  const isBackwards = to !== undefined && (numberOf(from, field) ?? 0) > (numberOf(to, field) ?? 0);
  if (isBackwards)
    return detail("rule.cron_backwards", {
      field: field.name,
      value: item,
      from,
      max: field.max,
      min: field.min,
      to,
    });
  return stepMistake(step, field);
}

/** Returns the error in a five-field expression, in its author's terms; undefined if it cannot be determined. */
function cronMistake(expression: string): Text | undefined {
  for (const [index, text] of expression.split(" ").entries()) {
    const field = fields[index];
    if (field === undefined) return undefined;
    for (const item of text.split(",")) {
      const mistake = itemMistake(item, field);
      if (mistake !== undefined) return mistake;
    }
  }
  return undefined;
}

/*
 * Calculates when a cron expression is due in a time zone. croner parses the expression and enumerates times in UTC; daylight saving is applied here,
 * because its effect depends on the expression. If minute and hour are numbers or lists, they are times of day, each of which is due once a day: when
 * clocks first show it, or at the end of the gap that skips it. With a wildcard, range or step, the expression repeats within the day and is due
 * whenever clocks show a matching time: never within a gap, and twice in a repeated hour.
 */

/** Latest time with a four-digit year, below the maximum of a Date. */
const TIME_MAX = Date.parse("9999-12-31T00:00:00Z");

/** Loads croner with the first expression, which saves 2 MB without schedules; synchronously, because transactions compute times. */
function newCron(expression: string): Cron {
  const croner: typeof import("croner") = require("croner");
  return new croner.Cron(expression, { timezone: "UTC", mode: "5-part", paused: true });
}

/** Returns whether the expression repeats within the day. */
function isRepeating(expression: string): boolean {
  if (expression.startsWith("@")) return expression === "@hourly";
  const [minute = "", hour = ""] = expression.split(" ");
  return /[*?/-]/.test(`${minute} ${hour}`);
}

/** Times of an expression in a zone. @throws Error of croner for an invalid expression */
class CronTimes {
  readonly #cron: Cron;
  readonly #offset: (ts: number) => number;
  readonly #timezone: string;
  readonly #isRepeating: boolean;

  constructor(expression: string, timezone: string) {
    this.#cron = newCron(expression);
    this.#offset = zoneOffset(timezone);
    this.#timezone = timezone;
    this.#isRepeating = isRepeating(expression);
  }

  /** Returns the first time after `after` (epoch ms); undefined if there is none. */
  next(after: number): number | undefined {
    const next = this.#isRepeating ? this.#nextShown(after) : this.#nextOfDay(after);
    return next === undefined || next <= after || next > TIME_MAX ? undefined : next;
  }

  /** Returns the first time after `wall` that matches, in ms as if the wall clock were UTC. */
  #nextWall(wall: number): number | undefined {
    return this.#cron.nextRun(new Date(wall))?.getTime();
  }

  /** Returns the next time that occurs once a day; times of day in order also first occur in order. */
  #nextOfDay(after: number): number | undefined {
    let wall = this.#nextWall(after + this.#offset(after));
    while (wall !== undefined) {
      const moment = firstInstant(wall, this.#offset);
      if (moment > after) return moment;
      wall = this.#nextWall(wall);
    }
    return undefined;
  }

  /** Returns the next moment at which clocks show a matching time, from one clock change to the next. */
  #nextShown(after: number): number | undefined {
    let shift = this.#offset(after);
    let wall = this.#nextWall(after + shift);
    let change = this.#changeAfter(after);
    while (wall !== undefined && change !== undefined && wall - shift >= change) {
      shift = this.#offset(change);
      // The local time at the clock change itself counts, too.
      wall = this.#nextWall(change + shift - 1);
      change = this.#changeAfter(change);
    }
    return wall === undefined ? undefined : wall - shift;
  }

  /** Returns the next clock change after a moment. */
  #changeAfter(moment: number): number | undefined {
    const from = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(this.#timezone);
    return from.getTimeZoneTransition("next")?.epochMilliseconds;
  }
}

/** Min. interval in ms: jobs are checked every 15 s, so shorter intervals would not be met. */
const INTERVAL_MS_MIN = 60_000;

const NICKNAMES = new Set(["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"]);
const ISO_DATE = /^\d{4}-\d\d-\d\d/;

/** Recently compiled expressions, because a job needs its next time after each run. */
const compiled = new Map<string, CronTimes>();
const COMPILED_MAX = 500;

function cronOf(expression: string, timezone: string): CronTimes {
  const key = `${timezone} ${expression}`;
  const existing = compiled.get(key);
  if (existing !== undefined) return existing;
  const created = new CronTimes(expression, timezone);
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  compiled.set(key, created);
  return created;
}

/**
 * Returns the first time after `after` (epoch ms) at which the schedule is due; undefined if there is none. A time of day skipped by daylight saving
 * is due when the gap ends; a repeated one at its first occurrence. Schedules that repeat within the day (every minute, every hour) continue through
 * both, as `CronTimes` explains.
 */
export function nextTime(schedule: Schedule, after: number): number | undefined {
  if (schedule.kind === "once") return schedule.at > after ? schedule.at : undefined;
  if (schedule.kind === "interval") {
    const { everyMs, anchorAt, at } = schedule;
    if (at !== null && at > after) return at;
    const next = anchorAt + (Math.floor((after - anchorAt) / everyMs) + 1) * everyMs;
    return next > TIME_MAX ? undefined : next;
  }
  return cronOf(schedule.expression, schedule.timezone).next(after);
}

/** Returns the latest time of the schedule up to `until`; `from`, itself a time, if there is none between. */
export function latestTime(schedule: Schedule, from: number, until: number): number {
  if (schedule.kind === "once") return from;
  // Windows of twice the length each, until one holds a time: few times lie in the last of them.
  let start = from;
  for (let width = INTERVAL_MS_MIN; until - width > from; width *= 2) {
    const first = nextTime(schedule, until - width);
    if (first === undefined || first > until) continue;
    start = first;
    break;
  }
  let latest = start;
  for (let next = nextTime(schedule, latest); next !== undefined && next <= until; )
    [latest, next] = [next, nextTime(schedule, next)];
  return latest;
}

/** Returns whether two schedules are equal. Intervals without a start are equal even if they began at different times. */
export function isSameSchedule(a: Schedule, b: Schedule): boolean {
  const essence = (schedule: Schedule) =>
    JSON.stringify({ ...schedule, ...(schedule.kind === "interval" && { anchorAt: 0 }) });
  return essence(a) === essence(b);
}

/** Validates a submitted schedule. `now` is the start of an interval that names none. @throws DomainError */
export function parseSchedule(input: unknown, now: number): Schedule {
  if (!isJsonObject(input)) throw scheduleInvalid("kind", detail("rule.schedule_kind"));
  const timezone = parseZone(input.timezone);
  if (input.kind === "cron")
    return { kind: "cron", expression: parseExpression(input.expression, timezone), timezone };
  if (input.kind === "once") {
    if (input.at === undefined) throw scheduleInvalid("at", detail("rule.once_needs_time"));
    return { kind: "once", at: parseTime(input.at, timezone), timezone };
  }
  if (input.kind !== "interval") throw scheduleInvalid("kind", detail("rule.schedule_kind"));
  const { everyMs } = input;
  if (
    !Number.isInteger(everyMs) ||
    Number(everyMs) < INTERVAL_MS_MIN ||
    Number(everyMs) > JOB_INTERVAL_MS_MAX
  )
    throw scheduleInvalid(
      "everyMs",
      detail("rule.whole_number_between", { min: INTERVAL_MS_MIN, max: JOB_INTERVAL_MS_MAX }),
    );
  const timeMs = input.at === undefined ? null : parseTime(input.at, timezone);
  return { kind: "interval", everyMs: Number(everyMs), at: timeMs, anchorAt: timeMs ?? now, timezone };
}

function parseZone(input: unknown): string {
  if (input === undefined) return "UTC";
  if (!isTimeZone(input)) throw scheduleInvalid("timezone", detail("rule.timezone"));
  return input;
}

function parseExpression(input: unknown, timezone: string): string {
  if (typeof input !== "string" || input.length > CRON_CHARACTERS_MAX)
    throw scheduleInvalid("expression", detail("rule.text_max", { max: CRON_CHARACTERS_MAX }));
  const expression = input.trim().replaceAll(/\s+/g, " ");
  if (expression.startsWith("@") ? !NICKNAMES.has(expression) : expression.split(" ").length !== 5)
    throw scheduleInvalid("expression", detail("rule.cron_parts"));
  try {
    cronOf(expression, timezone);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "";
    const unreadable = detail("rule.cron_unreadable", { reason: reasonExcerpt(reason) });
    throw scheduleInvalid("expression", cronMistake(expression) ?? unreadable);
  }
  return expression;
}

/** Parses ISO 8601, in the time zone if it has no offset. Times skipped by a clock change become the end of the gap. */
function parseTime(input: unknown, timezone: string): number {
  const time = typeof input === "string" && ISO_DATE.test(input) ? parseWrittenTime(input) : "form";
  if (time === "missing" || time === "skipped") throw scheduleInvalid("at", detail("rule.time_missing"));
  if (time === "zone") throw scheduleInvalid("at", detail("rule.timezone"));
  if (typeof time === "string" || !time.hasTime) throw scheduleInvalid("at", detail("rule.time"));
  const { wall, offsetMs } = time;
  const timeMs = offsetMs === undefined ? firstInstant(wall, zoneOffset(timezone)) : wall - offsetMs;
  if (!(timeMs >= 0 && timeMs <= TIME_MAX)) throw scheduleInvalid("at", detail("rule.time_missing"));
  return timeMs;
}
