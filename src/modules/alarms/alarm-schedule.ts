import { detail } from "../../lib/domain-error.ts";
import { isTimeZone } from "../../lib/time-zone.ts";
import { createWeeklyWindow, type Weekday, type WeeklyWindow, weekdays } from "../../lib/weekly-window.ts";
import { only, wrong } from "./rule-fields.ts";

const timeOfDay = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DAY_MINUTES = 1_440;

function minutesOf(input: unknown, where: string, canEndDay = false): number {
  if (canEndDay && input === "24:00") return DAY_MINUTES;
  const [, hours, minutes] = (typeof input === "string" && timeOfDay.exec(input)) || [];
  if (hours === undefined || minutes === undefined)
    throw wrong(where, detail("rule.time_of_day", { last: canEndDay ? "24:00" : "23:59" }));
  return Number(hours) * 60 + Number(minutes);
}

function daysOf(input: unknown, where: string): ReadonlySet<Weekday> {
  if (input === undefined) return new Set(weekdays);
  const mistake = wrong(where, detail("rule.weekdays", { weekdays: weekdays.join(", ") }));
  if (!Array.isArray(input) || input.length === 0) throw mistake;
  return new Set(
    input.map((day) => {
      const existing = weekdays.find((weekday) => weekday === day);
      if (existing === undefined) throw mistake;
      return existing;
    }),
  );
}

/**
 * Compiles the times at which a rule can raise: `{timezone, days?, from, to}`, past midnight where `to` is not later than `from`.
 */
export function compileSchedule(input: unknown, where: string): WeeklyWindow {
  const node = only(input, where, ["timezone", "days", "from", "to"]);
  const { timezone } = node;
  if (!isTimeZone(timezone)) throw wrong(`${where}.timezone`, detail("rule.timezone"));
  return createWeeklyWindow({
    timezone,
    days: daysOf(node.days, `${where}.days`),
    from: minutesOf(node.from, `${where}.from`),
    to: minutesOf(node.to, `${where}.to`, true),
  });
}
