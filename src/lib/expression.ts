import { functions } from "./expression-functions.ts";
import { type Token, tokensOf, wrong } from "./expression-tokens.ts";

/*
 * A small expression language for values derived from others: `(a - 32) * 5 / 9`, `max(a, b) > 80 ? "hot" : "ok"`,
 * `key("supply temp") - attribute("SERVER", "offset")`. Compiled once to closures, no eval, bounded in length and depth.
 *
 *   conditional  = or [ "?" conditional ":" conditional ]
 *   or           = and { "||" and }            and      = equality { "&&" equality }
 *   equality     = relation [ ("==" | "!=") relation ]
 *   relation     = sum [ ("<" | "<=" | ">" | ">=") sum ]
 *   sum          = product { ("+" | "-") product }
 *   product      = unary { ("*" | "/" | "%") unary }
 *   unary        = ("-" | "!") unary | power   power    = primary [ "**" unary ]
 *   primary      = number | text | "true" | "false" | name | function "(" … ")" | "(" conditional ")"
 *   name         = letter or "_", then letters, digits, "_" and "."
 */

const DEPTH_MAX = 40;

export type ExpressionValue = number | string | boolean;

/** Where names come from; undefined for what is not there. */
export interface ExpressionScope {
  key(name: string): unknown;
  attribute(scope: string, name: string): unknown;
}

/**
 * The value, or undefined when something that it needs is not there.
 * @throws ExpressionError when values are of the wrong type or the result is not finite.
 */
export type CompiledExpression = (scope: ExpressionScope) => ExpressionValue | undefined;

/** The expression is well-formed, and cannot be reckoned with these values. */
export class ExpressionError extends Error {}

type Node = (scope: ExpressionScope) => ExpressionValue | undefined;
function toNumber(value: ExpressionValue, what: string): number {
  if (typeof value === "number") return value;
  throw new ExpressionError(
    `${what} needs numbers, not ${typeof value === "string" ? "texts" : "true or false"}`,
  );
}

const toBoolean = (value: ExpressionValue): boolean =>
  typeof value === "boolean" ? value : value !== 0 && value !== "";

function compare(sign: string, a: ExpressionValue, b: ExpressionValue): boolean {
  if (typeof a !== typeof b) throw new ExpressionError(`${sign} compares values of one type`);
  if (sign === "<") return a < b;
  if (sign === "<=") return a <= b;
  if (sign === ">") return a > b;
  return a >= b;
}

const arithmetic: Record<string, (a: number, b: number) => number> = {
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": (a, b) => a ** b,
};

