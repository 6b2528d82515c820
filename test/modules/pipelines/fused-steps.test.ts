import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fuse } from "../../../src/modules/pipelines/fused-steps.ts";
import type { StepContext } from "../../../src/modules/pipelines/step.types.ts";
import { compileSteps, runSteps, toReading } from "../../../src/modules/pipelines/step-engine.ts";
import type { Reading } from "../../../src/modules/telemetry/telemetry.types.ts";

const context: StepContext = {
  deviceId: "d",
  tenantId: "t",
  profileId: "p",
  attribute: (_, key) => (key === "offset" ? 2 : undefined),
};

const key = fc.constantFrom("a", "b", "c", "d", "__proto");
const keys = fc.array(key, { minLength: 1, maxLength: 3 });
const step = fc.oneof(
  fc.record({ type: fc.constant("rename_keys"), mapping: fc.dictionary(key, key, { maxKeys: 3 }) }),
  fc.record({ type: fc.constant("filter_range"), keys, min: fc.constant(-1), max: fc.constant(50) }),
  fc.record({
    type: fc.constant("filter_range"),
    keys,
    max: fc.constant(90),
    action: fc.constant("drop_message"),
  }),
  fc.record({ type: fc.constant("clamp_range"), keys, min: fc.constant(0), max: fc.constant(20) }),
  fc.record({ type: fc.constant("scale_keys"), keys, factor: fc.constantFrom(2, 1e300) }),
  fc.record({ type: fc.constant("round_keys"), keys, decimals: fc.constantFrom(0, 1) }),
  fc.record({ type: fc.constant("drop_keys"), keys }),
  fc.record({ type: fc.constant("remove_empty"), keys }),
  fc.record({ type: fc.constant("copy_key"), from: key, to: key }),
  fc.record({ type: fc.constant("set_default"), values: fc.dictionary(key, fc.integer(), { maxKeys: 2 }) }),
  fc.record({
    type: fc.constant("coerce_types"),
    types: fc.dictionary(key, fc.constantFrom("number", "string", "boolean", "json")),
    otherwise: fc.constantFrom("keep", "drop_key"),
  }),
  fc.record({ type: fc.constant("map_values"), key, mapping: fc.constant({ "1": "one", true: null }) }),
  fc.record({ type: fc.constant("string_transform"), keys, operation: fc.constant("uppercase") }),
  fc.record({
    type: fc.constant("derive_key"),
    key,
    expression: fc.constantFrom(
      "a + b",
      "round(a / b, 1)",
      'a > 3 ? "high" : c',
      'max(a, b, 1) * attribute("SERVER", "offset")',
    ),
  }),
  fc.record(
    {
      type: fc.constant("conditional_drop"),
      condition: fc.record({ key, op: fc.constantFrom("GT", "EQ"), value: fc.constantFrom(3, "x") }),
      keys,
    },
    { requiredKeys: ["type", "condition"] },
  ),
);
/** Steps that can be operations of a program. */
const numberStep = fc.oneof(
  fc.record({
    type: fc.constant("rename_keys"),
    mapping: fc.dictionary(key, key, { minKeys: 1, maxKeys: 1 }),
  }),
  fc.record(
    {
      type: fc.constant("filter_range"),
      keys,
      min: fc.constantFrom(-1, 0),
      max: fc.constant(50),
      action: fc.constantFrom("drop_message", "drop_key"),
    },
    { requiredKeys: ["type", "keys", "max"] },
  ),
  fc.record({ type: fc.constant("clamp_range"), keys, min: fc.constant(0), max: fc.constant(20) }),
  fc.record({ type: fc.constant("scale_keys"), keys, factor: fc.constantFrom(-2, 1e300) }),
  fc.record({ type: fc.constant("round_keys"), keys, decimals: fc.constantFrom(0, 1) }),
  fc.record({
    type: fc.constant("derive_key"),
    key,
    expression: fc.constantFrom(
      "a + b - c",
      "round(a / b, 1)",
      "-d * 1.02",
      "sqrt(a)",
      "(a / b) ** 0",
      "a + 1",
      // Expressions without a number form: the program makes way for the general path.
      'a - attribute("SERVER", "offset")',
      "a > b",
      "a > 3 ? b : c",
    ),
  }),
);
const number = fc.oneof(
  fc.integer({ min: -5, max: 100 }),
  fc.double({ noNaN: true }),
  fc.constantFrom(0, -0),
);
const value = fc.oneof(
  fc.integer({ min: -5, max: 100 }),
  fc.double({ noNaN: true, min: -10, max: 100 }),
  fc.constantFrom("x", "", "12", true, false),
  fc.constant({ deep: [1] }),
);
const messageOf = (content: typeof value | typeof number) =>
  fc.dictionary(fc.oneof(key, fc.constantFrom("other", "more")), content as typeof value, {
    minKeys: 1,
    maxKeys: 5,
  });

