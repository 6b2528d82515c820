import {
  COMMAND_PARAMS_MAX,
  COMMAND_TEXT_CHARACTERS_MAX,
  PARAM_NAME_MAX,
  PARAM_OPTIONS_MAX,
} from "../../../lib/console/form-limits.ts";
import type { FieldSchema, FormValues, ObjectSchema } from "../../lib/form-schema.ts";
import type { JsonValue } from "../../lib/wire.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import type { CommandDefinition, CommandParameter } from "./commands-api.ts";

export type { CommandDefinition, CommandParameter };

/** Returns the form field of a parameter. */
export function fieldOf({ type, minimum, maximum, options, isRequired }: CommandParameter): FieldSchema {
  return {
    kind: type,
    ...(isRequired && type !== "boolean" && { isRequired: true as const }),
    ...(type === "number" && minimum !== undefined && { minimum }),
    ...(type === "number" && maximum !== undefined && { maximum }),
    ...(type === "choice" && { options: options ?? [] }),
    ...(type === "text" && { maxLength: COMMAND_TEXT_CHARACTERS_MAX }),
  };
}

/** Returns the form path of a parameter. It is built from the index, because names of parameters may contain dots. */
const pathOf = (index: number) => `param${index}`;

/** Returns the form of a command's parameters. */
export function commandForm({ params = [] }: CommandDefinition): FormDefinition {
  const schema: ObjectSchema = {
    fields: Object.fromEntries(params.map((param, index) => [pathOf(index), fieldOf(param)])),
  };
  return {
    schema,
    texts: [],
    fields: params.map(({ name, label = name || t("common.value"), unit }, index) => ({
      path: pathOf(index),
      own: { label: unit === undefined ? label : `${label} (${unit})` },
      optionText: String,
    })),
  };
}

/** Returns the defaults of the parameters as values of the form. */
export const firstValues = ({ params = [] }: CommandDefinition): FormValues =>
  Object.fromEntries(
    params.flatMap(({ default: first, type }, index) => {
      const value = first ?? (type === "boolean" ? false : undefined);
      return value === undefined ? [] : [[pathOf(index), value]];
    }),
  );

/** Returns the `params` of a command: an object without empty parameters, or the value of the parameter without a name. */
export function paramsOf({ params = [] }: CommandDefinition, values: FormValues): JsonValue {
  const entered = params.flatMap(({ name }, index) => {
    const value = values[pathOf(index)] as JsonValue | undefined; // of a field of the form
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  return params[0]?.name === "" ? (entered[0]?.[1] ?? null) : Object.fromEntries(entered);
}

/** Returns the values of the form for `params`. */
export const valuesOf = ({ params = [] }: CommandDefinition, sent: JsonValue | undefined): FormValues =>
  Object.fromEntries(
    params.flatMap(({ name }, index) => {
      const value = name === "" ? sent : isParams(sent) && Object.hasOwn(sent, name) ? sent[name] : undefined;
      return value === undefined || value === null ? [] : [[pathOf(index), value]];
    }),
  );

/** Returns whether the form of a command shows all of `sent`, so that editing one parameter keeps the others. */
export function describes({ params = [] }: CommandDefinition, sent: JsonValue | undefined): boolean {
  const [first] = params;
  if (first?.name === "") return sent === null || (sent !== undefined && fits(first, sent));
  const named = new Map(params.map((param) => [param.name, param]));
  const isFitting = ([name, value]: readonly [string, JsonValue]) => {
    const param = named.get(name);
    return param !== undefined && fits(param, value);
  };
  return sent === undefined || (isParams(sent) && Object.entries(sent).every(isFitting));
}

/** Returns whether the field of a parameter can represent a value. */
function fits({ type, options = [] }: CommandParameter, value: JsonValue): boolean {
  if (type === "choice") return options.some((option) => option === value);
  return type === "text" ? typeof value === "string" && value !== "" : typeof value === type;
}

interface Sent {
  readonly method: string;
  readonly params: JsonValue;
}

/** Max. distinct texts of a parameter that are offered as options. */
const OPTIONS_MAX = 5;

function guessParam(name: string, values: readonly JsonValue[]): CommandParameter | undefined {
  const [newest] = values;
  const isAll = (type: string) => values.every((value) => typeof value === type);
  const common = { name, ...(newest !== undefined && { default: newest }) };
  if (isAll("number")) return { ...common, type: "number" };
  if (isAll("boolean")) return { ...common, type: "boolean" };
  if (!isAll("string")) return undefined;
  const options = [...new Set(values.map(String))].sort();
  const isChoice = values.length > options.length && options.length <= OPTIONS_MAX;
  if (isChoice && options.every((option) => option !== "" && option.length <= PARAM_OPTIONS_MAX.length))
    return { ...common, type: "choice", options };
  return { name, type: "text" }; // it may be a secret
}

const isParams = (params: JsonValue | undefined): params is Readonly<Record<string, JsonValue>> =>
  typeof params === "object" && params !== null && !Array.isArray(params);

/** Returns the definition derived from past commands of a method, newest first; undefined if their params are neither values nor flat objects. */
function guessCommand(method: string, sent: readonly Sent[]): CommandDefinition | undefined {
  const all = sent.map(({ params }) => params);
  if (!all.some(isParams)) {
    const value = guessParam("", all);
    return value && { method, params: [{ ...value, isRequired: true }] };
  }
  if (!all.every(isParams)) return undefined;
  const names = [...new Set(all.flatMap((params) => Object.keys(params)))];
  const params = names.map((name) => {
    const values = all.flatMap((object) => (Object.hasOwn(object, name) ? [object[name] as JsonValue] : []));
    const param = name === "" || name.length > PARAM_NAME_MAX ? undefined : guessParam(name, values);
    return param && (values.length === all.length ? { ...param, isRequired: true } : param);
  });
  if (params.length > COMMAND_PARAMS_MAX || !params.every((param) => param !== undefined)) return undefined;
  // One click must not repeat what may be a reset.
  return params.length === 0 ? { method, asksFirst: true } : { method, params };
}

/** Returns past commands that the profile does not define, with their parameters. */
export function guessCommands(
  sent: readonly Sent[],
  defined: readonly CommandDefinition[],
): CommandDefinition[] {
  const isKnown = new Set(defined.map(({ method }) => method));
  const methods = [...new Set(sent.map(({ method }) => method))].filter((method) => !isKnown.has(method));
  return methods.flatMap(
    (method) =>
      guessCommand(
        method,
        sent.filter((command) => command.method === method),
      ) ?? [],
  );
}
