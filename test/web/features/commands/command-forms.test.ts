import { expect, test } from "bun:test";
import fc from "fast-check";
import { checkCommandDefinitions } from "../../../../src/modules/profiles/command-definitions.ts";
import {
  type CommandDefinition,
  commandForm,
  describes,
  firstValues,
  guessCommands,
  paramsOf,
  valuesOf,
} from "../../../../src/web/features/commands/command-forms.ts";
import type { JsonValue } from "../../../../src/web/lib/wire.ts";
import { sentValues } from "../../../../src/web/ui/form/form-definition.ts";

test("the form of a command has its labels and limits, and sends what was entered by name", () => {
  const command: CommandDefinition = {
    method: "setSpeed",
    params: [
      {
        name: "motor.speed",
        label: "Speed",
        type: "number",
        unit: "rpm",
        minimum: 0,
        maximum: 3000,
        isRequired: true,
      },
      { name: "mode", type: "choice", options: ["auto", "manual"], default: "auto" },
      { name: "ramp", type: "boolean" },
      { name: "note", type: "text" },
    ],
  };
  const form = commandForm(command);
  expect(form.fields.map((field) => (field as { own: { label: string } }).own.label)).toEqual([
    "Speed (rpm)",
    "mode",
    "ramp",
    "note",
  ]);
  expect(form.schema.fields.param0).toEqual({ kind: "number", isRequired: true, minimum: 0, maximum: 3000 });
  const values = { ...firstValues(command), param0: 1200 };
  expect(paramsOf(command, sentValues(form, values))).toEqual({
    "motor.speed": 1200,
    mode: "auto",
    ramp: false,
  });
});

const sent = (method: string, ...all: JsonValue[]) => all.map((params) => ({ method, params }));

test("commands are guessed from those that were sent, newest first", () => {
  const history = [
    ...sent("setRelay", { on: true }, { on: false }),
    ...sent("setMode", { mode: "auto", level: 2 }, { mode: "manual", level: 3 }, { mode: "auto" }),
    ...sent("stop", {}),
    ...sent("raw", [1, 2]),
    ...sent("nested", { a: { b: 1 } }),
    ...sent("known", { a: 1 }),
    ...sent("POWER", "ON", "OFF", "ON"),
    ...sent("mixed", 1, { a: 1 }),
  ];
  expect(guessCommands(history, [{ method: "known" }])).toEqual([
    { method: "setRelay", params: [{ name: "on", type: "boolean", default: true, isRequired: true }] },
    {
      method: "setMode",
      params: [
        { name: "mode", type: "choice", default: "auto", options: ["auto", "manual"], isRequired: true },
        { name: "level", type: "number", default: 2 },
      ],
    },
    { method: "stop", asksFirst: true },
    {
      method: "POWER",
      params: [{ name: "", type: "choice", default: "ON", options: ["OFF", "ON"], isRequired: true }],
    },
  ]);
});

test("whatever was sent, a guess is a valid definition whose form sends the newest parameters again", () => {
  const params = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.oneof(fc.constantFrom("on", "level", "__proto__", "a.b"), fc.string({ minLength: 1 })),
      fc.oneof(
        fc.boolean(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ maxLength: 200 }),
      ),
      { maxKeys: 6 },
    ),
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ method: fc.constantFrom("a", "b"), params }), { maxLength: 8 }),
      (all) => {
        const history = JSON.parse(JSON.stringify(all)) as { method: string; params: JsonValue }[];
        const guesses = guessCommands(history, []);
        expect(() => checkCommandDefinitions(structuredClone(guesses) as never)).not.toThrow();
        for (const guess of guesses) {
          const again = paramsOf(guess, firstValues(guess)) as Record<string, JsonValue>;
          const newest = history.find(({ method }) => method === guess.method)?.params as Record<
            string,
            JsonValue
          >;
          const typeOf = (name: string) => guess.params?.find((param) => param.name === name)?.type;
          // Texts may be secrets, and are not kept.
          if (guess.params?.[0]?.name === "") expect(typeOf("") === "text" || again === newest).toBe(true);
          else
            for (const [name, value] of Object.entries(newest))
              if (typeOf(name) === "text") expect(Object.hasOwn(again, name)).toBe(false);
              else expect(again[name]).toEqual(value);
        }
      },
    ),
  );
});

test("a parameter without a name is the whole of the params", () => {
  const command: CommandDefinition = { method: "POWER", params: [{ name: "", type: "text" }] };
  expect(paramsOf(command, { param0: " ON " })).toBe(" ON ");
  expect(paramsOf(command, {})).toBeNull();
});

test("the form of a command shows the params that it returned", () => {
  const named: CommandDefinition = {
    method: "set",
    params: [
      { name: "motor.speed", type: "number" },
      { name: "ramp", type: "boolean" },
      { name: "note", type: "text" },
    ],
  };
  const params = { "motor.speed": 0, ramp: false };
  expect(paramsOf(named, valuesOf(named, params))).toEqual(params);
  const single: CommandDefinition = {
    method: "open",
    params: [{ name: "", type: "number", isRequired: true }],
  };
  expect(paramsOf(single, valuesOf(single, 5))).toBe(5);
  expect(valuesOf(named, "foreign")).toEqual({});
  expect(valuesOf(named, undefined)).toEqual({});
});

test("a command describes the params that its form shows and returns unchanged, and no others", () => {
  const named: CommandDefinition = {
    method: "set",
    params: [
      { name: "level", type: "number" },
      { name: "on", type: "boolean" },
      { name: "note", type: "text" },
      { name: "mode", type: "choice", options: ["auto", "manual"] },
    ],
  };
  const single = (type: "number" | "boolean" | "text"): CommandDefinition => ({
    method: "set",
    params: [{ name: "", type }],
  });
  const commands = [named, single("number"), single("boolean"), single("text"), { method: "stop" }];
  const value = fc.oneof(fc.constantFrom<JsonValue>(null, false, "", "auto", 5), fc.jsonValue());
  const params = fc.oneof(
    value,
    fc.dictionary(fc.constantFrom("level", "on", "note", "mode", "foreign", "__proto__"), value),
  );
  fc.assert(
    fc.property(fc.constantFrom(...commands), params, (command, input) => {
      const sent = JSON.parse(JSON.stringify(input)) as JsonValue;
      if (describes(command, sent)) expect(paramsOf(command, valuesOf(command, sent))).toEqual(sent);
    }),
  );
  expect(describes(named, { level: 5, on: false, mode: "auto" })).toBe(true);
  expect(describes(named, undefined)).toBe(true);
  expect(describes(single("boolean"), false)).toBe(true);
  expect(describes(single("text"), null)).toBe(true);
  const hidden: JsonValue[] = [
    { level: 5, x: 1 },
    { level: "5" },
    { mode: "x" },
    { note: "" },
    { on: null },
    5,
  ];
  expect(hidden.filter((other) => describes(named, other))).toEqual([]);
  expect(describes({ method: "stop" }, { level: 5 })).toBe(false);
  expect(describes(single("number"), {})).toBe(false);
});
