import { detail, invalid } from "../core/domain-error.ts";
import { isJsonObject } from "../json/json.ts";
import { isReadingStored, unknownFieldOf } from "../json/known-fields.ts";
import { excerpt } from "../strings/excerpt.ts";
import type { Text } from "../texts/text.ts";

/*
 * Conditions of conditional drops and alarm rules: `{all: […]}`, `{any: […]}` and `{not: …}` over
 * `{key, source?: "telemetry" | "attribute", scope?, op, value | attribute: {key, scope}}`.
 */

const DEPTH_MAX = 16;
const NODES_MAX = 200;
const LIST_MAX = 1_000;
/** A year. */
export const DURATION_MS_MAX = 31_536_000_000;

export const CONDITION_OPERATORS = [
  "EQ",
  "NE",
  "GT",
  "GE",
  "LT",
  "LE",
  "BETWEEN",
  "CONTAINS",
  "STARTS_WITH",
  "IN",
] as const;
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

/** Source of the values that a condition reads; undefined for a missing value. */
export interface ConditionScope {
  key(name: string): unknown;
  attribute(scope: string, name: string): unknown;
  /** Returns whether the newest message changed the value. Only alarm rules provide it. */
  changed?(name: string): boolean;
  /** Returns whether no value arrived for `forMs`, or for the usual time of the key. Only alarm rules provide it. */
  isSilent?(name: string, forMs: number | undefined): boolean;
  /** Returns the silence after which a key counts as silent, derived from its usual interval. */
  silentAfterMs?(name: string): number;
}

/** Keys and attributes that a condition reads. */
export interface ConditionParts {
  readonly keys: Set<string>;
  /** `SCOPE/name` */
  readonly attributes: Set<string>;
  /** `forMs` is undefined if the silence is derived from the usual interval of the key. */
  readonly silences: Array<{ readonly key: string; readonly forMs: number | undefined }>;
  /** Bounds by telemetry key. Between two neighboring bounds, all comparisons have the same result. */
  readonly bounds: Map<string, ConditionBound[]>;
  /** Keys for which the condition checks a change. */
  readonly changing: Set<string>;
  /** Comparisons outside of `not`, for texts about the reason. */
  readonly comparisons: Comparison[];
}

export interface Comparison {
  readonly key: string;
  readonly op: ConditionOperator | "CHANGED" | "NO_DATA";
  readonly test: CompiledCondition;
  /** Returns the other side of the comparison; undefined if there is none. */
  readonly against: (scope: ConditionScope) => unknown;
}

/** A number, or an attribute with a possible number. */
export type ConditionBound = number | { readonly scope: string; readonly name: string };

interface Compiling {
  /** True inside of `not`. */
  isNegated: boolean;
  depth: number;
  nodes: number;
  readonly parts: ConditionParts;
  /** True for alarm rules, which use earlier values and silence. */
  readonly knowsTime: boolean;
}

/** Returns whether the condition holds. A condition on a missing value is false. */
export type CompiledCondition = (scope: ConditionScope) => boolean;

const wrong = (field: string, rule: Text) => invalid("condition.invalid", { field, rule });

const isOrdered = (a: unknown, b: unknown): boolean =>
  (typeof a === "number" && typeof b === "number") || (typeof a === "string" && typeof b === "string");

