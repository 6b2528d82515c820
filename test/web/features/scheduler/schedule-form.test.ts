import { describe, expect, test } from "bun:test";
import { inputOf, jobForm, valuesOf } from "../../../../src/web/features/scheduler/job-form.tsx";
import {
  formOf,
  newForm,
  type ScheduleForm,
  scheduleOf,
} from "../../../../src/web/features/scheduler/schedule-form.ts";
import { scheduleText } from "../../../../src/web/features/scheduler/schedule-text.ts";
import type {
  JobAction,
  JobDetail,
  JobSchedule,
} from "../../../../src/web/features/scheduler/scheduler-api.ts";
import type { FormValues } from "../../../../src/web/lib/form-schema.ts";
import { toZonedText } from "../../../../src/web/lib/zoned-time.ts";
import { loadLanguage } from "../../../../src/web/platform/i18n/i18n.ts";
import { language } from "../../../../src/web/platform/preferences.ts";
import { sentValues } from "../../../../src/web/ui/form/form-definition.ts";

await loadLanguage("en");
await loadLanguage("de");

const NOW = Date.parse("2026-03-01T12:00:00Z");
const timezone = "Europe/Berlin";
const form = (changes: Partial<ScheduleForm>) => scheduleOf({ ...newForm(timezone, NOW), ...changes });

describe("what is entered becomes a schedule", () => {
  test.each<[Partial<ScheduleForm>, Partial<JobSchedule>]>([
    [{}, { kind: "cron", expression: "0 6 * * *" }],
    [
      { time: "22:05", days: [5, 1] },
      { kind: "cron", expression: "5 22 * * 1,5" },
    ],
    [
      { repeat: "monthly", monthDay: 31 },
      { kind: "cron", expression: "0 6 31 * *" },
    ],
    [
      { repeat: "monthly", monthDay: "L", time: "00:00" },
      { kind: "cron", expression: "0 0 L * *" },
    ],
    [
      { repeat: "interval", every: 2, unit: "hours" },
      { kind: "interval", everyMs: 7_200_000 },
    ],
    [
      { repeat: "once", at: "2026-12-24T18:00" },
      { kind: "once", at: "2026-12-24T18:00:00" },
    ],
    [
      { repeat: "cron", expression: " */5 * * * * " },
      { kind: "cron", expression: "*/5 * * * *" },
    ],
  ])("%j", (changes, expected) => {
    expect(form(changes)).toEqual({ ...expected, timezone } as JobSchedule);
  });
});

describe("a schedule that is opened and saved unchanged stays what it is", () => {
  test.each<JobSchedule>([
    { kind: "cron", expression: "0 6 * * *", timezone },
    { kind: "cron", expression: "30 2 * * 0,6", timezone },
    { kind: "cron", expression: "15 23 L * *", timezone },
    { kind: "cron", expression: "0 22 * * MON-FRI", timezone },
    { kind: "cron", expression: "05 06 * * 1-3,sun", timezone },
    { kind: "cron", expression: "0 6 * * FRI#2", timezone },
    { kind: "cron", expression: "0 0 1 1 *", timezone },
    { kind: "cron", expression: "0 0 1 * 1", timezone },
    { kind: "cron", expression: "*/15 8-17 * * MON-FRI", timezone },
    { kind: "interval", everyMs: 90_000, timezone },
    { kind: "interval", everyMs: 86_400_000, at: "2026-03-01T06:00:30.000Z", timezone },
    { kind: "once", at: "2026-12-24T17:00:30.000Z", timezone },
  ])("%j", (schedule) => {
    expect(scheduleOf(formOf(schedule, NOW), schedule)).toEqual(schedule);
  });
});

test.each([
  ["7,1", [1, 0]],
  ["1-5", [1, 2, 3, 4, 5]],
  ["MON-WED,sat", [1, 2, 3, 6]],
  ["5-7", [5, 6, 0]],
])("days of the week are read however they are written: %s", (days, expected) => {
  const read = formOf({ kind: "cron", expression: `0 6 * * ${days}`, timezone }, NOW);
  expect(read).toMatchObject({ repeat: "weekly", days: expected });
});

