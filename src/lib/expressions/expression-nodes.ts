import { invalid } from "../core/domain-error.ts";
import { ARGUMENTS_MAX, type functions } from "./expression-functions.ts";

export type ExpressionValue = number | string | boolean;

export type Node<Scope> = (scope: Scope) => ExpressionValue | undefined;

export function toNumber(value: ExpressionValue, subject: string): number {
  if (typeof value === "number") return value;
  throw invalid(typeof value === "string" ? "step_failure.texts" : "step_failure.booleans", { subject });
}

export const toBoolean = (value: ExpressionValue): boolean =>
  typeof value === "boolean" ? value : value !== 0 && value !== "";

export function compare(sign: string, a: ExpressionValue, b: ExpressionValue): boolean {
  if (typeof a !== typeof b) throw invalid("step_failure.types_differ", { sign });
  if (sign === "<") return a < b;
  if (sign === "<=") return a <= b;
  if (sign === ">") return a > b;
  return a >= b;
}

/** Values of literals by node. Operators read them once at compile time. */
const constants = new WeakMap<object, ExpressionValue>();

/** Calculates with numbers in slots. All inputs must exist; nothing is checked. */
export type NumberForm = (numbers: Float64Array) => number;

/** Number forms of nodes that only calculate, like most formulas. */
const numberForms = new WeakMap<object, NumberForm>();

/** Returns the number form of a node; undefined if it does more than calculate, or may read values that are not numbers. */
export const numberFormOf = (node: object): NumberForm | undefined => numberForms.get(node);

export function withNumberForm<Scope>(node: Node<Scope>, form: NumberForm | undefined): Node<Scope> {
  if (form !== undefined) numberForms.set(node, form);
  return node;
}

export function constant<Scope>(value: ExpressionValue): Node<Scope> {
  const node = () => value;
  constants.set(node, value);
  return withNumberForm(node, typeof value === "number" ? () => value : undefined);
}

function numberOf(node: object): number | undefined {
  const value = constants.get(node);
  return typeof value === "number" ? value : undefined;
}

/** Max. characters of a text, equal to the max. length of a message. Otherwise, repeated concatenation could fill the memory. */
const TEXT_MAX = 64 * 1024;

function joined(a: string, b: string): string {
  if (a.length + b.length > TEXT_MAX) throw invalid("step_failure.text_too_long", { max: TEXT_MAX });
  return a + b;
}

function numeric(sign: string, run: (a: number, b: number) => number) {
  return <Scope>(left: Node<Scope>, right: Node<Scope>): Node<Scope> => ofTwo(sign, [left, right], run);
}

/** Keyed by sign. */
export const arithmetic: Record<string, <Scope>(left: Node<Scope>, right: Node<Scope>) => Node<Scope>> = {
  "-": numeric("-", (a, b) => a - b),
  "*": numeric("*", (a, b) => a * b),
  "/": numeric("/", (a, b) => a / b),
  "%": numeric("%", (a, b) => a % b),
  "**": numeric("**", (a, b) => a ** b),
  "+": (left, right) =>
    withNumberForm(
      binary(left, right, (a, b) =>
        typeof a === "string" || typeof b === "string"
          ? joined(String(a), String(b))
          : toNumber(a, "+") + toNumber(b, "+"),
      ),
      ofForms(left, right, (a, b) => a + b),
    ),
};

function ofForms(
  left: object,
  right: object,
  run: (first: number, second: number) => number,
): NumberForm | undefined {
  const first = numberFormOf(left);
  const second = numberFormOf(right);
  return first && second && ((numbers) => run(first(numbers), second(numbers)));
}

export const countsOf = ({ unaryForm, binaryForm, variadic }: (typeof functions)[string]): string =>
  variadic === undefined
    ? [unaryForm && "1", binaryForm && "2"].filter(Boolean).join("–")
    : `1–${ARGUMENTS_MAX}`;

export function ofOne<Scope>(name: string, node: Node<Scope>, run: (value: number) => number): Node<Scope> {
  const form = numberFormOf(node);
  return withNumberForm(
    (scope) => {
      const value = node(scope);
      return value === undefined ? undefined : run(toNumber(value, name));
    },
    form && ((numbers) => run(form(numbers))),
  );
}

export function ofTwo<Scope>(
  name: string,
  [left, right]: readonly [Node<Scope>, Node<Scope>],
  run: (first: number, second: number) => number,
): Node<Scope> {
  const by = numberOf(right);
  if (by !== undefined) return ofOne(name, left, (value) => run(value, by));
  return withNumberForm(
    (scope) => {
      const first = left(scope);
      const second = right(scope);
      return first === undefined || second === undefined
        ? undefined
        : run(toNumber(first, name), toNumber(second, name));
    },
    ofForms(left, right, run),
  );
}

export function ofAny<Scope>(
  name: string,
  nodes: Node<Scope>[],
  run: (values: number[]) => number,
): Node<Scope> {
  return (scope) => {
    const numbers: number[] = [];
    for (const node of nodes) {
      const found = node(scope);
      if (found === undefined) return undefined;
      numbers.push(toNumber(found, name));
    }
    return run(numbers);
  };
}

/** Returns the value if expressions can use it: a number, a text or a boolean. */
export const plain = (value: unknown): ExpressionValue | undefined =>
  typeof value === "number" || typeof value === "string" || typeof value === "boolean" ? value : undefined;

export function binary<Scope>(
  left: Node<Scope>,
  right: Node<Scope>,
  run: (a: ExpressionValue, b: ExpressionValue) => ExpressionValue,
): Node<Scope> {
  return (scope) => {
    const a = left(scope);
    const b = right(scope);
    return a === undefined || b === undefined ? undefined : run(a, b);
  };
}

export function logical<Scope>(left: Node<Scope>, right: Node<Scope>, stopsAt: boolean): Node<Scope> {
  return (scope) => {
    const a = left(scope);
    if (a === undefined) return undefined;
    if (toBoolean(a) === stopsAt) return stopsAt;
    const b = right(scope);
    return b === undefined ? undefined : toBoolean(b);
  };
}