class Parser {
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  whole(): Node {
    const node = this.#conditional();
    const token = this.#peek();
    if (token.kind !== "end") throw wrong(`unexpected ${token.value} at character ${token.at + 1}`);
    return node;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: "end", value: "", at: 0 };
  }

  #takeSign(...signs: string[]): string | undefined {
    const token = this.#peek();
    if (token.kind !== "sign" || !signs.includes(token.value)) return undefined;
    this.#next++;
    return token.value;
  }

  #expect(sign: string): void {
    if (this.#takeSign(sign) !== undefined) return;
    const { value, at } = this.#peek();
    throw wrong(`${sign} expected at character ${at + 1}${value === "" ? "" : `, not ${value}`}`);
  }

  #nested<Result>(parse: () => Result): Result {
    if (++this.#depth > DEPTH_MAX) throw wrong("it is nested too deeply");
    const result = parse();
    this.#depth--;
    return result;
  }

  #conditional(): Node {
    return this.#nested(() => {
      const condition = this.#or();
      if (this.#takeSign("?") === undefined) return condition;
      const yes = this.#conditional();
      this.#expect(":");
      const no = this.#conditional();
      return (scope) => {
        const value = condition(scope);
        return value === undefined ? undefined : toBoolean(value) ? yes(scope) : no(scope);
      };
    });
  }

  #or(): Node {
    let left = this.#and();
    while (this.#takeSign("||") !== undefined) left = logical(left, this.#and(), true);
    return left;
  }

  #and(): Node {
    let left = this.#equality();
    while (this.#takeSign("&&") !== undefined) left = logical(left, this.#equality(), false);
    return left;
  }

  #equality(): Node {
    const left = this.#relation();
    const sign = this.#takeSign("==", "!=");
    return sign === undefined
      ? left
      : binary(left, this.#relation(), (a, b) => (a === b) === (sign === "=="));
  }

  #relation(): Node {
    const left = this.#sum();
    const sign = this.#takeSign("<=", ">=", "<", ">");
    return sign === undefined ? left : binary(left, this.#sum(), (a, b) => compare(sign, a, b));
  }

  #sum(): Node {
    let left = this.#product();
    for (let sign = this.#takeSign("+", "-"); sign !== undefined; sign = this.#takeSign("+", "-"))
      left = calculate(sign, left, this.#product());
    return left;
  }

  #product(): Node {
    let left = this.#unary();
    for (let sign = this.#takeSign("*", "/", "%"); sign !== undefined; sign = this.#takeSign("*", "/", "%"))
      left = calculate(sign, left, this.#unary());
    return left;
  }

  #unary(): Node {
    const sign = this.#takeSign("-", "!");
    if (sign === undefined) return this.#power();
    const inner = this.#nested(() => this.#unary());
    return (scope) => {
      const value = inner(scope);
      if (value === undefined) return undefined;
      return sign === "!" ? !toBoolean(value) : -toNumber(value, "-");
    };
  }

  #power(): Node {
    const base = this.#primary();
    if (this.#takeSign("**") === undefined) return base;
    return calculate(
      "**",
      base,
      this.#nested(() => this.#unary()),
    );
  }

  #primary(): Node {
    const token = this.#peek();
    this.#next++;
    if (token.kind === "number" || token.kind === "text") return () => token.value;
    if (token.kind === "sign" && token.value === "(") {
      const inner = this.#conditional();
      this.#expect(")");
      return inner;
    }
    if (token.kind !== "name")
      throw wrong(
        token.kind === "end" ? "it ends too early" : `unexpected ${token.value} at character ${token.at + 1}`,
      );
    return this.#takeSign("(") === undefined ? named(token.value) : this.#call(token.value);
  }

  #call(name: string): Node {
    if (name === "key" || name === "attribute") return this.#lookup(name);
    const rule = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (rule === undefined) throw wrong(`there is no function ${name}`);
    const values = [this.#conditional()];
    while (this.#takeSign(",") !== undefined) values.push(this.#conditional());
    this.#expect(")");
    if (values.length < rule.min || values.length > rule.max)
      throw wrong(`${name} takes ${rule.min === rule.max ? rule.min : `${rule.min} to ${rule.max}`} values`);
    return (scope) => {
      const numbers: number[] = [];
      for (const value of values) {
        const found = value(scope);
        if (found === undefined) return undefined;
        numbers.push(toNumber(found, name));
      }
      return rule.run(numbers);
    };
  }

  /** `key("any name")`, `attribute("SHARED", "any name")`. */
  #lookup(name: "key" | "attribute"): Node {
    const texts = [this.#text()];
    if (name === "attribute") {
      this.#expect(",");
      texts.push(this.#text());
    }
    this.#expect(")");
    const [first = "", second = ""] = texts;
    return name === "key"
      ? (scope) => plain(scope.key(first))
      : (scope) => plain(scope.attribute(first.toUpperCase(), second));
  }

  #text(): string {
    const token = this.#peek();
    if (token.kind !== "text") throw wrong(`a text in quotes expected at character ${token.at + 1}`);
    this.#next++;
    return token.value;
  }
}

const plain = (value: unknown): ExpressionValue | undefined =>
  typeof value === "number" || typeof value === "string" || typeof value === "boolean" ? value : undefined;

function named(name: string): Node {
  if (name === "true" || name === "false") return () => name === "true";
  return (scope) => plain(scope.key(name));
}

function binary(
  left: Node,
  right: Node,
  run: (a: ExpressionValue, b: ExpressionValue) => ExpressionValue,
): Node {
  return (scope) => {
    const a = left(scope);
    const b = right(scope);
    return a === undefined || b === undefined ? undefined : run(a, b);
  };
}

function calculate(sign: string, left: Node, right: Node): Node {
  if (sign === "+")
    return binary(left, right, (a, b) =>
      typeof a === "string" || typeof b === "string" ? `${a}${b}` : toNumber(a, "+") + toNumber(b, "+"),
    );
  const run = arithmetic[sign] ?? (() => Number.NaN);
  return binary(left, right, (a, b) => run(toNumber(a, sign), toNumber(b, sign)));
}

function logical(left: Node, right: Node, stopsAt: boolean): Node {
  return (scope) => {
    const a = left(scope);
    if (a === undefined) return undefined;
    if (toBoolean(a) === stopsAt) return stopsAt;
    const b = right(scope);
    return b === undefined ? undefined : toBoolean(b);
  };
}

/** @throws DomainError `expression.invalid` that says what is wrong, and where. */
export function compileExpression(source: string): CompiledExpression {
  const node = new Parser(tokensOf(source)).whole();
  return (scope) => {
    const value = node(scope);
    if (typeof value === "number" && !Number.isFinite(value))
      throw new ExpressionError("the result is not a finite number");
    return value;
  };
}
