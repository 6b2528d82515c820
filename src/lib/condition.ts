import { invalid } from "./domain-error.ts";
import { isJsonObject } from "./json.ts";

/*
 * Conditions of conditional drops and alarm rules: `{all: […]}`, `{any: […]}` and `{not: …}` over
 * `{key, source?: "telemetry" | "attribute", scope?, op, value | attribute: {key, scope}}`.
 */

const DEPTH_MAX = 16;
const NODES_MAX = 200;

export const conditionOperators = [
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
export type ConditionOperator = (typeof conditionOperators)[number];

/** Where values come from; undefined for what is not there. */
export interface ConditionScope {
  key(name: string): unknown;
  attribute(scope: string, name: string): unknown;
}

/** True or false; a condition over something that is not there is false. */
export type CompiledCondition = (scope: ConditionScope) => boolean;

const wrong = (where: string, message: string) => invalid("condition.invalid", `${where}: ${message}`);

const isOrdered = (a: unknown, b: unknown): boolean =>
  (typeof a === "number" && typeof b === "number") || (typeof a === "string" && typeof b === "string");

function ordered(test: (a: number | string, b: number | string) => boolean) {
  // Both are of one type by then, which is all that the comparison needs.
  return (a: unknown, b: unknown) => isOrdered(a, b) && test(a as number, b as number);
}

const same = (a: unknown, b: unknown): boolean => a === b || Bun.deepEquals(a, b);

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

const attributeScopes = ["SERVER", "SHARED", "CLIENT"];

function scopeOf(given: unknown, where: string): string {
  const scope = given ?? "SERVER";
  if (typeof scope !== "string" || !attributeScopes.includes(scope))
    throw wrong(where, `scope must be one of ${attributeScopes.join(", ")}`);
  return scope;
}

function keyOf(given: unknown, where: string): string {
  if (typeof given !== "string" || given === "") throw wrong(where, "key must be a text");
  return given;
}

type Read = (scope: ConditionScope) => unknown;

function operand(node: Record<string, unknown>, where: string): Read {
  const key = keyOf(node.key, where);
  const source = node.source ?? "telemetry";
  if (source === "telemetry") return (scope) => scope.key(key);
  if (source !== "attribute") throw wrong(where, "source must be telemetry or attribute");
  const of = scopeOf(node.scope, where);
  return (scope) => scope.attribute(of, key);
}

function comparand(node: Record<string, unknown>, op: ConditionOperator, where: string): Read {
  if (node.attribute !== undefined) {
    if (!isJsonObject(node.attribute)) throw wrong(where, "attribute must be {key, scope}");
    const key = keyOf(node.attribute.key, `${where}.attribute`);
    const of = scopeOf(node.attribute.scope, `${where}.attribute`);
    return (scope) => scope.attribute(of, key);
  }
  const { value } = node;
  if (value === undefined) throw wrong(where, "value or attribute is missing");
  if (op === "BETWEEN" && !(Array.isArray(value) && value.length === 2 && isOrdered(value[0], value[1])))
    throw wrong(where, "BETWEEN takes [lowest, highest]");
  if (op === "IN" && !Array.isArray(value)) throw wrong(where, "IN takes a list");
  return () => value;
}

function compileComparison(node: Record<string, unknown>, where: string): CompiledCondition {
  const op = conditionOperators.find((known) => known === node.op);
  if (op === undefined) throw wrong(where, `op must be one of ${conditionOperators.join(", ")}`);
  const left = operand(node, where);
  const right = comparand(node, op, where);
  const test = tests[op];
  return (scope) => {
    const value = left(scope);
    const against = right(scope);
    return value !== undefined && against !== undefined && test(value, against);
  };
}

function compileNode(
  node: unknown,
  where: string,
  state: { depth: number; nodes: number },
): CompiledCondition {
  if (state.depth > DEPTH_MAX) throw wrong(where, "nested too deeply");
  if (++state.nodes > NODES_MAX) throw wrong(where, `at most ${NODES_MAX} parts`);
  if (!isJsonObject(node)) throw wrong(where, "a condition is an object");
  const inner = (child: unknown, path: string) => {
    state.depth++;
    const compiled = compileNode(child, path, state);
    state.depth--;
    return compiled;
  };
  for (const kind of ["all", "any"] as const) {
    const children = node[kind];
    if (children === undefined) continue;
    if (!Array.isArray(children) || children.length === 0)
      throw wrong(`${where}.${kind}`, "a list with at least one part");
    const compiled = children.map((child, index) => inner(child, `${where}.${kind}[${index}]`));
    return kind === "all"
      ? (scope) => compiled.every((test) => test(scope))
      : (scope) => compiled.some((test) => test(scope));
  }
  if (node.not !== undefined) {
    const compiled = inner(node.not, `${where}.not`);
    return (scope) => !compiled(scope);
  }
  return compileComparison(node, where);
}

/** @throws DomainError `condition.invalid` that names the part and what is wrong with it. */
export const compileCondition = (condition: unknown, where = "condition"): CompiledCondition =>
  compileNode(condition, where, { depth: 0, nodes: 0 });
