import { detail, invalid } from "./domain-error.ts";
import type { Text } from "./texts/text.ts";

const SOURCE_CHARACTERS_MAX = 1_000;

export type Token =
  | { readonly kind: "number"; readonly value: number; readonly position: number }
  | { readonly kind: "text" | "name" | "sign" | "end"; readonly value: string; readonly position: number };

const TOKEN =
  /(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([A-Za-z_][A-Za-z0-9_.]*)|(\*\*|[<>=!]=|&&|\|\||[-+*/%<>!?:(),])/y;

const SPACES = /\s*/y;

export const wrong = (rule: Text) => invalid("expression.invalid", { rule });

/** Returns the position of the first character from `start` on that is not white space. */
function afterSpaces(source: string, start: number): number {
  SPACES.lastIndex = start;
  SPACES.exec(source);
  return SPACES.lastIndex;
}

/** @throws DomainError `expression.invalid`. */
export function tokensOf(source: string): Token[] {
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
