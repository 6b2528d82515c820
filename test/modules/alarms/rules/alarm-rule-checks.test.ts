import { expect, test } from "bun:test";
import {
  checkAlarmRules,
  compileKnownRules,
  type RuleChecks,
} from "../../../../src/modules/alarms/rules/alarm-rule.ts";

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

/** A rule with every kind of part that has fields of its own. */
const detailed = {
  alarmType: "Detailed",
  appliesTo: { tags: ["kiln"] },
  createRules: [
    {
      severity: "MAJOR",
      condition: {
        all: [
          { key: "t", op: "GT", value: 1 },
          { key: "t", op: "LT", attribute: { key: "limit", scope: "SERVER" } },
          { any: [{ key: "t", op: "CHANGED" }, { noData: { key: "t", forMs: 5_000 } }] },
          { not: { key: "state", op: "EQ", value: "off" } },
        ],
      },
    },
  ],
  clearRule: { condition: { key: "t", op: "LT", value: 0 } },
  schedule: { timezone: "Europe/Berlin", from: "08:00", to: "17:00" },
  actions: [
    { on: "CREATED", type: "command", command: { method: "stop" } },
    { on: "CLEARED", type: "integration_downlink", downlink: { fPort: 1, hex: "00" } },
    { on: "ACK", type: "webhook", url: "https://erp.example/in" },
  ],
};

/** Returns variants of `value`, each with an unknown field in one of its objects. */
function withUnknownField(value: unknown): unknown[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      withUnknownField(item).map((changed) => value.with(index, changed)),
    );
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, of]) =>
    withUnknownField(of).map((changed) => ({ ...value, [name]: changed })),
  );
  return [{ ...value, unheardOf: 1 }, ...inner];
}

test("a rule with an unknown field is not saved, and runs without the field if it is stored", () => {
  const variants = withUnknownField(detailed);
  expect(variants).toHaveLength(21);
  const [plain] = compileKnownRules([detailed], () => undefined);
  const shapeOf = (rule: unknown) =>
    JSON.parse(JSON.stringify({ ...Object(rule), fingerprint: "" }), (name, value) =>
      name === "unheardOf" ? undefined : value,
    ); // a command's parameters stay as they are
  for (const variant of variants) {
    expect(() => check([variant], {})).toThrow("unheardOf");
    const errors: unknown[] = [];
    const [rule] = compileKnownRules([variant], (error) => errors.push(error));
    expect(errors).toEqual([]);
    expect(shapeOf(rule)).toEqual(shapeOf(plain));
    expect(() => check([variant], { before: [variant] })).toThrow("unheardOf"); // reading leaves nothing behind
  }
});

test("a stored comparison that would be refused now still runs", () => {
  for (const comparison of [
    { key: "t", op: "GT", value: "5" },
    { key: "t", op: "EQ" },
    { key: "t", op: "EQ", value: 1, attribute: { key: "limit" } },
  ]) {
    const rule = { alarmType: "Old", createRules: [{ severity: "MAJOR", condition: comparison }] };
    expect(() => check([rule], {})).toThrow();
    expect(compileKnownRules([rule], () => undefined)).toHaveLength(1);
  }
});

test("the rules of a profile keep a limited number of times of each device", () => {
  const counting = (count: number, withinMs?: number) =>
    Array.from({ length: 50 }, (_, index) => {
      const condition = { key: "t", op: "GT", value: index };
      const trigger = {
        severity: "MAJOR",
        condition,
        kind: "REPEATING",
        count,
        ...(withinMs && { withinMs }),
      };
      return { alarmType: `alarm ${index}`, createRules: [trigger] };
    });
  expect(() => check(counting(100, 60_000), {})).not.toThrow();
  expect(() => check(counting(1_000), {})).not.toThrow();
  expect(() => check(counting(101, 60_000), {})).toThrow("at most 5000");
});
