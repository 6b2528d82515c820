import { describe, expect, test } from "bun:test";
import { compileAlarmRules } from "../../../../../src/modules/alarms/rules/alarm-rule.ts";
import { fromRuleForm } from "../../../../../src/web/features/alarms/rules/rule-form.ts";
import {
  limitAbove,
  type ObservedValue,
  suggestedRule,
} from "../../../../../src/web/features/alarms/rules/suggested-rule.ts";
import { alarmHref } from "../../../../../src/web/lib/alarm-href.ts";

const temperature: ObservedValue = {
  key: "temperature",
  metadata: undefined,
  newest: 21,
  range: { min: 20, max: 24 },
};

const conditionsOf = (observed: ObservedValue) => {
  const rule = fromRuleForm(suggestedRule(observed, "device 1", []));
  compileAlarmRules([rule]);
  return (rule.createRules as { severity: string; condition: unknown }[]).map(({ severity, condition }) => [
    severity,
    condition,
  ]);
};

describe("a suggested limit", () => {
  test.each([
    [{ min: 20, max: 24 }, 24.4],
    [{ min: 0, max: 1 }, 1.1],
    [{ min: 980, max: 1_020 }, 1_024],
    [{ min: 0, max: 48_700 }, 54_000],
    [{ min: 0.001, max: 0.002 }, 0.0021],
    [{ min: 50, max: 50 }, 55],
    [{ min: 0, max: 0 }, 0.1],
    [{ min: -30, max: -20 }, -19],
  ])("lies a little above %j, at a round number", (range, limit) => {
    expect(limitAbove(range)).toBe(limit);
  });
});

describe("a suggested rule", () => {
  test("compares with the limits of the key, the outer ones as critical", () => {
    const limits = { low: 5, high: 80, highHigh: 95 };
    expect(conditionsOf({ ...temperature, metadata: { key: "temperature", limits } })).toEqual([
      ["CRITICAL", { key: "temperature", op: "GE", value: 95 }],
      [
        "WARNING",
        {
          any: [
            { key: "temperature", op: "GE", value: 80 },
            { key: "temperature", op: "LE", value: 5 },
          ],
        },
      ],
    ]);
  });

  test("compares with a limit above the range where the key has none", () => {
    expect(conditionsOf(temperature)).toEqual([["MAJOR", { key: "temperature", op: "GT", value: 24.4 }]]);
  });

  test("compares a state with its red one, a switch with on and a text with the newest", () => {
    const states = [
      { value: 1, name: "Running", color: "green" as const },
      { value: 3, name: "Fault", color: "red" as const },
    ];
    const state = {
      key: "state",
      metadata: { key: "state", kind: "state" as const, states },
      range: undefined,
    };
    expect(conditionsOf({ ...state, newest: 1 })).toEqual([["MAJOR", { key: "state", op: "EQ", value: 3 }]]);
    const plain = { key: "x", metadata: undefined, range: undefined };
    expect(conditionsOf({ ...plain, newest: false })).toEqual([
      ["MAJOR", { key: "x", op: "EQ", value: true }],
    ]);
    expect(conditionsOf({ ...plain, newest: "heat" })).toEqual([
      ["MAJOR", { key: "x", op: "EQ", value: "heat" }],
    ]);
  });

  test("leaves the limit open for a number of which nothing is stored", () => {
    const [create] = suggestedRule(
      { ...temperature, newest: undefined, range: undefined },
      "device 1",
      [],
    ).creates;
    expect(create?.condition).toMatchObject({ rows: [{ key: "temperature", op: "GT", value: "" }] });
  });

  test("has the name of the value, with a number if the profile has such a rule", () => {
    expect(suggestedRule(temperature, "device 1", []).alarmType).toBe("temperature");
    const named = { ...temperature, metadata: { key: "temperature", name: "Oil" } };
    expect(suggestedRule(named, "device 1", ["Oil", "Oil 2"]).alarmType).toBe("Oil 3");
  });

  test("notifies everybody according to their settings", () => {
    expect(suggestedRule(temperature, "device 1", []).recipientIds).toBeNull();
    expect(fromRuleForm(suggestedRule(temperature, "device 1", [])).appliesTo).toEqual({
      deviceIds: ["device 1"],
    });
  });
});

test("the address of the form keeps keys of any characters", () => {
  const href = alarmHref({ profileId: "p", deviceId: "d", key: "a&b #ä" });
  expect(new URL(href, "http://x").searchParams.get("rule")).toBe("a&b #ä");
});