/** One list after the other, each over a message of its own. */
function oneByOne(lists: unknown[][], reading: Reading): { left: Reading | undefined; failed: boolean } {
  let left = reading;
  let failed = false;
  for (const steps of lists) {
    const message = runSteps(compileSteps(steps), left, {
      context,
      onFailure: () => {
        failed = true;
      },
    });
    if (message === undefined) return { left: undefined, failed };
    left = toReading(message) ?? { ts: 1, values: {} };
  }
  return { left: Object.keys(left.values).length > 0 ? left : undefined, failed };
}

describe("steps that run over slots", () => {
  test.each([
    ["values of any kind", step, messageOf(value)],
    ["numbers", numberStep, messageOf(number)],
  ] as const)(
    "make of %s what they make of them one by one, and leave the message that came as it is",
    (_, anyStep, message) => {
      let compared = 0;
      fc.assert(
        fc.property(
          fc.array(fc.array<unknown>(anyStep, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
          fc.array(message, { minLength: 1, maxLength: 3 }),
          (lists, messages) => {
            const fused = fuse(lists.map((steps) => compileSteps(steps)));
            if (fused === undefined) throw new Error("all of these know their keys");
            for (const message of messages) {
              const reading = { ts: 1, values: message } as Reading;
              const before = structuredClone(message);
              const { left, failed } = oneByOne(lists, reading);
              if (failed) expect(() => fused.run(reading.values, context)).toThrow();
              else {
                const out = fused.run(reading.values, context);
                const seen = typeof out === "number" || out === undefined ? undefined : { ...out };
                expect(seen).toEqual(left && { ...left.values });
                compared++;
              }
              expect(message).toEqual(before);
            }
          },
        ),
        { numRuns: 2_000 },
      );
      expect(compared).toBeGreaterThan(2_000);
    },
  );

  test("are run by name where a key is one that every object has, or where keys are meant by their beginning", () => {
    const round = (...named: string[]) => [compileSteps([{ type: "round_keys", keys: named }])];
    expect(fuse(round("t"))).toBeDefined();
    expect(fuse(round("constructor"))).toBeUndefined();
    expect(fuse(round("__proto__"))).toBeUndefined();
    expect(fuse(round("t*"))).toBeUndefined();
  });

  test("tell which list dropped a message", () => {
    const keep = [{ type: "round_keys", keys: ["t"] }];
    const drop = [{ type: "conditional_drop", condition: { key: "t", op: "GT", value: 5 } }];
    const fused = fuse([keep, drop, keep].map((steps) => compileSteps(steps)));
    expect(fused?.run({ t: 6.4 }, context)).toBe(1);
    expect(fused?.run({ t: 4.4 }, context)).toEqual({ t: 4 });
  });

  test("hand on what they do not change, and nothing where nothing is left", () => {
    const fused = fuse([compileSteps([{ type: "drop_keys", keys: ["t"] }])]);
    const input = { other: 1 };
    expect(fused?.run(input, context)).toBe(input);
    expect(fused?.run({ t: 1, other: 1 }, context)).toEqual({ other: 1 });
    expect(fused?.run({ t: 1 }, context)).toBeUndefined();
  });
});
