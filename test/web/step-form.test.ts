import { describe, expect, test } from "bun:test";
import { compileSteps } from "../../src/modules/pipelines/step-engine.ts";
import { stepDefinitions } from "../../src/modules/pipelines/step-types.ts";
import type { StepType } from "../../src/web/features/pipelines/pipelines-api.ts";
import { noteText, problemText } from "../../src/web/features/pipelines/problem-text.ts";
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
} from "../../src/web/features/pipelines/step-form.ts";
import { fieldText, stepText } from "../../src/web/features/pipelines/step-texts.ts";
import { language } from "../../src/web/platform/preferences.ts";

const types = stepDefinitions as unknown as readonly StepType[];

describe("each type of step", () => {
  for (const type of types)
    test(`${type.type} can be entered: each field has a control and help in both languages`, () => {
      for (const [name, schema] of Object.entries(type.fields.properties)) {
        expect(kindOfField(name, schema).kind).toBeString();
        for (const chosen of ["en", "de"] as const) {
          language.value = chosen;
          expect(fieldText(type.type, name, undefined) ?? "").not.toBe("");
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
    const schema = types.find((one) => one.type === type)?.fields.properties[name];
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
      return problemText(stepProblem((error as Error).message)?.text ?? "");
    }
  };
  const rows: Array<[step: Record<string, unknown>, en: string, de: string]> = [
    [{ type: "round_keys", keys: ["a"], decimals: 13 }, "At most 12.", "Höchstens 12."],
    [{ type: "round_keys", keys: ["a"], decimals: -1 }, "At least 0.", "Mindestens 0."],
    [
      { type: "round_keys", keys: ["a"], decimals: "x" },
      "This must be a number.",
      "Das muss eine Zahl sein.",
    ],
    [{ type: "round_keys", keys: [] }, "Still needed.", "Fehlt noch."],
    [{ type: "copy_key", from: "", to: "b" }, "Still needed.", "Fehlt noch."],
    [{ type: "copy_key", from: "a" }, "Still needed.", "Fehlt noch."],
    [
      { type: "copy_key", from: "a", to: "b".repeat(300) },
      "At most 256 characters.",
      "Höchstens 256 Zeichen.",
    ],
    [
      { type: "webhook_forward", url: "erp" },
      "This must be an http or https address.",
      "Das muss eine http- oder https-Adresse sein.",
    ],
    [
      { type: "webhook_forward", url: "http://a", headers: { Host: "b" } },
      "Host is set by the gateway itself.",
      "Host setzt das Gateway selbst.",
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

test("what a preview says beside its result is said in the reader's language", () => {
  const secret = "webhook_forward (step 2): without a secret the receiver cannot tell who sent a request";
  expect(noteText(secret)).toBe("Step 2: Without a secret the receiver cannot tell who sent a request.");
  expect(noteText("scale_keys (step 3) was left out: t is too large")).toBe("Step 3: t is too large");
  expect(noteText("nothing is left of the message")).toBe("Nothing is left of the message.");
  language.value = "de";
  expect(noteText("webhook_forward (step 1): http is not encrypted")).toBe(
    "Schritt 1: http ist nicht verschlüsselt.",
  );
  expect(noteText("something new")).toBe("something new");
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
  expect(stepProblem("steps[2].keys.0: Expected string")).toEqual(step(2, "keys", "Expected string"));
  expect(stepProblem("steps[0].factor: Expected number")).toEqual(step(0, "factor", "Expected number"));
  expect(stepProblem("steps[1]: url must be an http or https address")).toEqual(
    step(1, "url", "url must be an http or https address"),
  );
  expect(stepProblem("steps[1]: min is above max")).toEqual(step(1, undefined, "min is above max"));
  expect(stepProblem("steps: at most 50 are possible")).toBeUndefined();
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
