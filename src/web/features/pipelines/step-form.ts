import { ApiError } from "../../platform/api-client.ts";
import { ruleText } from "../../platform/i18n/error-texts.ts";
import type { FieldSchema, Step, StepType } from "./pipelines-api.ts";

/** Kind of input for a field of a step. */
export type FieldKind =
  | { readonly kind: "text" | "number" | "integer" | "boolean" | "keys" | "json" | "value" | "secret" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "map"; readonly values: FieldKind };

const choicesOf = ({ anyOf }: FieldSchema): string[] =>
  (anyOf ?? []).flatMap((fieldSchema) => (fieldSchema.const === undefined ? [] : [fieldSchema.const]));

/** Returns the kind of input for a schema. A schema without a type accepts any value, and a condition is JSON. */
export function kindOfField(name: string, schema: FieldSchema): FieldKind {
  const choices = choicesOf(schema);
  if (choices.length > 0) return { kind: "choice", choices };
  // String, or placeholder of a stored secret.
  if (schema.anyOf) return { kind: name === "secret" ? "secret" : "text" };
  if (schema.type === "array") return { kind: "keys" };
  if (schema.type === "object") {
    const [inner] = Object.values(schema.patternProperties ?? {});
    return { kind: "map", values: inner ? kindOfField("", inner) : { kind: "value" } };
  }
  if (schema.type === undefined) return { kind: name === "condition" ? "json" : "value" };
  return { kind: schema.type === "string" ? "text" : schema.type };
}

export interface StepDraft {
  readonly id: number;
  readonly type: string;
  readonly enabled: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

let created = 0;

/** Returns a new step with preset options; the user enters the rest. */
export function newDraft({ type, fields: { required = [], properties } }: StepType): StepDraft {
  const selected = required.flatMap((name): Array<[string, unknown]> => {
    const kind = kindOfField(name, properties[name] ?? {});
    return kind.kind === "choice" ? [[name, kind.choices[0]]] : [];
  });
  return { id: ++created, type, enabled: true, fields: Object.fromEntries(selected) };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Returns the first required field that is empty. */
export const missingField = (draft: StepDraft, type: StepType | undefined): string | undefined =>
  type?.fields.required?.find((name) => isEmpty(draft.fields[name]));

/** Returns the first incomplete step with its empty field. */
export function firstMissing(
  drafts: readonly StepDraft[],
  types: readonly StepType[],
): { readonly index: number; readonly field: string } | undefined {
  for (const [index, draft] of drafts.entries()) {
    const field = missingField(
      draft,
      types.find(({ type }) => type === draft.type),
    );
    if (field !== undefined) return { index, field };
  }
  return undefined;
}

/** Converts a step, whose fields are in the step itself or in its `config`. */
export function draftOf(step: Step): StepDraft {
  const { type, enabled = true, config, id: _, name: __, ...rest } = step;
  const inner = typeof config === "object" && config !== null ? config : {};
  return { id: ++created, type, enabled, fields: { ...inner, ...rest } };
}

export const stepOf = ({ type, enabled, fields }: StepDraft): Step => ({
  type,
  ...(enabled ? {} : { enabled: false }),
  ...fields,
});

/** Sets the field, or removes it if the value is empty. */
export function withField(draft: StepDraft, name: string, value: unknown): StepDraft {
  const { [name]: _, ...others } = draft.fields;
  return { ...draft, fields: value === undefined ? others : { ...draft.fields, [name]: value } };
}

/** Returns the list with an item moved by one place; unchanged at either end. */
export function moved<Item>(list: readonly Item[], index: number, by: 1 | -1): Item[] {
  const changed = [...list];
  const [item] = changed.splice(index, 1);
  const target = index + by;
  if (item === undefined || target < 0 || target > changed.length) return [...list];
  changed.splice(target, 0, item);
  return changed;
}

/** Parses a value: `1`, `true`, `"1"` and `{…}` are JSON; other input is text. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the shortest text that `parseValue` parses to the same value. */
export function showValue(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" && parseValue(value) === value ? value : JSON.stringify(value);
}

/** Error of the server about a step, in the language of the reader. */
export interface StepProblem {
  readonly index: number;
  readonly field: string | undefined;
  readonly text: string;
}

/** Fields of errors beyond the schema of a step, by code. */
const fieldsByCode: Readonly<Record<string, string>> = {
  "expression.invalid": "expression",
  "step.headers_invalid": "headers",
  "step.secret_invalid": "secret",
  "step.secret_moved": "secret",
  "step.secret_unknown": "secret",
  "step.too_many_headers": "headers",
  "step.url_invalid": "url",
};

/** Returns the field of an error whose parameter `field` is a path such as `steps[2].keys.0`; undefined for others. */
export function stepProblem(error: unknown): StepProblem | undefined {
  const text = error instanceof ApiError ? error.text : undefined;
  if (text === undefined || typeof text.params.field !== "string") return undefined;
  const path = text.params.field;
  const [, index, field] = /^steps\[(\d+)\](?:\.(\w+))?/.exec(path) ?? [];
  if (index === undefined) return undefined;
  const { reason } = text.params;
  const reasonCode = typeof reason === "object" && "code" in reason ? reason.code : "";
  return {
    index: Number(index),
    field: field ?? fieldsByCode[reasonCode],
    text: ruleText(text, path, error instanceof Error ? error.message : ""),
  };
}

/** Change of a key by a step, for input and output side by side. */
export interface KeyChange {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly change: "same" | "changed" | "added" | "removed";
}

export function changesOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>> | null,
): KeyChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after ?? {})])];
  return keys.map((key) => {
    const isBefore = Object.hasOwn(before, key);
    const isAfter = after !== null && Object.hasOwn(after, key);
    const [was, is] = [isBefore ? before[key] : undefined, isAfter ? after[key] : undefined];
    const isSame = JSON.stringify(was) === JSON.stringify(is);
    const change = !isBefore ? "added" : !isAfter ? "removed" : isSame ? "same" : "changed";
    return { key, before: was, after: is, change };
  });
}
