import { expect, test } from "bun:test";
import fc from "fast-check";
import { compileSteps, runSteps, toReading } from "../../../src/modules/pipelines/step-engine.ts";
import type { TelemetryValue } from "../../../src/modules/telemetry/telemetry.types.ts";

type Values = Record<string, TelemetryValue>;

const context = { deviceId: "d", tenantId: "t", profileId: "p", attribute: () => undefined };
/** The values that are left; undefined when the message is dropped. */
function run(steps: unknown, values: Values): Values | undefined {
  const message = runSteps(compileSteps(steps), { ts: 1, values }, { context, onFailure: () => undefined });
  return message && { ...toReading(message)?.values };
}

const key = fc.oneof(
  fc.stringMatching(/^[a-z]{1,4}$/),
  fc.constantFrom("__proto__", "constructor", "a b", "é"),
);
const scalar = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.string());
const valuesOf = (value: fc.Arbitrary<TelemetryValue>) =>
  fc
    .uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 8 })
    .map((entries): Values => {
      const newValues: Values = Object.create(null);
      for (const [name, content] of entries) newValues[name] = content;
      return newValues;
    });
const values = valuesOf(scalar);
const json = valuesOf(
  fc.jsonValue({ maxDepth: 3 }).filter((value) => value !== null) as fc.Arbitrary<TelemetryValue>,
);
const plain = (input: Values) => Object.fromEntries(Object.entries(input));

test("renamed there and back again it is what it was", () => {
  fc.assert(
    fc.property(values, (input) => {
      const names = Object.keys(input).filter((name) => name !== "__proto__");
      const there = Object.fromEntries(names.map((name, index) => [name, `new-${index}`]));
      const back = Object.fromEntries(names.map((name, index) => [`new-${index}`, name]));
      const steps = [
        { type: "rename_keys", mapping: there },
        { type: "rename_keys", mapping: back },
      ];
      expect(plain(run(steps, input) ?? {})).toEqual(plain(input));
    }),
  );
});

test("picked and dropped, every key is in exactly one of both", () => {
  fc.assert(
    fc.property(values, fc.array(key, { minLength: 1, maxLength: 4 }), (input, keys) => {
      const picked = Object.keys(run([{ type: "pick_keys", keys }], input) ?? {});
      const left = Object.keys(run([{ type: "drop_keys", keys }], input) ?? {});
      expect([...picked, ...left].sort()).toEqual(Object.keys(input).sort());
    }),
  );
});

test("clamped, rounded and emptied twice is clamped, rounded and emptied once", () => {
  const once = [
    { type: "clamp_range", keys: ["*"], min: -100, max: 100 },
    { type: "round_keys", keys: ["*"], decimals: 2 },
    { type: "remove_empty" },
  ];
  fc.assert(
    fc.property(values, (input) => {
      const first = run(once, input) ?? {};
      expect(run([...once, ...once], input)).toEqual(first);
      for (const value of Object.values(first))
        if (typeof value === "number") expect(Math.abs(value)).toBeLessThanOrEqual(100);
    }),
  );
});

test("a filter leaves only what a clamp to the same range does not change", () => {
  const range = { keys: ["*"], min: -10, max: 10 };
  fc.assert(
    fc.property(values, (input) => {
      const kept = run([{ type: "filter_range", ...range }], input) ?? {};
      expect(run([{ type: "clamp_range", ...range }], kept)).toEqual(kept);
      for (const [name, value] of Object.entries(input))
        expect(Object.hasOwn(kept, name)).toBe(typeof value !== "number" || (value >= -10 && value <= 10));
    }),
  );
});

test("flattened, no object is left that has something in it, and flattening again changes nothing", () => {
  const flatten = { type: "flatten_object" };
  fc.assert(
    fc.property(json, (input) => {
      const flat = run([flatten], input) ?? {};
      for (const value of Object.values(flat))
        expect(typeof value !== "object" || Array.isArray(value)).toBe(true);
      expect(run([flatten], flat)).toEqual(flat);
    }),
  );
});

test("whatever the steps and the message are, a message comes out or is dropped, and the one that went in is untouched", () => {
  const keys = fc.array(fc.constantFrom("*", "a", "b", "a*", "__proto__"), { minLength: 1, maxLength: 3 });
  const step = fc.oneof(
    fc.record({
      type: fc.constantFrom(
        "pick_keys",
        "drop_keys",
        "scale_keys",
        "clamp_range",
        "round_keys",
        "remove_empty",
      ),
      keys,
    }),
    fc.record({
      type: fc.constant("derive_key"),
      key,
      expression: fc.constantFrom("a + b", "a / b", "a ? b : 1", "-a"),
    }),
    fc.record({
      type: fc.constant("coerce_types"),
      types: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("number", "string", "boolean", "json")),
    }),
    fc.record({
      type: fc.constant("string_transform"),
      keys,
      operation: fc.constantFrom("trim", "uppercase", "prefix"),
      text: fc.string({ maxLength: 5 }),
    }),
    fc.record({ type: fc.constant("copy_key"), from: key, to: key }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), json, (steps, input) => {
      const before = structuredClone(plain(input));
      run(steps, input);
      expect(plain(input)).toEqual(before);
    }),
  );
});
