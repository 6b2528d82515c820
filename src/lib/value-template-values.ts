/** Values of templates and what is done with them. Nothing here throws: what has no result is `undefined`. */
import { isJsonObject, type JsonValue } from "./json.ts";

export type TemplateValue = JsonValue | undefined;

/** Length of a text that a template may produce. */
export const TEXT_CHARACTERS_MAX = 8_192;
const DECIMALS_MAX = 12;
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Returns the text of a value as the templates' own language writes it: `True`, `False`, `None`. */
export function renderText(value: TemplateValue): string {
  if (value === undefined) return "";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function isTruthy(value: TemplateValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Returns the number that a value is or says; `undefined` if it is none. */
export function toNumber(value: TemplateValue): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") {
    const text = value.trim();
    return text.length <= 64 && decimal.test(text) ? finite(Number(text)) : undefined;
  }
  return typeof value === "number" ? finite(value) : undefined;
}

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

export function memberOf(object: TemplateValue, name: TemplateValue): TemplateValue {
  if (Array.isArray(object) && typeof name === "number") return object.at(name);
  if (!isJsonObject(object) || typeof name !== "string" || !Object.hasOwn(object, name)) return undefined;
  return object[name] as JsonValue; // the content of a JSON object
}

const isPlain = (value: TemplateValue) => typeof value !== "object" || value === null;
const isEqual = (left: TemplateValue, right: TemplateValue) =>
  isPlain(left) && isPlain(right) && (left === right || isSameNumber(left, right));
/** `true == 1`, as in the templates' own language. */
const isSameNumber = (left: TemplateValue, right: TemplateValue) =>
  typeof left !== "string" &&
  typeof right !== "string" &&
  toNumber(left) !== undefined &&
  toNumber(left) === toNumber(right);

function isIn(left: TemplateValue, right: TemplateValue): boolean {
  if (Array.isArray(right)) return right.some((item) => isEqual(left, item));
  if (typeof right === "string") return typeof left === "string" && right.includes(left);
  return isJsonObject(right) && typeof left === "string" && Object.hasOwn(right, left);
}

/** Texts are compared with texts, and numbers with numbers. */
function order(left: TemplateValue, right: TemplateValue): number | undefined {
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === "string" || typeof right === "string") return undefined;
  const [first, second] = [toNumber(left), toNumber(right)];
  return first === undefined || second === undefined ? undefined : first - second;
}

export function compare(operator: string, left: TemplateValue, right: TemplateValue): boolean {
  if (operator === "==") return isEqual(left, right);
  if (operator === "!=") return !isEqual(left, right);
  if (operator === "in") return isIn(left, right);
  const difference = order(left, right);
  if (difference === undefined) return false;
  if (operator === "<") return difference < 0;
  if (operator === ">") return difference > 0;
  return operator === "<=" ? difference <= 0 : difference >= 0;
}

const textOf = (text: string): TemplateValue => (text.length > TEXT_CHARACTERS_MAX ? undefined : text);

function calculate(operator: string, left: number, right: number): number {
  if (operator === "+") return left + right;
  if (operator === "-") return left - right;
  if (operator === "*") return left * right;
  if (operator === "/") return left / right;
  const quotient = Math.floor(left / right);
  return operator === "//" ? quotient : left - right * quotient;
}

export function arithmetic(operator: string, left: TemplateValue, right: TemplateValue): TemplateValue {
  if (left === undefined || right === undefined) return undefined;
  if (operator === "~" || (operator === "+" && typeof left === "string" && typeof right === "string"))
    return textOf(renderText(left) + renderText(right));
  if (typeof left === "string" || typeof right === "string") return undefined;
  const [first, second] = [toNumber(left), toNumber(right)];
  return first === undefined || second === undefined ? undefined : finite(calculate(operator, first, second));
}

function round(value: TemplateValue, decimals: TemplateValue = 0): TemplateValue {
  const number = toNumber(value);
  if (number === undefined || typeof decimals !== "number") return undefined;
  const places = Math.min(DECIMALS_MAX, Math.max(0, Math.trunc(decimals)));
  return Math.abs(number) < 1e15 ? Number(number.toFixed(places)) : number;
}

const onText = (value: TemplateValue, change: (text: string) => string): TemplateValue =>
  value === undefined ? undefined : textOf(change(renderText(value)));

type Filter = (value: TemplateValue, parameters: readonly TemplateValue[]) => TemplateValue;

const withDefault: Filter = (value, [fallback = "", isForFalsy]) =>
  value === undefined || (isForFalsy === true && !isTruthy(value)) ? fallback : value;

const filters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ["float", (value, [fallback]) => toNumber(value) ?? fallback],
  [
    "int",
    (value, [fallback]) => {
      const number = toNumber(value);
      return number === undefined ? fallback : Math.trunc(number);
    },
  ],
  ["round", (value, [decimals]) => round(value, decimals)],
  ["default", withDefault],
  ["d", withDefault],
  ["is_defined", (value) => value],
  [
    "abs",
    (value) => {
      const number = toNumber(value);
      return number === undefined ? undefined : Math.abs(number);
    },
  ],
  ["multiply", (value, [factor]) => arithmetic("*", toNumber(value), toNumber(factor))],
  ["add", (value, [summand]) => arithmetic("+", toNumber(value), toNumber(summand))],
  ["lower", (value) => onText(value, (text) => text.toLowerCase())],
  ["upper", (value) => onText(value, (text) => text.toUpperCase())],
  ["trim", (value) => onText(value, (text) => text.trim())],
  ["string", (value) => onText(value, (text) => text)],
  [
    "bool",
    (value) =>
      typeof value === "string" ? ["true", "on", "yes", "1"].includes(value.toLowerCase()) : isTruthy(value),
  ],
  [
    "replace",
    (value, [from, to]) =>
      typeof from === "string" && from !== "" && typeof to === "string"
        ? onText(value, (text) => replaced(text, from, to))
        : undefined,
  ],
]);

/** Replaces a text, unless the result would be too long. */
function replaced(text: string, from: string, to: string): string {
  const parts = text.split(from);
  const length = text.length + (parts.length - 1) * (to.length - from.length);
  return length > TEXT_CHARACTERS_MAX ? text : parts.join(to);
}

export const filterNames: ReadonlySet<string> = new Set(filters.keys());

export const applyFilter = (
  name: string,
  value: TemplateValue,
  parameters: readonly TemplateValue[],
): TemplateValue => filters.get(name)?.(value, parameters);
