import { expect, spyOn, test } from "bun:test";
import { renderMessage } from "../../../src/modules/alarms/alarm-message.ts";

const named = (name: string) => `\${${name}}`;
const names = { deviceName: "Boiler", alarmType: "Hot", severity: "MAJOR" };
const valuesWith = (value: unknown) =>
  new Map([["a", { ts: 1, at: 1, hasChanged: false, value: value as never }]]);

test("values stand where their names stood, and a dash where there is none", () => {
  const text = ["deviceName", "alarmType", "severity", "a", "b", "constructor"].map(named).join(" ");
  expect(renderMessage(text, names, valuesWith({ x: 1 }))).toBe('Boiler Hot MAJOR {"x":1} – –');
});

test("a large value is put into a message once, however often it is named", () => {
  const stringify = spyOn(JSON, "stringify");
  const message = renderMessage(named("a").repeat(200), names, valuesWith({ x: "y".repeat(60_000) }));
  const calls = stringify.mock.calls.length;
  stringify.mockRestore();
  expect(message).toBe(`{"x":"${"y".repeat(994)}`);
  expect(calls).toBe(1);
});
