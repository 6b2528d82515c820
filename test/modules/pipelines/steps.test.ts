import { describe, expect, test } from "bun:test";
import { DomainError, inEnglish } from "../../../src/lib/core/domain-error.ts";
import type { Text } from "../../../src/lib/texts/text.ts";
import { compileSteps, runSteps, toReading } from "../../../src/modules/pipelines/step-engine.ts";
import { stepDefinitions } from "../../../src/modules/pipelines/step-types.ts";
import type { TelemetryValue } from "../../../src/modules/telemetry/telemetry.types.ts";

const ATTRIBUTES: Record<string, unknown> = { "SERVER.offset": 2, "SHARED.mode": "eco" };

function run(steps: unknown, values: Record<string, unknown>) {
  const failures: string[] = [];
  const message = runSteps(
    compileSteps(steps),
    { ts: 1, values: values as Record<string, TelemetryValue> },
    {
      context: {
        deviceId: "d",
        tenantId: "t",
        profileId: "p",
        attribute: (scope, key) => ATTRIBUTES[`${scope}.${key}`],
      },
      onFailure: ({ reason }) => failures.push(inEnglish(reason)),
    },
  );
  const out = message && { ...toReading(message)?.values };
  const attributes =
    message &&
    Object.fromEntries([...message.attributes].map(([scope, of]) => [scope, Object.fromEntries(of)]));
  return { out, attributes, failures };
}

describe("each step does what its example says", () => {
  for (const { type, example } of stepDefinitions)
    test(type, () => {
      const { out, failures } = run([example.step], example.in as Record<string, unknown>);
      expect(failures).toEqual([]);
      expect(out ?? null).toEqual(example.out as never);
    });
});