test.each(["1-", "5-1", "1-2-3", "8", "*/2", "L", ""])(
  "and those that only cron understands stay as they are: %s",
  (days) => {
    const expression = `0 6 * * ${days}`;
    expect(formOf({ kind: "cron", expression, timezone }, NOW)).toMatchObject({ repeat: "cron", expression });
  },
);

test("what clocks show is what the zone's clocks show", () => {
  expect(toZonedText(Date.parse("2026-12-24T23:30:00Z"), "Asia/Tokyo")).toBe("2026-12-25T08:30");
  expect(toZonedText(Date.parse("2026-12-24T23:00:00Z"), timezone)).toBe("2026-12-25T00:00");
  expect(toZonedText(NOW, "Mars/Olympus")).toBe("2026-03-01T12:00");
});

describe("a schedule in words", () => {
  test.each<["en" | "de", Partial<ScheduleForm>, string]>([
    ["en", {}, "every day at 06:00"],
    ["en", { days: [1, 2, 3, 4, 5], time: "22:00" }, "Monday to Friday at 22:00"],
    ["en", { days: [0, 6] }, "Saturday and Sunday at 06:00"],
    ["de", { days: [0, 6] }, "Samstag und Sonntag um 06:00"],
    ["de", { repeat: "monthly", monthDay: 3 }, "am 3. des Monats um 06:00"],
    ["en", { repeat: "monthly", monthDay: "L" }, "on the last day of the month at 06:00"],
    ["en", { repeat: "interval", every: 1, unit: "minutes" }, "every minute"],
    ["de", { repeat: "interval", every: 15, unit: "minutes" }, "alle 15 Minuten"],
    ["en", { repeat: "interval", every: 1.5, unit: "minutes" }, "every 90 seconds"],
    ["en", { repeat: "cron", expression: "0 22 * * MON-FRI" }, "Monday to Friday at 22:00"],
    ["en", { repeat: "cron", expression: "*/5 * * * *" }, "*/5 * * * *"],
  ])("%s: %j", (spoken, changes, expected) => {
    language.value = spoken;
    expect(scheduleText(form(changes))).toBe(expected);
    language.value = "en";
  });
});

describe("an action that is entered", () => {
  const actionOf = (changes: FormValues) => {
    const values = valuesOf(undefined);
    return inputOf(
      sentValues(jobForm, { ...values, action: { ...(values.action as JobAction), ...changes } }),
    )?.action;
  };

  test("is sent with the fields of its type only", () => {
    const attributes = { setpoint: 21.5, mode: "eco" };
    expect(actionOf({ deviceIds: ["a"], attributes })).toEqual({
      type: "attributes",
      deviceIds: ["a"],
      attributes,
    });
    const command = { method: " flush ", params: [1], retries: 0 };
    expect(actionOf({ type: "command", deviceIds: ["a"], deviceType: "pump", attributes, command })).toEqual({
      type: "command",
      deviceIds: ["a"],
      command: { ...command, method: "flush" },
    });
  });

  test("is not sent without a device, or with a value that does not have its type", () => {
    expect(actionOf({ attributes: { a: 1 } })).toBeUndefined();
    expect(actionOf({ deviceIds: ["a"], attributes: undefined })).toBeUndefined();
  });

  test("keeps what the form does not show of a command", () => {
    const command = { method: "flush", params: [1], retries: 2, expiresInMs: 5 };
    const action: JobAction = { type: "command", deviceType: "pump", command };
    const stored = { name: "a", schedule: form({}), misfire: "skip", action, devices: [] };
    const input = inputOf(sentValues(jobForm, valuesOf(stored as unknown as JobDetail))); // the form reads no more
    expect(input).toEqual({ name: "a", schedule: form({}), misfire: "skip", action });
  });
});
