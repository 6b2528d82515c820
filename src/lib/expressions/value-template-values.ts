/** Template values and their operations. Operations without a result return `undefined`; only exceeding the budget throws. */
import { isJsonObject, type JsonValue } from "../json/json.ts";
import type { WorkBudget } from "./work-budget.ts";

export type TemplateValue = JsonValue | undefined;

/** Max. length of strings that a template may create or change. */
export const TEXT_CHARACTERS_MAX = 8_192;
const DECIMALS_MAX = 12;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Returns the text of a value in the notation of the template language: `True`, `False`, `None`. */
export function renderText(value: TemplateValue): string {
  if (value === undefined) return "";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function isTruthy(value: TemplateValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return hasKey(value);
  return Boolean(value);
}

function hasKey(object: object): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true;
  return false;
}

/** Converts a value to a number; undefined if that is impossible. */
export function toNumber(value: TemplateValue): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") {
    const text = value.length > TEXT_CHARACTERS_MAX ? value : value.trim();
    return text.length <= 64 && DECIMAL.test(text) ? finite(Number(text)) : undefined;
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
/** Returns whether values are equal as numbers, with `true == 1` as in the template language. */
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

/** Compares texts with texts, and numbers with numbers. */
function order(left: TemplateValue, right: TemplateValue): number | undefined {
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === "string" || typeof right === "string") return undefined;
  const [first, second] = [toNumber(left), toNumber(right)];
  return first === undefined || second === undefined ? undefined : first - second;
}

/** Returns the work units of a step on a value: its characters or items. */
function unitsOf(value: TemplateValue): number {
  if (typeof value === "string" || Array.isArray(value)) return 1 + value.length;
  return 1;
}

export function compare(
  operator: string,
  [left, right]: readonly [TemplateValue, TemplateValue],
  work: WorkBudget,
): boolean {
  work.spend(unitsOf(left) + unitsOf(right));
  if (operator === "==") return isEqual(left, right);
  if (operator === "!=") return !isEqual(left, right);
  if (operator === "in") return isIn(left, right);
  const difference = order(left, right);
  if (difference === undefined) return false;
  if (operator === "<") return difference < 0;
  if (operator === ">") return difference > 0;
  return operator === "<=" ? difference <= 0 : difference >= 0;
}

const limitedText = (text: string): TemplateValue => (text.length > TEXT_CHARACTERS_MAX ? undefined : text);

function calculate(operator: string, left: number, right: number): number {
  if (operator === "+") return left + right;
  if (operator === "-") return left - right;
  if (operator === "*") return left * right;
  if (operator === "/") return left / right;
  const quotient = Math.floor(left / right);
  return operator === "//" ? quotient : left - right * quotient;
}

export function arithmetic(
  operator: string,
  [left, right]: readonly [TemplateValue, TemplateValue],
  work: WorkBudget,
): TemplateValue {
  work.spend(1);
  if (left === undefined || right === undefined) return undefined;
  if (operator === "~" || (operator === "+" && typeof left === "string" && typeof right === "string")) {
    const [first, second] = [shortText(left, work), shortText(right, work)];
    return first === undefined || second === undefined ? undefined : limitedText(first + second);
  }
  return calculated(operator, left, right);
}

function calculated(operator: string, left: TemplateValue, right: TemplateValue): TemplateValue {
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

/** Returns a value as a string if it is short enough to be changed. */
export function shortText(value: TemplateValue, work: WorkBudget): string | undefined {
  if (typeof value === "string" && value.length > TEXT_CHARACTERS_MAX) return undefined;
  const text = renderText(value);
  work.spend(text.length);
  return text.length > TEXT_CHARACTERS_MAX ? undefined : text;
}

function onText(value: TemplateValue, work: WorkBudget, change: (text: string) => string): TemplateValue {
  const text = value === undefined ? undefined : shortText(value, work);
  return text === undefined ? undefined : limitedText(change(text));
}

type Filter = (value: TemplateValue, parameters: readonly TemplateValue[], work: WorkBudget) => TemplateValue;

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
  ["multiply", (value, [factor]) => calculated("*", toNumber(value) ?? null, toNumber(factor) ?? null)],
  ["add", (value, [summand]) => calculated("+", toNumber(value) ?? null, toNumber(summand) ?? null)],
  ["lower", (value, _, work) => onText(value, work, (text) => text.toLowerCase())],
  ["upper", (value, _, work) => onText(value, work, (text) => text.toUpperCase())],
  ["trim", (value, _, work) => onText(value, work, (text) => text.trim())],
  ["string", (value, _, work) => onText(value, work, (text) => text)],
  [
    "bool",
    (value) =>
      typeof value === "string"
        ? value.length < 5 && ["true", "on", "yes", "1"].includes(value.toLowerCase())
        : isTruthy(value),
  ],
  [
    "replace",
    (value, [from, to], work) =>
      typeof from === "string" && from !== "" && typeof to === "string"
        ? onText(value, work, (text) => replaced(text, { from, to, work }))
        : undefined,
  ],
]);

/** Work units per part between replaced strings, which are allocated separately. */
const PART_UNITS = 8;

interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly work: WorkBudget;
}

/** Replaces a text, unless the result would be too long. */
function replaced(text: string, { from, to, work }: Replacement): string {
  const parts = text.split(from);
  work.spend(PART_UNITS * parts.length);
  const length = text.length + (parts.length - 1) * (to.length - from.length);
  return length > TEXT_CHARACTERS_MAX ? text : parts.join(to);
}

export const filterNames: ReadonlySet<string> = new Set(filters.keys());

export function applyFilter(
  name: string,
  [value, ...parameters]: readonly TemplateValue[],
  work: WorkBudget,
): TemplateValue {
  work.spend(1);
  return filters.get(name)?.(value, parameters, work);
}
