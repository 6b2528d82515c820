import { describe, expect, test } from "bun:test";
import { compileAlarmRules } from "../../../../../src/modules/alarms/rules/alarm-rule.ts";
import {
  fromRuleForm,
  newRule,
  newTrigger,
  readValue,
  toRuleForm,
} from "../../../../../src/web/features/alarms/rules/rule-form.ts";
import { ruleText } from "../../../../../src/web/features/alarms/rules/rule-text.ts";
import { loadLanguage } from "../../../../../src/web/platform/i18n/i18n.ts";
import { language } from "../../../../../src/web/platform/preferences.ts";
import { randomFrom, randomRules } from "../../../../modules/alarms/random-rules.ts";

await loadLanguage("en");
await loadLanguage("de");

const whole = {
  id: "kept",
  alarmType: "Hot",
  createRules: [
    {
      severity: "CRITICAL",
      condition: {
        any: [
          { key: "t", op: "GT", value: 80 },
          { noData: { key: "t", forMs: 600_000 } },
          { noData: { key: "u" } },
        ],
      },
      message: "at last",
    },
    {
      severity: "MAJOR",
      condition: { key: "t", op: "GT", attribute: { key: "limit", scope: "SHARED" } },
      kind: "DURATION",
      forMs: 60_000,
    },
    {
      severity: "MINOR",
      condition: { key: "mode", op: "IN", value: ["off", "12", true] },
      kind: "REPEATING",
      count: 3,
      withinMs: 3_600_000,
    },
    {
      severity: "WARNING",
      condition: { all: [{ not: { key: "t", op: "EQ", value: 1 } }, { key: "t", op: "CHANGED" }] },
    },
  ],
  clearRule: { condition: { key: "t", op: "BETWEEN", value: [0, 40] } },
  downgrade: true,
  propagateToGateway: true,
  recipientIds: ["u1", "u2"],
  schedule: { timezone: "Europe/Berlin", days: ["MON", "TUE"], from: "06:00", to: "22:00" },
  actions: [{ on: "CREATED", type: "command", command: { method: "stop", params: {} } }],
};

describe("the form of an alarm rule", () => {
  test("gives back what it was made from", () => {
    expect(fromRuleForm(toRuleForm(whole))).toEqual(whole);
    expect(() => compileAlarmRules([fromRuleForm(toRuleForm(whole))])).not.toThrow();
    for (let seed = 1; seed <= 200; seed++)
      for (const rule of randomRules(randomFrom(seed * 7919)))
        expect<unknown>(fromRuleForm(toRuleForm(rule))).toEqual(rule);
  });

  test("shows a condition that is more than a list of comparisons as JSON, and does not take text that is none", () => {
    const [, , , nested] = toRuleForm(whole).creates;
    expect(nested?.condition).toEqual({ json: JSON.stringify(whole.createRules[3]?.condition, null, 2) });
    const form = { ...newRule(), creates: [{ ...newTrigger("MAJOR"), condition: { json: "{" } }] };
    expect(() => fromRuleForm(form)).toThrow(SyntaxError);
  });

  test("reads numbers, booleans and texts as they are meant", () => {
    expect(["12", " -1.5 ", "true", "off", '"12"', ""].map(readValue)).toEqual([
      12,
      -1.5,
      true,
      "off",
      "12",
      "",
    ]);
  });
});

describe("a rule in sentences", () => {
  test("says all of it", () => {
    language.value = "en";
    expect(ruleText(toRuleForm(whole))).toBe(
      "Critical “Hot” when t is above 80 or t has not arrived for 10 minutes or u has not arrived for three times its usual interval. Major “Hot” when t is above the attribute limit for 1 minute. " +
        "Minor “Hot” when mode is one of “off”, “12”, yes 3 times within 1 hour. Warning “Hot” when a custom condition. " +
        "It is cleared when t is from 0 to 40. Its severity falls again. Only: Mon, Tue, 06:00 to 22:00 (Europe/Berlin). The gateway shows it too.",
    );
  });

  test("in German, too", () => {
    language.value = "de";
    const form = toRuleForm({
      alarmType: "Heiß",
      createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } }],
    });
    expect(ruleText(form)).toBe(
      "Erheblich „Heiß“, wenn: t liegt über 50. Er endet, wenn nichts davon mehr zutrifft.",
    );
    language.value = "en";
  });
});
