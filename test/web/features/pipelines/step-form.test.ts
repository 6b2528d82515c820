import { describe, expect, test } from "bun:test";
import type { DomainError } from "../../../../src/lib/core/domain-error.ts";
import type { Text } from "../../../../src/lib/texts/text.ts";
import { stepTypes } from "../../../../src/modules/pipelines/pipeline-steps.schemas.ts";
import { compileSteps } from "../../../../src/modules/pipelines/step-engine.ts";
import type { StepType } from "../../../../src/web/features/pipelines/pipelines-api.ts";
import {
  changesOf,
  draftOf,
  kindOfField,
  missingField,
  moved,
  newDraft,
  parseValue,
  showValue,
  stepOf,
  stepProblem,
  withField,
} from "../../../../src/web/features/pipelines/step-form.ts";
import { fieldName, fieldText, stepText } from "../../../../src/web/features/pipelines/step-texts.ts";
import { ApiError } from "../../../../src/web/platform/api-client.ts";
import { loadLanguage } from "../../../../src/web/platform/i18n/i18n.ts";
import { language } from "../../../../src/web/platform/preferences.ts";

await loadLanguage("en");
await loadLanguage("de");

const refusal = ({ code, params }: Text) => new ApiError(400, "", undefined, { code, params });

const types = stepTypes as unknown as readonly StepType[];

describe("each type of step", () => {
  for (const type of types)
    test(`${type.type} can be entered: each field has a control and help in both languages`, () => {
      for (const [name, schema] of Object.entries(type.fields.properties)) {
        expect(kindOfField(name, schema).kind).toBeString();
        for (const text of ["en", "de"] as const) {
          language.value = text;
          expect(fieldText(type.type, name, undefined) ?? "").not.toBe("");
          expect(fieldName(name)).toMatch(/^[A-ZÄÖÜ][^_]*$/);
          expect(stepText(type.type).title).not.toBe(type.type);
        }
      }
      language.value = "en";
      const example = draftOf(type.example.step);
      expect(missingField(example, type)).toBeUndefined();
      expect(stepOf(example)).toEqual(type.example.step);
      expect(() => compileSteps([stepOf(example)])).not.toThrow();
      // A new one tells what is still needed, before the server has to.
      const fresh = newDraft(type);
      if (missingField(fresh, type) === undefined) expect(() => compileSteps([stepOf(fresh)])).not.toThrow();
    });
});

test("what a step needs of controls follows from its schema", () => {
  const kind = (type: string, name: string) => {
    const schema = types.find((stepType) => stepType.type === type)?.fields.properties[name];
    return schema && kindOfField(name, schema);
  };
  expect(kind("scale_keys", "keys")).toEqual({ kind: "keys" });
  expect(kind("scale_keys", "factor")).toEqual({ kind: "number" });
  expect(kind("round_keys", "decimals")).toEqual({ kind: "integer" });
  expect(kind("change_scope", "scope")).toEqual({ kind: "choice", choices: ["CLIENT", "SERVER", "SHARED"] });
  expect(kind("rename_keys", "mapping")).toEqual({ kind: "map", values: { kind: "text" } });
  expect(kind("set_default", "values")).toEqual({ kind: "map", values: { kind: "value" } });
  expect(kind("webhook_forward", "headers")).toEqual({ kind: "map", values: { kind: "text" } });
  expect(kind("webhook_forward", "secret")).toEqual({ kind: "secret" });
  expect(kind("webhook_forward", "includeContext")).toEqual({ kind: "boolean" });
  expect(kind("conditional_drop", "condition")).toEqual({ kind: "json" });
  expect(kind("map_values", "default")).toEqual({ kind: "value" });
});

test("a field that is emptied is left out, one that is switched off stays", () => {
  const draft = draftOf({
    type: "webhook_forward",
    config: { url: "http://a", method: "PUT" },
    enabled: false,
  });
  expect(stepOf(withField(draft, "method", undefined))).toEqual({
    type: "webhook_forward",
    enabled: false,
    url: "http://a",
  });
  expect(stepOf(withField(draft, "includeContext", false)).includeContext).toBe(false);
});

test("a value is shown so that it is read as the same again", () => {
  for (const value of [1, -2.5, true, null, "", "a", "1", "true", '"quoted"', { a: [1] }, []])
    expect(parseValue(showValue(value))).toEqual(value);
});

test("what the server refuses is said in the reader's language", () => {
  const refused = (step: Record<string, unknown>): string => {
    try {
      compileSteps([step]);
      return "taken";
    } catch (error) {
      return stepProblem(refusal(error as DomainError))?.text ?? "";
    }
  };
  const rows: Array<[step: Record<string, unknown>, en: string, de: string]> = [
    [
      { type: "round_keys", keys: ["a"], decimals: 13 },
      "Must be an integer from 0 to 12.",
      "Muss eine ganze Zahl von 0 bis 12 sein.",
    ],
    [
      { type: "round_keys", keys: [] },
      "Must be a list that is not empty.",
      "Muss eine nicht leere Liste sein.",
    ],
    [{ type: "copy_key", from: "a" }, "Is required.", "Fehlt."],
    [
      { type: "copy_key", from: "a", to: "b".repeat(300) },
      "Must be a string of at most 256 characters.",
      "Muss ein Text mit höchstens 256 Zeichen sein.",
    ],
    [
      { type: "webhook_forward", url: "erp" },
      "Must be an http or https address.",
      "Muss eine http- oder https-Adresse sein.",
    ],
    [
      { type: "webhook_forward", url: "http://a", headers: { Host: "b" } },
      "Must not contain Host, which the gateway sets itself.",
      "Darf Host nicht enthalten, weil das Gateway es selbst setzt.",
    ],
  ];
  for (const [step, en, de] of rows) {
    language.value = "en";
    expect(refused(step)).toBe(en);
    language.value = "de";
    expect(refused(step)).toBe(de);
  }
  language.value = "en";
});

test("moving ends at both ends", () => {
  expect(moved(["a", "b", "c"], 1, -1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b", "c"], 1, 1)).toEqual(["a", "c", "b"]);
  expect(moved(["a", "b"], 0, -1)).toEqual(["a", "b"]);
  expect(moved(["a", "b"], 1, 1)).toEqual(["a", "b"]);
});

test("a refusal is told at the step and the field that it is about", () => {
  const step = (index: number, field: string | undefined, text: string) => ({ index, field, text });
  const text = { code: "rule.number", params: {} };
  const ofField = (field: string) =>
    stepProblem(refusal({ code: "step.field_invalid", params: { field, rule: text } }));
  expect(ofField("steps[2].keys.0")).toEqual(step(2, "keys", "Must be a number."));
  expect(ofField("steps[0].factor")).toEqual(step(0, "factor", "Must be a number."));
  const reason = { code: "step.url_invalid", params: { rule: { code: "rule.http_address", params: {} } } };
  expect(
    stepProblem(refusal({ code: "step.rejected", params: { field: "steps[1]", reason } })),
  ).toMatchObject({
    index: 1,
    field: "url",
  });
  expect(stepProblem(refusal({ code: "step.too_many", params: { max: 50 } }))).toBeUndefined();
});

test("in and out are held against each other key by key", () => {
  const changes = changesOf({ a: 1, b: { c: 1 }, d: "x" }, { a: 1, b: { c: 2 }, e: true });
  expect(changes.map(({ key, change }) => `${key} ${change}`)).toEqual([
    "a same",
    "b changed",
    "d removed",
    "e added",
  ]);
  expect(changesOf({ a: 1 }, null)).toEqual([{ key: "a", before: 1, after: undefined, change: "removed" }]);
});
