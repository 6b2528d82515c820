/**
 * Templates that read a value out of a message: the part of Jinja that announcements of MQTT devices use. A template is parsed once, in linear time,
 * and evaluated without `eval`; parsing refuses unsupported syntax.
 */
import type { JsonValue } from "../json/json.ts";
import { type TemplateToken, tokenize } from "./value-template-tokens.ts";
import {
  applyFilter,
  arithmetic,
  compare,
  filterNames,
  isTruthy,
  memberOf,
  shortText,
  TEXT_CHARACTERS_MAX,
  type TemplateValue,
} from "./value-template-values.ts";
import { TEMPLATE_WORK_MAX, WorkBudget } from "./work-budget.ts";

export { renderText, shortText, type TemplateValue } from "./value-template-values.ts";

const TEMPLATE_CHARACTERS_MAX = 4_096;
const TOKENS_MAX = 1_024;
const DEPTH_MAX = 32;

/** Readable names of a template. `value_json` is undefined if the message is not JSON. */
export interface TemplateScope {
  readonly value: JsonValue;
  readonly value_json?: JsonValue | undefined;
  /** Budget of the message, shared by all of its templates. By default, each template has its own. */
  readonly work?: WorkBudget;
}

/** Returns the value; undefined if the message does not contain it. Throws a DomainError only if the budget is used up. */
export interface ValueTemplate {
  (scope: TemplateScope): TemplateValue;
  /** Source, which is equal for equal templates. */
  readonly source: string;
}

/** A template outside the supported part. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

type Node = (scope: Required<TemplateScope>) => TemplateValue;

interface Part {
  readonly node: Node;
  /** True for literal white space. */
  readonly isBlank: boolean;
  /** True for an `if`, which has no value if no branch holds. */
  readonly isStatement: boolean;
}

const COMPARISONS = new Set(["==", "!=", "<", ">", "<=", ">="]);
const CONSTANTS: ReadonlyMap<string, TemplateValue> = new Map<string, TemplateValue>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);
const RESERVED = new Set(["if", "elif", "else", "endif", "and", "or", "not", "is", "in"]);

class Parser {
  #index = 0;
  #depth = 0;

  readonly #tokens: readonly TemplateToken[];

  constructor(tokens: readonly TemplateToken[]) {
    this.#tokens = tokens;
  }

