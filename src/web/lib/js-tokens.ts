/** Splits JavaScript into tokens for coloring; a wrong guess only costs a color. */

export type TokenKind = "plain" | "comment" | "string" | "number" | "keyword" | "name";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORDS = new Set(
  "async await break case catch class const continue default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield".split(
    " ",
  ),
);

/** Names of functions that the gateway calls, so that a misspelt one stands out. */
const CALLED = new Set("transform decodeUplink Decode Decoder encodeDownlink Encode Encoder".split(" "));

const PATTERN =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|`(?:[^`\\]|\\[\s\S])*`?)|(?<number>\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d*)?(?:e[+-]?\d+)?)n?\b)|(?<word>[A-Za-z_$][\w$]*)|(?<regex>\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)|(?<other>\s+|[\s\S])/giy;

/** Code before a slash that starts a regular expression rather than a division. */
const BEFORE_REGEX = /(?:^|[=(,:;!&|?{}[+\-*~^%<>]|\breturn|\btypeof|\bcase)$/;

function kindOfWord(word: string): TokenKind {
  if (KEYWORDS.has(word)) return "keyword";
  return CALLED.has(word) ? "name" : "plain";
}

/** A slash that divides ends there: text after it that looked like a regular expression is read again. */
function kindOf(groups: Readonly<Record<string, string | undefined>>, before: string): TokenKind | "slash" {
  const { comment, string, number, word, regex } = groups;
  if (word !== undefined) return kindOfWord(word);
  if (comment !== undefined) return "comment";
  if (number !== undefined) return "number";
  if (regex !== undefined) return BEFORE_REGEX.test(before) ? "string" : "slash";
  return string === undefined ? "plain" : "string";
}

export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let before = "";
  PATTERN.lastIndex = 0;
  for (let match = PATTERN.exec(source); match !== null; match = PATTERN.exec(source)) {
    const found = kindOf(match.groups ?? {}, before);
    const text = found === "slash" ? "/" : match[0];
    const kind = found === "slash" ? "plain" : found;
    if (found === "slash") PATTERN.lastIndex = match.index + 1;
    const last = tokens.at(-1);
    if (last?.kind === kind) tokens[tokens.length - 1] = { kind, text: last.text + text };
    else tokens.push({ kind, text });
    if (kind !== "comment" && text.trim() !== "") before = text.trim();
  }
  return tokens;
}

/** Returns the tokens line by line. */
export function tokenLines(source: string): Token[][] {
  const lines: Token[][] = [[]];
  for (const { kind, text } of tokensOf(source))
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ kind, text: part });
    }
  return lines;
}
