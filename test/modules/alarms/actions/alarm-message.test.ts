import { describe, expect, spyOn, test } from "bun:test";
import { compileAlarmCondition } from "../../../../src/lib/alarms/condition.ts";
import { messageIn } from "../../../../src/lib/alarms/message-parts.ts";
import { renderMessage, tellCondition } from "../../../../src/modules/alarms/actions/alarm-message.ts";

const named = (name: string) => `\${${name}}`;
const names = { deviceName: "Boiler", alarmType: "Hot", severity: "MAJOR" };
const valuesWith = (value: unknown) => ({
  values: new Map([["a", { ts: 1, at: 1, hasChanged: false, value: value as never }]]),
});

test("values stand where their names stood, and a dash where there is none", () => {
  const text = ["deviceName", "alarmType", "severity", "a", "b", "constructor"].map(named).join(" ");
  expect(renderMessage(text, names, valuesWith({ x: 1 })).message).toBe('Boiler Hot MAJOR {"x":1} – –');
});

test("a large value is put into a message once, however often it is named", () => {
  const stringify = spyOn(JSON, "stringify");
  const { message } = renderMessage(named("a").repeat(200), names, valuesWith({ x: "y".repeat(60_000) }));
  const calls = stringify.mock.calls.length;
  stringify.mockRestore();
  expect(message).toBe(`{"x":"${"y".repeat(994)}`);
  expect(calls).toBe(1);
});

test("values have the unit and decimals of their key, in the language of the reader", () => {
  const keys = new Map([["a", { key: "a", unit: "Cel", decimals: 1 }]]);
  const rendered = renderMessage(`At ${named("a")}!`, names, { ...valuesWith(1234.567), keys });
  expect(rendered.message).toBe("At 1,234.6 °C!");
  expect(messageIn(rendered, "de")).toBe("At 1.234,6 °C!");
});

test("a unit that follows in the text is not repeated", () => {
  const keys = new Map([["a", { key: "a", unit: "Cel", decimals: 1 }]]);
  for (const text of [" °C", "°C", " Cel"])
    expect(renderMessage(`${named("a")}${text}`, names, { ...valuesWith(20), keys }).message).toBe(
      `20.0${text}`,
    );
});

test("states have their names, and a message without values has no parts", () => {
  const keys = new Map([["a", { key: "a", states: [{ value: true, name: "open" }] }]]);
  expect(renderMessage(`Door ${named("a")}`, names, { ...valuesWith(true), keys })).toEqual({
    message: "Door open",
    messageParts: null,
  });
  expect(renderMessage("", names, valuesWith(1))).toEqual({ message: "Hot", messageParts: null });
  const plain = renderMessage(named("a"), names, valuesWith(false));
  expect([plain.message, messageIn(plain, "de")]).toEqual(["no", "nein"]);
});

test("a number without metadata has no noise", () => {
  expect(renderMessage(named("a"), names, valuesWith(14.611479999999993)).message).toBe("14.6115");
});

describe("a rule without a text tells what holds", () => {
  const keys = new Map([
    ["t", { key: "t", name: "Temperature", unit: "Cel", decimals: 1 }],
    ["door", { key: "door", name: "Door", states: [{ value: true, name: "open" }] }],
  ]);
  const scope = (values: Record<string, unknown>) => ({
    key: (name: string) => values[name],
    attribute: () => 65,
    changed: () => true,
    isSilent: () => true,
  });
  const told = (condition: unknown, values: Record<string, unknown>) => {
    const { comparisons } = compileAlarmCondition(condition, "condition");
    const parts = () => tellCondition(comparisons, scope(values), keys);
    const rendered = renderMessage("", names, { values: new Map(), keys, told: parts });
    return [rendered.message, messageIn(rendered, "de")];
  };
  const isAbove = { key: "t", op: "GT", value: 70 };

  for (const [name, condition, values, en, de] of [
    [
      "a limit",
      isAbove,
      { t: 71.24 },
      "Temperature is 71.2 °C, above 70 °C",
      "Temperature: 71,2 °C, über 70 °C",
    ],
    [
      "an attribute",
      { key: "t", op: "GE", attribute: { key: "limit" } },
      { t: 70 },
      "Temperature is 70.0 °C, at least 65 °C",
      "mindestens 65 °C",
    ],
    [
      "a range",
      { key: "t", op: "BETWEEN", value: [60, 80] },
      { t: 70 },
      "Temperature is 70.0 °C, between 60 °C and 80 °C",
      "zwischen 60 °C und 80 °C",
    ],
    ["a state", { key: "door", op: "EQ", value: true }, { door: true }, "Door is open", "Door: open"],
    ["a change", { key: "door", op: "CHANGED" }, { door: true }, "Door is open", "Door: open"],
    [
      "what is not",
      { key: "t", op: "NE", value: 1 },
      { t: 2 },
      "Temperature is 2.0 °C, not 1 °C",
      "nicht 1 °C",
    ],
    ["silence", { noData: { key: "t", forMs: 1000 } }, {}, "Temperature: no data", "keine Daten"],
    [
      "a key without metadata",
      { key: "x", op: "LT", value: 3 },
      { x: 2 },
      "x is 2, below 3",
      "x: 2, unter 3",
    ],
    [
      "parts that hold",
      { any: [isAbove, { key: "x", op: "LE", value: 3 }, { key: "x", op: "GT", value: 9 }] },
      { t: 71, x: 3 },
      "Temperature is 71.0 °C, above 70 °C; x is 3, at most 3",
      "höchstens 3",
    ],
    ["a not", { not: { key: "t", op: "LT", value: 3 } }, { t: 71 }, "Hot", "Hot"],
    [
      "what stands beside a not",
      { all: [{ not: { key: "t", op: "LT", value: 3 } }, isAbove] },
      { t: 71 },
      "Temperature is 71.0 °C, above 70 °C",
      "über 70 °C",
    ],
  ] as const)
    test(name, () => {
      const [english, german] = told(condition, values);
      expect(english).toBe(en);
      expect(german).toContain(de);
    });

  test("at most three comparisons, and at most 1,000 characters", () => {
    const all = ["a", "b", "c", "d"].map((key) => ({ key, op: "EQ", value: 1 }));
    expect(told({ all }, { a: 1, b: 1, c: 1, d: 1 })[0]).toBe("a is 1; b is 1; c is 1");
    const long = "y".repeat(5000);
    expect(told({ key: "a", op: "CONTAINS", value: "y" }, { a: long })[0]).toHaveLength(1000);
  });
});
