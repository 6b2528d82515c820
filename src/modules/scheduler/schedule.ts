import { firstInstant, zoneOffset } from "../../lib/calendar-interval.ts";
import { detail } from "../../lib/domain-error.ts";
import { reasonExcerpt } from "../../lib/excerpt.ts";
import { isJsonObject } from "../../lib/json.ts";
import { isTimeZone } from "../../lib/time-zone.ts";
import { parseWrittenTime } from "../../lib/written-time.ts";
import { cronMistake } from "./cron-mistakes.ts";
import { CronTimes, TIME_MAX } from "./cron-times.ts";
import { scheduleInvalid } from "./scheduler.errors.ts";
import type { Schedule } from "./scheduler.types.ts";

/** Jobs are looked for every 15 s: what comes more often than every minute would not be kept. */
const INTERVAL_MS_MIN = 60_000;
const INTERVAL_MS_MAX = 366 * 86_400_000;
const EXPRESSION_LENGTH_MAX = 200;

const nicknames = new Set(["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"]);
const isoDate = /^\d{4}-\d\d-\d\d/;

/** The newest expressions, compiled: a job asks for its next time after each run. */
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
 * The first time after `after` (epoch ms) at which the schedule is due; undefined when none comes. A time of day that daylight saving
 * leaves out is due when the gap ends; one that comes twice is due the first time. What repeats within the day (every minute, every
 * hour) goes on through both: see `cron-times.ts`.
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

/** The latest time of the schedule up to `until`, where one lies between `from`, itself a time of it, and there. */
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

/** Returns whether two schedules are the same. Intervals without a start are the same even if they began at different times. */
export function isSameSchedule(a: Schedule, b: Schedule): boolean {
  const essence = (schedule: Schedule) =>
    JSON.stringify({ ...schedule, ...(schedule.kind === "interval" && { anchorAt: 0 }) });
  return essence(a) === essence(b);
}

/** A schedule as it is asked for, checked. `now` begins an interval that names no start. @throws DomainError */
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
  if (!Number.isInteger(everyMs) || Number(everyMs) < INTERVAL_MS_MIN || Number(everyMs) > INTERVAL_MS_MAX)
    throw scheduleInvalid(
      "everyMs",
      detail("rule.whole_number_between", { min: INTERVAL_MS_MIN, max: INTERVAL_MS_MAX }),
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
  if (typeof input !== "string" || input.length > EXPRESSION_LENGTH_MAX)
    throw scheduleInvalid("expression", detail("rule.text_max", { max: EXPRESSION_LENGTH_MAX }));
  const expression = input.trim().replaceAll(/\s+/g, " ");
  if (expression.startsWith("@") ? !nicknames.has(expression) : expression.split(" ").length !== 5)
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

/** ISO 8601; without an offset it is meant in the time zone. What the clocks there skip is when the gap ends. */
function parseTime(input: unknown, timezone: string): number {
  const time = typeof input === "string" && isoDate.test(input) ? parseWrittenTime(input) : "form";
  if (time === "form" || time === "order" || (time !== "missing" && !time.hasTime))
    throw scheduleInvalid("at", detail("rule.time"));
  if (time === "missing") throw scheduleInvalid("at", detail("rule.time_missing"));
  const { wall, offsetMs } = time;
  const timeMs = offsetMs === undefined ? firstInstant(wall, zoneOffset(timezone)) : wall - offsetMs;
  if (!(timeMs >= 0 && timeMs <= TIME_MAX)) throw scheduleInvalid("at", detail("rule.time_missing"));
  return timeMs;
}