type Row = [name: string, step: Record<string, unknown>, input: Record<string, unknown>, output: unknown];
const rows: Row[] = [
  [
    "names can be exchanged",
    { type: "rename_keys", mapping: { a: "b", b: "a" } },
    { a: 1, b: 2 },
    { a: 2, b: 1 },
  ],
  ["what is not there is not renamed", { type: "rename_keys", mapping: { x: "y" } }, { a: 1 }, { a: 1 }],
  [
    "a new name takes the place of a key",
    { type: "rename_keys", mapping: { a: "b" } },
    { a: 1, b: 2 },
    { b: 1 },
  ],
  ["renamed to itself it stays", { type: "rename_keys", mapping: { a: "a" } }, { a: 1 }, { a: 1 }],
  ["a range without ends lets all pass", { type: "filter_range", keys: ["a"] }, { a: 1e9 }, { a: 1e9 }],
  [
    "the ends of a range are in it",
    { type: "filter_range", keys: ["a", "b"], min: 1, max: 2 },
    { a: 1, b: 2 },
    { a: 1, b: 2 },
  ],
  ["texts are in every range", { type: "filter_range", keys: ["a"], min: 1 }, { a: "x" }, { a: "x" }],
  [
    "a whole message can go",
    { type: "filter_range", keys: ["a"], max: 5, action: "drop_message" },
    { a: 6, b: 1 },
    null,
  ],
  ["nothing picked is an empty message", { type: "pick_keys", keys: ["x"] }, { a: 1 }, {}],
  [
    "a star picks by the start",
    { type: "pick_keys", keys: ["p_*", "a"] },
    { p_1: 1, p: 2, a: 3 },
    { p_1: 1, a: 3 },
  ],
  ["a star alone drops all", { type: "drop_keys", keys: ["*"] }, { a: 1, b: 2 }, {}],
  [
    "a key that is named like a prototype is only a key",
    { type: "drop_keys", keys: ["constructor"] },
    { a: 1 },
    { a: 1 },
  ],
  ["scaled by nothing it stays", { type: "scale_keys", keys: ["a"] }, { a: 3 }, { a: 3 }],
  [
    "texts and booleans are not scaled",
    { type: "scale_keys", keys: ["*"], factor: 2 },
    { a: "3", b: true, c: 2 },
    { a: "3", b: true, c: 4 },
  ],
  [
    "the offset comes after the factor",
    { type: "scale_keys", keys: ["f"], factor: 5 / 9, offset: -160 / 9 },
    { f: 212 },
    { f: 100 },
  ],
  [
    "a key can be derived from an attribute",
    { type: "derive_key", key: "b", expression: 'a - attribute("SERVER", "offset")' },
    { a: 5 },
    { a: 5, b: 3 },
  ],
  [
    "what needs a missing key sets nothing",
    { type: "derive_key", key: "b", expression: "a + x" },
    { a: 5 },
    { a: 5 },
  ],
  [
    "a key can be derived anew from itself",
    { type: "derive_key", key: "a", expression: "a * a" },
    { a: 5 },
    { a: 25 },
  ],
  [
    "only as deep as asked",
    { type: "flatten_object", depth: 1 },
    { a: { b: { c: 1 } } },
    { "a.b": { c: 1 } },
  ],
  [
    "only the keys that are named",
    { type: "flatten_object", keys: ["a"] },
    { a: { x: 1 }, b: { x: 1 } },
    { "a.x": 1, b: { x: 1 } },
  ],
  [
    "lists stay, nulls and empty objects go",
    { type: "flatten_object" },
    { a: { l: [1], n: null, o: {} } },
    { "a.l": [1] },
  ],
  ["clamped from below", { type: "clamp_range", keys: ["a"], min: 0 }, { a: -1, b: -1 }, { a: 0, b: -1 }],
  [
    "a default can be an object, and null is none",
    { type: "set_default", values: { a: { x: 1 }, b: null } },
    {},
    { a: { x: 1 } },
  ],
  [
    "false and zero are there",
    { type: "set_default", values: { a: 1, b: true } },
    { a: 0, b: false },
    { a: 0, b: false },
  ],
  [
    "what cannot be a number stays",
    { type: "coerce_types", types: { a: "number", b: "number" } },
    { a: "x", b: " 7 " },
    { a: "x", b: 7 },
  ],
  [
    "or goes where that is asked",
    { type: "coerce_types", types: { a: "number" }, otherwise: "drop_key" },
    { a: "x" },
    {},
  ],
  [
    "JSON is read out of a text",
    { type: "coerce_types", types: { a: "json", b: "string" } },
    { a: '{"x":[9007199254740993]}', b: { y: 1 } },
    { a: { x: ["9007199254740993"] }, b: '{"y":1}' },
  ],
  [
    "an empty text is no number, and false",
    { type: "coerce_types", types: { a: "number", b: "boolean" } },
    { a: "", b: "" },
    { a: "", b: false },
  ],
  ["copied over another", { type: "copy_key", from: "a", to: "b" }, { a: 1, b: 2 }, { a: 1, b: 1 }],
  ["nothing to copy", { type: "copy_key", from: "x", to: "b" }, { b: 2 }, { b: 2 }],
  [
    "rounded half away from zero",
    { type: "round_keys", keys: ["*"], decimals: 2 },
    { a: 1.005, b: -1.005, c: 2.5 },
    { a: 1.01, b: -1.01, c: 2.5 },
  ],
  [
    "numbers too large to be rounded stay",
    { type: "round_keys", keys: ["a"], decimals: 12 },
    { a: 1e300 },
    { a: 1e300 },
  ],
  [
    "only some are looked at for being empty",
    { type: "remove_empty", keys: ["a"] },
    { a: "", b: "" },
    { b: "" },
  ],
  [
    "booleans are translated by their words",
    { type: "map_values", key: "a", mapping: { true: "on", false: "off" } },
    { a: true },
    { a: "on" },
  ],
  [
    "what is not in the list stays",
    { type: "map_values", key: "a", mapping: { "1": "x" } },
    { a: 2 },
    { a: 2 },
  ],
  [
    "translated to null it goes",
    { type: "map_values", key: "a", mapping: { "-999": null } },
    { a: -999, b: 1 },
    { b: 1 },
  ],
  [
    "replaced as it is written, not as a pattern",
    { type: "string_transform", keys: ["a"], operation: "replace", search: ".", text: "$&" },
    { a: "1.2.3" },
    { a: "1$&2$&3" },
  ],
  [
    "cut from the end",
    { type: "string_transform", keys: ["a"], operation: "substring", start: -3 },
    { a: "abcdef" },
    { a: "def" },
  ],
  [
    "padded",
    { type: "string_transform", keys: ["a"], operation: "pad_start", length: 4, text: "0" },
    { a: "7" },
    { a: "0007" },
  ],
  [
    "only some keys are dropped",
    { type: "conditional_drop", condition: { key: "ok", op: "EQ", value: false }, keys: ["t"] },
    { ok: false, t: 1 },
    { ok: false },
  ],
  [
    "a condition over an attribute",
    {
      type: "conditional_drop",
      condition: { key: "mode", source: "attribute", scope: "SHARED", op: "EQ", value: "eco" },
    },
    { a: 1 },
    null,
  ],
  [
    "a condition over what is not there is false",
    { type: "conditional_drop", condition: { key: "x", op: "NE", value: 1 } },
    { a: 1 },
    { a: 1 },
  ],
  [
    "all, any and not",
    {
      type: "conditional_drop",
      condition: {
        all: [{ key: "a", op: "GT", value: 1 }, { not: { any: [{ key: "b", op: "IN", value: [1, 2] }] } }],
      },
    },
    { a: 2, b: 3 },
    null,
  ],
  [
    "fields may lie in config",
    { type: "copy_key", config: { from: "a", to: "b" } },
    { a: 1 },
    { a: 1, b: 1 },
  ],
  ["a step that is off does nothing", { type: "drop_keys", enabled: false, keys: ["a"] }, { a: 1 }, { a: 1 }],
];

