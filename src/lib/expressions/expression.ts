import { detail, invalid } from "../core/domain-error.ts";
import { excerpt } from "../strings/excerpt.ts";
import type { Text } from "../texts/text.ts";
import { ARGUMENTS_MAX, functions } from "./expression-functions.ts";
import {
  arithmetic,
  binary,
  compare,
  constant,
  countsOf,
  type ExpressionValue,
  logical,
  type Node,
  numberFormOf,
  ofAny,
  ofOne,
  ofTwo,
  toBoolean,
  withNumberForm,
} from "./expression-nodes.ts";

const SOURCE_CHARACTERS_MAX = 1_000;

type Token =
  | { readonly kind: "number"; readonly value: number; readonly position: number }
  | { readonly kind: "text" | "name" | "sign" | "end"; readonly value: string; readonly position: number };

const TOKEN =
  /(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([A-Za-z_][A-Za-z0-9_.]*)|(\*\*|[<>=!]=|&&|\|\||[-+*/%<>!?:(),])/y;

const SPACES = /\s*/y;

const wrong = (rule: Text) => invalid("expression.invalid", { rule });

/** Returns the position of the first non-blank character from `start`. */
function afterSpaces(source: string, start: number): number {
  SPACES.lastIndex = start;
  SPACES.exec(source);
  return SPACES.lastIndex;
}

/** @throws DomainError `expression.invalid`. */
function tokensOf(source: string): Token[] {
  if (source.length > SOURCE_CHARACTERS_MAX)
    throw wrong(detail("expression_rule.too_long", { max: SOURCE_CHARACTERS_MAX }));
  const tokens: Token[] = [];
  for (let position = afterSpaces(source, 0); position < source.length; ) {
    TOKEN.lastIndex = position;
    const match = TOKEN.exec(source);
    if (match === null) throw wrong(detail("expression_rule.unreadable", { position: position + 1 }));
    const [, number, double, single, name, sign = ""] = match;
    const text = double ?? single;
    if (number !== undefined) tokens.push({ kind: "number", value: Number(number), position });
    else if (text !== undefined) tokens.push({ kind: "text", value: text.replace(/\\(.)/g, "$1"), position });
    else if (name !== undefined) tokens.push({ kind: "name", value: name, position });
    else tokens.push({ kind: "sign", value: sign, position });
    position = afterSpaces(source, TOKEN.lastIndex);
  }
  tokens.push({ kind: "end", value: "", position: source.trimEnd().length });
  return tokens;
}

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

/** Readers of names, resolved once at compile time. They return undefined for a missing value. */
export interface ExpressionReads<Scope> {
  key(name: string): (scope: Scope) => ExpressionValue | undefined;
  attribute(of: string, name: string): (scope: Scope) => ExpressionValue | undefined;
}

/**
 * Returns the value; undefined if an input is missing.
 * @throws DomainError `step_failure.…` if values have the wrong type or the result is not finite
 */
export type CompiledExpression<Scope> = (scope: Scope) => ExpressionValue | undefined;

class Parser<Scope> {
  readonly #tokens: Token[];
  readonly #reads: ExpressionReads<Scope>;
  #next = 0;
  #depth = 0;

  constructor(tokens: Token[], reads: ExpressionReads<Scope>) {
    this.#tokens = tokens;
    this.#reads = reads;
  }

  whole(): Node<Scope> {
    const node = this.#conditional();
    const token = this.#peek();
    if (token.kind !== "end")
      throw wrong(
        detail("expression_rule.unexpected", {
          found: excerpt(String(token.value)),
          position: token.position + 1,
        }),
      );
    return node;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: "end", value: "", position: 0 };
  }

  #takeSign(...signs: string[]): string | undefined {
    const token = this.#peek();
    if (token.kind !== "sign" || !signs.includes(token.value)) return undefined;
    this.#next++;
    return token.value;
  }

  #expect(sign: string): void {
    if (this.#takeSign(sign) !== undefined) return;
    const { value, position } = this.#peek();
    const symbolParams = { symbol: sign, position: position + 1 };
    throw wrong(
      value === ""
        ? detail("expression_rule.expected_at_end", symbolParams)
        : detail("expression_rule.expected", { ...symbolParams, found: excerpt(String(value)) }),
    );
  }

  #nested<Result>(parse: () => Result): Result {
    if (++this.#depth > DEPTH_MAX) throw wrong(detail("expression_rule.too_deep"));
    const result = parse();
    this.#depth--;
    return result;
  }

  #conditional(): Node<Scope> {
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

  #or(): Node<Scope> {
    let left = this.#and();
    while (this.#takeSign("||") !== undefined) left = logical(left, this.#and(), true);
    return left;
  }

  #and(): Node<Scope> {
    let left = this.#equality();
    while (this.#takeSign("&&") !== undefined) left = logical(left, this.#equality(), false);
    return left;
  }

  #equality(): Node<Scope> {
    const left = this.#relation();
    const sign = this.#takeSign("==", "!=");
    return sign === undefined
      ? left
      : binary(left, this.#relation(), (a, b) => (a === b) === (sign === "=="));
  }

  #relation(): Node<Scope> {
    const left = this.#sum();
    const sign = this.#takeSign("<=", ">=", "<", ">");
    return sign === undefined ? left : binary(left, this.#sum(), (a, b) => compare(sign, a, b));
  }

  #sum(): Node<Scope> {
    let left = this.#product();
    for (let sign = this.#takeSign("+", "-"); sign !== undefined; sign = this.#takeSign("+", "-"))
      left = arithmetic[sign]?.(left, this.#product()) ?? left;
    return left;
  }

  #product(): Node<Scope> {
    let left = this.#unary();
    for (let sign = this.#takeSign("*", "/", "%"); sign !== undefined; sign = this.#takeSign("*", "/", "%"))
      left = arithmetic[sign]?.(left, this.#unary()) ?? left;
    return left;
  }

  #unary(): Node<Scope> {
    const sign = this.#takeSign("-", "!");
    if (sign === undefined) return this.#power();
    const inner = this.#nested(() => this.#unary());
    if (sign === "-") return ofOne("-", inner, (value) => -value);
    return (scope) => {
      const value = inner(scope);
      return value === undefined ? undefined : !toBoolean(value);
    };
  }

  #power(): Node<Scope> {
    const base = this.#primary();
    if (this.#takeSign("**") === undefined) return base;
    const exponent = this.#nested(() => this.#unary());
    return arithmetic["**"]?.(base, exponent) ?? base;
  }

  #primary(): Node<Scope> {
    const token = this.#peek();
    this.#next++;
    if (token.kind === "number" || token.kind === "text") return constant(token.value);
    if (token.kind === "sign" && token.value === "(") {
      const inner = this.#conditional();
      this.#expect(")");
      return inner;
    }
    if (token.kind !== "name")
      throw wrong(
        token.kind === "end"
          ? detail("expression_rule.ends_too_early")
          : detail("expression_rule.unexpected", {
              found: excerpt(String(token.value)),
              position: token.position + 1,
            }),
      );
    return this.#takeSign("(") === undefined
      ? this.#named(token.value)
      : this.#call(token.value, token.position + 1);
  }

  /** @param position of the name, from 1 */
  #call(name: string, position: number): Node<Scope> {
    if (name === "key" || name === "attribute") return this.#lookup(name);
    const rule = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (rule === undefined)
      throw wrong(detail("expression_rule.function_unknown", { name: excerpt(name), position }));
    const values = [this.#conditional()];
    while (this.#takeSign(",") !== undefined) values.push(this.#conditional());
    this.#expect(")");
    const [first, second] = values;
    if (values.length === 1 && rule.unaryForm !== undefined && first !== undefined)
      return ofOne(name, first, rule.unaryForm);
    if (values.length === 2 && rule.binaryForm !== undefined && first !== undefined && second !== undefined)
      return ofTwo(name, [first, second], rule.binaryForm);
    if (rule.variadic !== undefined && values.length <= ARGUMENTS_MAX)
      return ofAny(name, values, rule.variadic);
    throw wrong(detail("expression_rule.argument_count", { name, counts: countsOf(rule), position }));
  }

  #named(name: string): Node<Scope> {
    if (name === "true" || name === "false") return constant(name === "true");
    return this.#reads.key(name);
  }

  /** Parses `key("any name")` or `attribute("SHARED", "any name")`. */
  #lookup(name: "key" | "attribute"): Node<Scope> {
    const texts = [this.#text()];
    if (name === "attribute") {
      this.#expect(",");
      texts.push(this.#text());
    }
    this.#expect(")");
    const [first = "", second = ""] = texts;
    return name === "key" ? this.#reads.key(first) : this.#reads.attribute(first.toUpperCase(), second);
  }

  #text(): string {
    const token = this.#peek();
    if (token.kind !== "text")
      throw wrong(detail("expression_rule.text_expected", { position: token.position + 1 }));
    this.#next++;
    return token.value;
  }
}

/**
 * Compiles an expression. `numberFormOf` returns the number form of the result if the expression only calculates with numbers.
 * @throws DomainError `expression.invalid` with the mistake and its position
 */
export function compileExpression<Scope>(
  source: string,
  reads: ExpressionReads<Scope>,
): CompiledExpression<Scope> {
  const node = new Parser(tokensOf(source), reads).whole();
  return withNumberForm((scope) => {
    const value = node(scope);
    if (typeof value === "number" && !Number.isFinite(value)) throw invalid("step_failure.not_finite");
    return value;
  }, numberFormOf(node));
}
