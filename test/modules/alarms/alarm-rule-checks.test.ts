import { expect, test } from "bun:test";
import {
  checkAlarmRules,
  compileKnownRules,
  type RuleChecks,
} from "../../../src/modules/alarms/alarm-rule.ts";

const RULES = 24;
const ids = Array.from({ length: 1_000 }, (_, index) => `device ${index}`);
const ruleOf = (index: number, deviceIds: readonly string[]) => ({
  alarmType: `alarm ${index}`,
  createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: index } }],
  appliesTo: { deviceIds },
});
const rules = Array.from({ length: RULES }, (_, index) => ruleOf(index, ids));

function check(input: readonly unknown[], checks: Partial<RuleChecks>): string[] {
  const asked: string[] = [];
  checkAlarmRules(input, {
    refusalOf: () => undefined,
    isRecipient: () => true,
    isDevice(id) {
      asked.push(id);
      return !id.startsWith("gone");
    },
    before: [],
    ...checks,
  });
  return asked;
}

test("each device that rules name is looked up once, however many rules name it", () => {
  expect(check(rules, {})).toEqual(ids);
});

test("a deleted device stays where it was named before, and is refused elsewhere, with its place", () => {
  const before = [ruleOf(0, ["gone", "device 1"])];
  expect(() => check(before, { before })).not.toThrow();
  expect(() => check([ruleOf(0, ["device 1"]), ruleOf(1, ["device 1", "gone too"])], { before })).toThrow(
    "alarmRules[1].appliesTo.deviceIds[1]",
  );
});

test("a secret in the query of a webhook is refused when it is new, while stored rules run and stay", () => {
  const withWebhook = (query: string) => ({
    ...ruleOf(0, ["device 0"]),
    actions: [{ on: "CREATED", type: "webhook", url: `https://erp.example/in?${query}` }],
  });
  const before = [withWebhook("key=one")];
  const unreadable: unknown[] = [];
  expect(compileKnownRules(before, (error) => unreadable.push(error))).toHaveLength(1);
  expect(unreadable).toEqual([]);
  expect(() => check(before, { before })).not.toThrow();
  for (const rule of [withWebhook("key=two"), withWebhook("page=1&key=one")])
    expect(() => check([rule], { before })).toThrow("alarmRules[0].actions[0].url");
});