function ordered(test: (a: number | string, b: number | string) => boolean) {
  // Both have the same type here.
  return (a: unknown, b: unknown) => isOrdered(a, b) && test(a as number, b as number);
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const same = (a: unknown, b: unknown): boolean =>
  a === b || (isObject(a) && isObject(b) && Bun.deepEquals(a, b));

/** Compiles a membership test. A literal list becomes a set, because each message tests it. */
function isOneOf(list: readonly unknown[]): (value: unknown) => boolean {
  const plain = new Set(list.filter((item) => !isObject(item)));
  const objects = list.filter(isObject);
  return (value) =>
    isObject(value) ? objects.some((item) => Bun.deepEquals(item, value)) : plain.has(value);
}

const tests: Record<ConditionOperator, (value: unknown, against: unknown) => boolean> = {
  EQ: same,
  NE: (a, b) => !same(a, b),
  GT: ordered((a, b) => a > b),
  GE: ordered((a, b) => a >= b),
  LT: ordered((a, b) => a < b),
  LE: ordered((a, b) => a <= b),
  BETWEEN: (value, range) =>
    Array.isArray(range) &&
    isOrdered(value, range[0]) &&
    (value as number) >= range[0] &&
    (value as number) <= range[1],
  CONTAINS: (value, part) =>
    typeof value === "string"
      ? typeof part === "string" && value.includes(part)
      : Array.isArray(value) && value.some((item) => same(item, part)),
  STARTS_WITH: (value, start) =>
    typeof value === "string" && typeof start === "string" && value.startsWith(start),
  IN: (value, list) => Array.isArray(list) && list.some((item) => same(item, value)),
};

const ATTRIBUTE_SCOPES = ["SERVER", "SHARED", "CLIENT"];

/** Refuses unknown fields of a part: with a misspelled field, it would hold at other times than intended. */
function ensureFields(node: object, fieldNames: readonly string[], where: string): void {
  const unknown = unknownFieldOf(node, (name) => fieldNames.includes(name));
  if (unknown !== undefined)
    throw wrong(`${where}.${excerpt(unknown)}`, detail("rule.unknown", { known: fieldNames.join(", ") }));
}

function scopeOf(value: unknown, where: string): string {
  const scope = value === undefined ? "SERVER" : value;
  if (typeof scope !== "string" || !ATTRIBUTE_SCOPES.includes(scope))
    throw wrong(where, detail("rule.scope_unknown", { attributeScopes: ATTRIBUTE_SCOPES.join(", ") }));
  return scope;
}

function keyOf(value: unknown, where: string): string {
  if (typeof value !== "string" || value === "") throw wrong(where, detail("rule.key_not_text"));
  return value;
}

type Read = (scope: ConditionScope) => unknown;

function addBounds(key: string, bounds: readonly ConditionBound[], parts: ConditionParts): void {
  parts.bounds.set(key, [...(parts.bounds.get(key) ?? []), ...bounds]);
}

/** Returns the numbers of a value for comparisons, including those in lists and ranges. */
export const numbersOf = (value: unknown): number[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "number");

function readAttribute(of: string, key: string, { attributes }: ConditionParts): Read {
  attributes.add(`${of}/${key}`);
  return (scope) => scope.attribute(of, key);
}

function operand(node: Record<string, unknown>, where: string, parts: ConditionParts): Read {
  const key = keyOf(node.key, where);
  const { source = "telemetry" } = node;
  if (source === "telemetry") {
    parts.keys.add(key);
    return (scope) => scope.key(key);
  }
  if (source !== "attribute") throw wrong(where, detail("rule.source_unknown"));
  return readAttribute(scopeOf(node.scope, where), key, parts);
}

const ORDER_OPERATORS: ReadonlySet<ConditionOperator> = new Set(["GT", "GE", "LT", "LE", "BETWEEN"]);

/** Detects quoted numbers, which are strings: a comparison with a string by size never holds. */
const isNumberAsText = (value: unknown): boolean =>
  typeof value === "string" && /\d/.test(value) && Number.isFinite(Number(value));

function ensureValue(value: unknown, op: ConditionOperator, where: string): void {
  if (value === undefined) throw wrong(where, detail("rule.value_missing"));
  if (ORDER_OPERATORS.has(op) && [value].flat().some(isNumberAsText))
    throw wrong(where, detail("rule.number_as_text", { op }));
  if (op === "BETWEEN" && !(Array.isArray(value) && value.length === 2 && isOrdered(value[0], value[1])))
    throw wrong(where, detail("rule.between_list"));
  if (op === "IN" && !Array.isArray(value)) throw wrong(where, detail("rule.in_list"));
  if (Array.isArray(value) && value.length > LIST_MAX)
    throw wrong(where, detail("rule.list_too_long", { max: LIST_MAX }));
}

function comparand(
  node: Record<string, unknown>,
  op: ConditionOperator,
  { where, parts }: { where: string; parts: ConditionParts },
): Read {
  const { source = "telemetry", attribute, value } = node;
  const isTelemetry = source === "telemetry";
  if (attribute === undefined) {
    if (!isReadingStored()) ensureValue(value, op, where);
    if (isTelemetry) addBounds(String(node.key), numbersOf(value), parts);
    return () => value;
  }
  if (value !== undefined && !isReadingStored()) throw wrong(where, detail("rule.value_or_attribute"));
  if (!isJsonObject(attribute)) throw wrong(where, detail("rule.attribute_not_object"));
  ensureFields(attribute, ["key", "scope"], `${where}.attribute`);
  const key = keyOf(attribute.key, `${where}.attribute`);
  const of = scopeOf(attribute.scope, `${where}.attribute`);
  if (isTelemetry) addBounds(String(node.key), [{ scope: of, name: key }], parts);
  return readAttribute(of, key, parts);
}

function compileChanged(
  node: Record<string, unknown>,
  where: string,
  parts: ConditionParts,
): CompiledCondition {
  ensureFields(node, ["key", "source", "op"], where);
  const key = keyOf(node.key, where);
  const { source = "telemetry" } = node;
  if (source !== "telemetry") throw wrong(where, detail("rule.changed_telemetry_only"));
  parts.keys.add(key);
  parts.changing.add(key);
  return (scope) => scope.changed?.(key) ?? false;
}

function silenceMsOf(forMs: unknown, where: string): number {
  if (typeof forMs !== "number" || !Number.isInteger(forMs) || forMs < 1000 || forMs > DURATION_MS_MAX)
    throw wrong(where, detail("rule.for_ms_range", { max: DURATION_MS_MAX }));
  return forMs;
}

function compileSilence(node: unknown, where: string, parts: ConditionParts): CompiledCondition {
  if (!isJsonObject(node)) throw wrong(where, detail("rule.no_data_not_object"));
  ensureFields(node, ["key", "forMs"], where);
  const key = keyOf(node.key, where);
  const forMs = node.forMs === undefined ? undefined : silenceMsOf(node.forMs, where);
  parts.keys.add(key);
  parts.silences.push({ key, forMs });
  return (scope) => scope.isSilent?.(key, forMs) ?? false;
}

function compileComparison(
  node: Record<string, unknown>,
  where: string,
  { parts, knowsTime }: Compiling,
): { test: CompiledCondition; against: Read } {
  const op = CONDITION_OPERATORS.find((operator) => operator === node.op);
  const operators = knowsTime ? [...CONDITION_OPERATORS, "CHANGED"] : CONDITION_OPERATORS;
  if (op === undefined) throw wrong(where, detail("rule.operator_unknown", { known: operators.join(", ") }));
  ensureFields(node, ["key", "source", "scope", "op", "value", "attribute"], where);
  const left = operand(node, where, parts);
  const right = comparand(node, op, { where, parts });
  const isListed = op === "IN" && node.attribute === undefined && Array.isArray(node.value);
  const test = isListed ? isOneOf(node.value as unknown[]) : tests[op]; // it was just looked at
  return {
    test(scope) {
      const value = left(scope);
      const against = right(scope);
      return value !== undefined && against !== undefined && test(value, against);
    },
    against: right,
  };
}

/** Compiles a comparison and lists it, except inside of `not`. */
function compileLeaf(node: Record<string, unknown>, where: string, state: Compiling): CompiledCondition {
  const { parts, knowsTime, isNegated } = state;
  const { noData } = node;
  if (knowsTime && noData !== undefined) {
    ensureFields(node, ["noData"], where);
    const test = compileSilence(noData, `${where}.noData`, parts);
    const key = String((noData as Record<string, unknown>).key); // it was just compiled
    if (!isNegated) parts.comparisons.push({ key, op: "NO_DATA", test, against: () => undefined });
    return test;
  }
  const isChange = knowsTime && node.op === "CHANGED";
  const { test, against } = isChange
    ? { test: compileChanged(node, where, parts), against: () => undefined }
    : compileComparison(node, where, state);
  if (!isNegated && (node.source ?? "telemetry") === "telemetry")
    parts.comparisons.push({ key: String(node.key), op: node.op as Comparison["op"], test, against });
  return test;
}

function compileNode(node: unknown, where: string, state: Compiling): CompiledCondition {
  if (state.depth > DEPTH_MAX) throw wrong(where, detail("rule.too_deep"));
  if (++state.nodes > NODES_MAX) throw wrong(where, detail("rule.too_many_parts", { max: NODES_MAX }));
  if (!isJsonObject(node)) throw wrong(where, detail("rule.condition_not_object"));
  const inner = (child: unknown, path: string) => {
    state.depth++;
    const compiled = compileNode(child, path, state);
    state.depth--;
    return compiled;
  };
  for (const kind of ["all", "any"] as const) {
    const children = node[kind];
    if (children === undefined) continue;
    ensureFields(node, [kind], where);
    if (!Array.isArray(children) || children.length === 0)
      throw wrong(`${where}.${kind}`, detail("rule.parts_missing"));
    const compiled = children.map((child, index) => inner(child, `${where}.${kind}[${index}]`));
    return kind === "all"
      ? (scope) => compiled.every((test) => test(scope))
      : (scope) => compiled.some((test) => test(scope));
  }
  if (node.not !== undefined) {
    ensureFields(node, ["not"], where);
    const { isNegated } = state;
    state.isNegated = true;
    const compiled = inner(node.not, `${where}.not`);
    state.isNegated = isNegated;
    return (scope) => !compiled(scope);
  }
  return compileLeaf(node, where, state);
}

const noParts = (): ConditionParts => ({
  keys: new Set(),
  attributes: new Set(),
  silences: [],
  bounds: new Map(),
  changing: new Set(),
  comparisons: [],
});

const compileWith = (condition: unknown, where: string, knowsTime: boolean) => {
  const parts = noParts();
  return {
    ...parts,
    test: compileNode(condition, where, { isNegated: false, depth: 0, nodes: 0, parts, knowsTime }),
  };
};

/** Compiles a condition with the list of its parts. @throws DomainError `condition.invalid` that names the part and the mistake */
export const compileCondition = (condition: unknown, where = "condition") =>
  compileWith(condition, where, false);

/** Compiles a condition that may also use `CHANGED` and `{noData: {key, forMs?}}`, which require earlier values. */
export const compileAlarmCondition = (condition: unknown, where: string) =>
  compileWith(condition, where, true);