  /** Parses up to the end, or to a statement that ends a branch. */
  body(isBranch: boolean): Node {
    return this.#nested(() => {
      const parts: Part[] = [];
      while (!this.#isAtEnd(isBranch)) parts.push(this.#part());
      return joined(parts);
    });
  }

  #isAtEnd(isBranch: boolean): boolean {
    const token = this.#tokens[this.#index];
    if (token === undefined) {
      if (isBranch) throw new TemplateError("endif is missing");
      return true;
    }
    return isBranch && token.text === "{%" && this.#tokens[this.#index + 1]?.text !== "if";
  }

  #part(): Part {
    const token = this.#next();
    if (token.kind === "literal")
      return { node: () => token.text, isBlank: token.text.trim() === "", isStatement: false };
    if (token.text === "{{") {
      const node = this.#expression();
      this.#expect("}}");
      return { node, isBlank: false, isStatement: false };
    }
    if (token.text !== "{%") throw new TemplateError(`unexpected ${token.text}`);
    this.#expect("if");
    return { node: this.#branches(), isBlank: false, isStatement: true };
  }

  #branches(): Node {
    return this.#nested(() => {
      const condition = this.#expression();
      this.#expect("%}");
      const then = this.body(true);
      this.#expect("{%");
      if (this.#accept("elif")) {
        const otherwise = this.#branches();
        return (scope) => (isTruthy(condition(scope)) ? then(scope) : otherwise(scope));
      }
      let otherwise: Node = () => undefined;
      if (this.#accept("else")) {
        this.#expect("%}");
        otherwise = this.body(true);
        this.#expect("{%");
      }
      this.#expect("endif");
      this.#expect("%}");
      return (scope) => (isTruthy(condition(scope)) ? then(scope) : otherwise(scope));
    });
  }

  #expression(): Node {
    return this.#nested(() => {
      const value = this.#or();
      if (!this.#accept("if")) return value;
      const condition = this.#or();
      const otherwise: Node = this.#accept("else") ? this.#expression() : () => undefined;
      return (scope) => (isTruthy(condition(scope)) ? value(scope) : otherwise(scope));
    });
  }

  #or(): Node {
    let left = this.#and();
    while (this.#accept("or")) {
      const [first, second] = [left, this.#and()];
      left = (scope) => {
        const value = first(scope);
        return isTruthy(value) ? value : second(scope);
      };
    }
    return left;
  }

  #and(): Node {
    let left = this.#not();
    while (this.#accept("and")) {
      const [first, second] = [left, this.#not()];
      left = (scope) => {
        const value = first(scope);
        return isTruthy(value) ? second(scope) : value;
      };
    }
    return left;
  }

  #not(): Node {
    if (!this.#accept("not")) return this.#comparison();
    const inner = this.#nested(() => this.#not());
    return (scope) => !isTruthy(inner(scope));
  }

  #comparison(): Node {
    const left = this.#sum();
    const operator = this.#peek();
    if (COMPARISONS.has(operator)) {
      this.#index++;
      const right = this.#sum();
      return (scope) => compare(operator, [left(scope), right(scope)], scope.work);
    }
    if (this.#accept("is")) return this.#test(left);
    const isNegative = operator === "not" && this.#tokens[this.#index + 1]?.text === "in";
    if (isNegative) this.#index++;
    if (!this.#accept("in")) return left;
    const right = this.#sum();
    return (scope) => compare("in", [left(scope), right(scope)], scope.work) !== isNegative;
  }

  #test(left: Node): Node {
    const isNegative = this.#accept("not");
    const name = this.#name();
    const tests: Record<string, (value: TemplateValue) => boolean> = {
      defined: (value) => value !== undefined,
      none: (value) => value === null,
      number: (value) => typeof value === "number",
      string: (value) => typeof value === "string",
    };
    const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
    if (test === undefined) throw new TemplateError(`unknown test ${name}`);
    return (scope) => test(left(scope)) !== isNegative;
  }

  #sum(): Node {
    return this.#chain(["+", "-", "~"], () => this.#product());
  }

  #product(): Node {
    return this.#chain(["*", "/", "//", "%"], () => this.#unary());
  }

  #chain(operators: readonly string[], next: () => Node): Node {
    let left = next();
    for (let operator = this.#peek(); operators.includes(operator); operator = this.#peek()) {
      this.#index++;
      const [first, second, name] = [left, next(), operator];
      left = (scope) => arithmetic(name, [first(scope), second(scope)], scope.work);
    }
    return left;
  }

  #unary(): Node {
    if (!this.#accept("-")) return this.#postfix();
    const inner = this.#nested(() => this.#unary());
    return (scope) => arithmetic("-", [0, inner(scope)], scope.work);
  }

  #postfix(): Node {
    let node = this.#primary();
    for (;;) {
      if (this.#accept(".")) node = member(node, constant(this.#name()));
      else if (this.#accept("[")) {
        node = member(node, this.#expression());
        this.#expect("]");
      } else if (this.#accept("|")) node = this.#filter(node);
      else return node;
    }
  }

  #filter(input: Node): Node {
    const name = this.#name();
    if (!filterNames.has(name)) throw new TemplateError(`unknown filter ${name}`);
    const parameters = this.#accept("(") ? this.#list(")") : [];
    const inputs = [input, ...parameters];
    return (scope) =>
      applyFilter(
        name,
        inputs.map((each) => each(scope)),
        scope.work,
      );
  }

  #list(end: string): Node[] {
    const items: Node[] = [];
    while (!this.#accept(end)) {
      if (items.length > 0) this.#expect(",");
      items.push(this.#expression());
    }
    return items;
  }

  #primary(): Node {
    const token = this.#next();
    if (token.kind === "number") return constant(Number(token.text));
    if (token.kind === "string") return constant(token.text);
    if (token.kind === "operator" && token.text === "(") {
      const inner = this.#expression();
      this.#expect(")");
      return inner;
    }
    if (token.kind === "operator" && token.text === "[") return listOf(this.#list("]"));
    if (token.kind === "name") return this.#named(token.text);
    throw new TemplateError(`unexpected ${token.text}`);
  }

  #named(name: string): Node {
    if (CONSTANTS.has(name)) return constant(CONSTANTS.get(name));
    if (name === "value") return ({ value }) => value;
    if (name === "value_json") return ({ value_json }) => value_json;
    if ((name !== "float" && name !== "int") || !this.#accept("("))
      throw new TemplateError(`unknown name ${name}`);
    const inputs = this.#list(")");
    if (inputs.length === 0) throw new TemplateError(`${name} needs a value`);
    return (scope) =>
      applyFilter(
        name,
        inputs.map((each) => each(scope)),
        scope.work,
      );
  }

  #name(): string {
    const { kind, text } = this.#next();
    if (kind !== "name" || RESERVED.has(text)) throw new TemplateError(`unexpected ${text}`);
    return text;
  }

  /** Returns the text of an operator or a name; undefined for quoted text. */
  #peek(): string {
    const token = this.#tokens[this.#index];
    return token?.kind === "operator" || token?.kind === "name" ? token.text : "";
  }

  #accept(text: string): boolean {
    if (this.#peek() !== text) return false;
    this.#index++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw new TemplateError(`${text} is missing`);
  }

  #next(): TemplateToken {
    const token = this.#tokens[this.#index++];
    if (token === undefined) throw new TemplateError("it ends too early");
    return token;
  }

  #nested<Result>(parse: () => Result): Result {
    if (++this.#depth > DEPTH_MAX) throw new TemplateError("it is nested too deep");
    const result = parse();
    this.#depth--;
    return result;
  }
}

