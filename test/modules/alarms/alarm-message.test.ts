import { expect, spyOn, test } from "bun:test";
import { messageIn } from "../../../src/lib/message-parts.ts";
import { renderMessage } from "../../../src/modules/alarms/alarm-message.ts";

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
  expect([plain.message, messageIn(plain, "de")]).toEqual(["false", "falsch"]);
});

test("a number without metadata has no noise", () => {
  expect(renderMessage(named("a"), names, valuesWith(14.611479999999993)).message).toBe("14.6115");
});