describe("a step", () => {
  for (const [name, step, input, output] of rows)
    test(`${step.type}: ${name}`, () => {
      const { out, failures } = run([step], input);
      expect(failures).toEqual([]);
      if (output !== null && typeof (output as Record<string, unknown>).f === "number")
        expect(out?.f as number).toBeCloseTo((output as { f: number }).f, 9);
      else expect(out ?? null).toEqual(output as never);
    });

  test("change_scope makes attributes, by star and by name", () => {
    const { out, attributes } = run(
      [
        { type: "change_scope", keys: ["fw", "net_*"], scope: "CLIENT" },
        { type: "change_scope", keys: ["site"], scope: "SERVER" },
      ],
      { t: 1, fw: "1", net_ip: "10.0.0.1", site: "A" },
    );
    expect(out).toEqual({ t: 1 });
    expect(attributes).toEqual({ CLIENT: { fw: "1", net_ip: "10.0.0.1" }, SERVER: { site: "A" } });
  });

  for (const [step, code] of [
    [{}, "step.type_missing"],
    [{ type: 7 }, "step.type_missing"],
    ["rename_keys", "step.invalid"],
    [{ type: "nothing" }, "step.unknown"],
    [{ type: "__proto__" }, "step.unknown"],
    [{ type: "drop_keys" }, "step.field_invalid"],
    [{ type: "drop_keys", keys: [] }, "step.field_invalid"],
    [{ type: "drop_keys", keys: "a" }, "step.field_invalid"],
    [{ type: "drop_keys", keys: ["a"], key: "b" }, "step.field_unknown"],
    [{ type: "drop_keys", keys: ["a"], enabled: "no" }, "step.enabled_invalid"],
    [{ type: "filter_range", keys: ["a"], min: 2, max: 1 }, "step.range_invalid"],
    [{ type: "clamp_range", keys: ["a"], min: "0" }, "step.field_invalid"],
    [{ type: "derive_key", key: "a", expression: "1 +" }, "expression.invalid"],
    [{ type: "round_keys", keys: ["a"], decimals: 1.5 }, "step.field_invalid"],
    [{ type: "coerce_types", types: { a: "date" } }, "step.field_invalid"],
    [{ type: "string_transform", keys: ["a"], operation: "eval" }, "step.field_invalid"],
    [{ type: "string_transform", keys: ["a"], operation: "replace" }, "step.search_missing"],
    [{ type: "conditional_drop", condition: { key: "a", op: "LIKE", value: 1 } }, "condition.invalid"],
    [{ type: "conditional_drop", condition: { all: [] } }, "condition.invalid"],
    [{ type: "conditional_drop", condition: { key: "a", op: "BETWEEN", value: 1 } }, "condition.invalid"],
    [{ type: "webhook_forward" }, "step.field_invalid"],
    [{ type: "webhook_forward", url: "erp.example/in" }, "step.url_invalid"],
    [{ type: "webhook_forward", url: "ftp://erp.example" }, "step.url_invalid"],
    [{ type: "webhook_forward", url: "http://user:word@erp.example" }, "step.url_invalid"],
    [{ type: "webhook_forward", url: "http://a", method: "GET" }, "step.field_invalid"],
    [{ type: "webhook_forward", url: "http://a", timeoutMs: 50 }, "step.field_invalid"],
    [{ type: "webhook_forward", url: "http://a", timeoutMs: 100_000 }, "step.field_invalid"],
    [{ type: "webhook_forward", url: "http://a", includeContext: "yes" }, "step.field_invalid"],
    [{ type: "webhook_forward", url: "http://a", secret: "" }, "step.field_invalid"],
    [{ type: "webhook_forward", url: "http://a", retries: 3 }, "step.field_unknown"],
    [{ type: "webhook_forward", url: "http://a", headers: { "X Y": "1" } }, "step.headers_invalid"],
    [{ type: "webhook_forward", url: "http://a", headers: { "X-Y": "1\r\nZ: 2" } }, "step.headers_invalid"],
    [{ type: "webhook_forward", url: "http://a", headers: { Host: "b" } }, "step.headers_invalid"],
    [
      { type: "webhook_forward", url: "http://a", headers: { "content-length": "1" } },
      "step.headers_invalid",
    ],
    [
      { type: "webhook_forward", url: "http://a", headers: { "X-Lineside-Delivery": "1" } },
      "step.headers_invalid",
    ],
    [{ type: "webhook_forward", url: "http://a", headers: { "X-Y": 7 } }, "step.field_invalid"],
  ] as const)
    test(`${JSON.stringify(step)} is refused as ${code}`, () => {
      try {
        compileSteps([{ type: "copy_key", from: "a", to: "b" }, step]);
      } catch (error) {
        expect(error).toBeInstanceOf(DomainError);
        const { code: outer, params, message } = error as DomainError;
        const reason = params.reason as Text;
        expect(outer === "step.rejected" ? reason.code : outer).toBe(code);
        expect(message).toStartWith("`steps[1]");
        return;
      }
      throw new Error("it was taken");
    });
});

test("a step that fails is left out for that message, whatever it had done to it, and the others do their part", () => {
  const { out, failures } = run(
    [
      { type: "copy_key", from: "a", to: "b" },
      { type: "scale_keys", keys: ["a", "huge"], factor: 1e300 },
      { type: "derive_key", key: "c", expression: "text - 1" },
      { type: "round_keys", keys: ["b"] },
    ],
    { a: 1.6, huge: 1e300, text: "x" },
  );
  expect(out).toEqual({ a: 1.6, b: 2, huge: 1e300, text: "x" });
  expect(failures).toHaveLength(2);
});