const constant =
  (value: TemplateValue): Node =>
  () =>
    value;

const member =
  (object: Node, name: Node): Node =>
  (scope) =>
    memberOf(object(scope), name(scope));

const listOf =
  (items: readonly Node[]): Node =>
  (scope) =>
    items.map((item) => item(scope) ?? null);

/**
 * Joins parts. A single expression keeps the type of its value, even with surrounding white space. Several parts become text, without a value if an
 * expression has none; a statement without a value contributes no text.
 */
function joined(parts: readonly Part[]): Node {
  const filled = parts.filter(({ isBlank }) => !isBlank);
  const [only] = filled;
  if (filled.length === 1 && only !== undefined) return only.node;
  if (filled.length === 0) return () => "";
  return (scope) => {
    let text = "";
    for (const part of parts) {
      const piece = pieceOf(part, scope);
      if (piece === undefined) return undefined;
      text += piece;
      if (text.length > TEXT_CHARACTERS_MAX) return undefined;
    }
    return text.trim() === "" ? undefined : text;
  };
}

function pieceOf({ node, isStatement }: Part, scope: Required<TemplateScope>): string | undefined {
  const value = node(scope);
  if (value === undefined) return isStatement ? "" : undefined;
  return shortText(value, scope.work);
}

const asTemplate = (source: string, evaluate: (scope: TemplateScope) => TemplateValue): ValueTemplate =>
  Object.assign(evaluate, { source });

/** Default template, which returns the whole message. */
export const wholeMessage: ValueTemplate = asTemplate("", ({ value }) => value);

/** @throws TemplateError for a template that is too long or outside the supported part */
export function parseValueTemplate(source: string): ValueTemplate {
  if (source.length > TEMPLATE_CHARACTERS_MAX) throw new TemplateError("it is too long");
  const tokens = tokenize(source.trim(), (text) => new TemplateError(text));
  if (tokens.length > TOKENS_MAX) throw new TemplateError("it has too many parts");
  const evaluate = new Parser(tokens).body(false);
  return asTemplate(source, ({ value, value_json, work = new WorkBudget(TEMPLATE_WORK_MAX) }) => {
    const result = evaluate({ value, value_json, work });
    // As Home Assistant does, also with what a branch has around its text.
    return typeof result === "string" ? result.trim() : result;
  });
}
