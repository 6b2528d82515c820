import { DAY_MS } from "../../../lib/core/units.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { language } from "../../platform/preferences.ts";
import { readExpression, readInterval, WEEK } from "./schedule-form.ts";
import type { JobAction, JobSchedule } from "./scheduler-api.ts";

/** Any Sunday. */
const SUNDAY = Date.UTC(2026, 0, 4);

/** Returns the name of a day in the numbering of cron expressions: 0 is Sunday. */
export function dayName(day: number, weekday: "short" | "long"): string {
  return new Intl.DateTimeFormat(language.value, { weekday, timeZone: "UTC" }).format(SUNDAY + day * DAY_MS);
}

/** Formats a time in the zone of the job, with the zone's name. */
export function zonedTime(iso: string, timeZone: string): string {
  return new Intl.DateTimeFormat(language.value === "de" ? "de-DE" : "en-GB", {
    weekday: "short",
    day: "2-digit",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
    timeZone,
  }).format(Date.parse(iso));
}

/** Describes the schedule of a job in words if possible. */
export function scheduleText(schedule: JobSchedule): string {
  if (schedule.kind === "once")
    return t("schedule.once", { date: zonedTime(schedule.at, schedule.timezone) });
  if (schedule.kind === "interval") {
    const read = readInterval(schedule.everyMs);
    return read
      ? plural(`schedule.${read.unit}`, read.every)
      : plural("schedule.seconds", schedule.everyMs / 1000);
  }
  const read = readExpression(schedule.expression);
  if (read === undefined) return schedule.expression;
  const { time } = read;
  if ("monthDay" in read)
    return read.monthDay === "L"
      ? t("schedule.monthEnd", { time })
      : t("schedule.monthly", { day: read.monthDay, time });
  const { days } = read;
  if (days.length === WEEK.length) return t("schedule.daily", { time });
  if (days.join() === "1,2,3,4,5") return t("schedule.workdays", { time });
  const names = days.map((day) => dayName(day, days.length > 2 ? "short" : "long"));
  return t("schedule.weekly", { days: new Intl.ListFormat(language.value).format(names), time });
}

export function actionText({ type, attributes, command, deviceIds, deviceType }: JobAction): string {
  const subject =
    type === "attributes"
      ? t("jobs.setsOn", { keys: Object.keys(attributes ?? {}).join(", ") })
      : t("jobs.sends", { method: command?.method ?? command?.key ?? command?.type ?? "…" });
  const on =
    deviceType === undefined
      ? plural("run.devices", deviceIds?.length ?? 0)
      : t("jobs.onType", { type: deviceType });
  return `${subject} · ${on}`;
}
