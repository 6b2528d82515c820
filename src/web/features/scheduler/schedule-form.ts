// A schedule in the form, and as sent to the gateway.

import { fromZonedText, toZonedText } from "../../lib/zoned-time.ts";
import type { JobSchedule } from "./scheduler-api.ts";

export const REPEATS = ["weekly", "monthly", "interval", "once", "cron"] as const;
export type Repeat = (typeof REPEATS)[number];
export const UNITS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
export type Unit = keyof typeof UNITS;
/** Monday to Sunday in the numbering of cron expressions. */
export const WEEK = [1, 2, 3, 4, 5, 6, 0] as const;
/** "L": the last day of the month. */
export type MonthDay = number | "L";

/** Each kind of schedule keeps what was entered for it while another one is selected. */
export interface ScheduleForm {
  readonly repeat: Repeat;
  readonly timezone: string;
  readonly time: string;
  readonly days: readonly number[];
  readonly monthDay: MonthDay;
  readonly every: number;
  readonly unit: Unit;
  /** Local time in the time zone, such as `2026-12-24T18:00`. */
  readonly at: string;
  readonly expression: string;
}

export const newForm = (timezone: string, now: number): ScheduleForm => ({
  repeat: "weekly",
  timezone,
  time: "06:00",
  days: WEEK,
  monthDay: 1,
  every: 15,
  unit: "minutes",
  at: toZonedText(now + UNITS.hours, timezone),
  expression: "0 6 * * *",
});

const clockTime = (hour: string, minute: string) => `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;

const DAY_NAMES = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

function readDay(text: string): number | undefined {
  if (/^[0-7]$/.test(text)) return Number(text);
  const named = DAY_NAMES.indexOf(text.toUpperCase());
  return named < 0 ? undefined : named;
}

/** Reads `*`, `1,3`, `1-5` or `MON-FRI`; undefined for expressions that the form cannot show. */
function readDays(field: string): readonly number[] | undefined {
  if (field === "*") return WEEK;
  const days: number[] = [];
  for (const part of field.split(",")) {
    const ends = part.split("-").map(readDay);
    const [from, to = from] = ends;
    if (from === undefined || to === undefined || ends.length > 2 || ends.includes(undefined) || from > to)
      return undefined;
    for (let day = from; day <= to; day++) days.push(day % 7);
  }
  return days;
}

/** Returns a cron expression in words, if possible. */
export function readExpression(
  expression: string,
):
  | Pick<ScheduleForm, "repeat" | "time" | "days">
  | Pick<ScheduleForm, "repeat" | "time" | "monthDay">
  | undefined {
  const found = /^(\d{1,2}) (\d{1,2}) (\*|L|\d{1,2}) \* (\S+)$/.exec(expression.trim());
  if (!found) return undefined;
  const [, minute = "", hour = "", monthDay = "", days = ""] = found;
  if (Number(minute) > 59 || Number(hour) > 23) return undefined;
  const time = clockTime(hour, minute);
  if (monthDay === "*") {
    const named = readDays(days);
    return named && { repeat: "weekly", time, days: WEEK.filter((day) => named.includes(day)) };
  }
  if (days !== "*") return undefined;
  return { repeat: "monthly", time, monthDay: monthDay === "L" ? "L" : Number(monthDay) };
}

const isSameTime = (a: string, b: string) =>
  JSON.stringify(readExpression(a)) === JSON.stringify(readExpression(b));

export function readInterval(everyMs: number): Pick<ScheduleForm, "every" | "unit"> | undefined {
  for (const unit of ["days", "hours", "minutes"] as const)
    if (everyMs % UNITS[unit] === 0) return { every: everyMs / UNITS[unit], unit };
  return undefined;
}

export function formOf(schedule: JobSchedule, now: number): ScheduleForm {
  const form = newForm(schedule.timezone, now);
  if (schedule.kind === "once")
    return { ...form, repeat: "once", at: toZonedText(Date.parse(schedule.at), schedule.timezone) };
  if (schedule.kind === "interval") {
    const read = readInterval(schedule.everyMs) ?? {
      every: schedule.everyMs / UNITS.minutes,
      unit: "minutes",
    };
    return { ...form, repeat: "interval", ...read };
  }
  const { expression } = schedule;
  return { ...form, expression, repeat: "cron", ...readExpression(expression) };
}

/** `known` is the schedule that the form was filled from: its parts that the form does not show are kept. */
export function scheduleOf(form: ScheduleForm, jobSchedule?: JobSchedule): JobSchedule {
  const { timezone } = form;
  const [hour = "0", minute = "0"] = form.time.split(":");
  const start = `${Number(minute)} ${Number(hour)}`;
  if (form.repeat === "interval") {
    const time = jobSchedule?.kind === "interval" ? jobSchedule.at : undefined;
    return {
      kind: "interval",
      everyMs: Math.round(form.every * UNITS[form.unit]),
      ...(time && { at: time }),
      timezone,
    };
  }
  if (form.repeat === "once") {
    const isKept =
      jobSchedule?.kind === "once" &&
      jobSchedule.timezone === timezone &&
      toZonedText(Date.parse(jobSchedule.at), timezone) === form.at;
    return { kind: "once", at: isKept ? jobSchedule.at : fromZonedText(form.at), timezone };
  }
  if (form.repeat === "monthly")
    return { kind: "cron", expression: `${start} ${form.monthDay} * *`, timezone };
  if (form.repeat === "cron") return { kind: "cron", expression: form.expression.trim(), timezone };
  const days = form.days.length === WEEK.length ? "*" : [...form.days].sort().join(",");
  const expression = `${start} * * ${days}`;
  const isKept = jobSchedule?.kind === "cron" && isSameTime(jobSchedule.expression, expression);
  return { kind: "cron", expression: isKept ? jobSchedule.expression : expression, timezone };
}
