/** Splits a value template into literal text and the tokens of its expressions, in one pass. */
export interface TemplateToken {
  readonly kind: "literal" | "operator" | "name" | "number" | "string";
  readonly text: string;
}

const OPERATORS = [
  "==",
  "!=",
  "<=",
  ">=",
  "//",
  "<",
  ">",
  "+",
  "-",
  "*",
  "/",
  "%",
  "~",
  "|",
  ".",
  ",",
  "(",
  ")",
  "[",
  "]",
];
const isDigit = (character: string) => character >= "0" && character <= "9";
const isSpace = (character: string) =>
  character === " " || character === "\n" || character === "\t" || character === "\r";
const isWord = (character: string) => /^\w$/.test(character);

type Fail = (text: string) => Error;

/** Returns the index after the last accepted character from `index`. */
function skip(source: string, index: number, test: (character: string) => boolean): number {
  let end = index;
  while (end < source.length && test(source.charAt(end))) end++;
  return end;
}

function quoted(source: string, start: number, fail: Fail): { text: string; end: number } {
  const quote = source.charAt(start);
  let text = "";
  for (let index = start + 1; index < source.length; index++) {
    const character = source.charAt(index);
    if (character === quote) return { text, end: index + 1 };
    if (character === "\\") index++;
    text += source.charAt(index);
  }
  throw fail("a quote is not closed");
}

/** Reads the token of an expression at `index`, which is not blank. */
function tokenAt(source: string, index: number, fail: Fail): { token: TemplateToken; end: number } {
  const character = source.charAt(index);
  if (character === "'" || character === '"') {
    const { text, end } = quoted(source, index, fail);
    return { token: { kind: "string", text }, end };
  }
  if (isDigit(character)) {
    let end = skip(source, index, isDigit);
    if (source.charAt(end) === "." && isDigit(source.charAt(end + 1))) end = skip(source, end + 1, isDigit);
    return { token: { kind: "number", text: source.slice(index, end) }, end };
  }
  if (isWord(character)) {
    const end = skip(source, index, isWord);
    return { token: { kind: "name", text: source.slice(index, end) }, end };
  }
  const operator = OPERATORS.find((candidate) => source.startsWith(candidate, index));
  if (operator === undefined) throw fail(`unexpected ${character}`);
  return { token: { kind: "operator", text: operator }, end: index + operator.length };
}

/** Reads the tokens between `{{` and `}}`, or `{%` and `%}`. Returns the index after them, and whether a `-` removes the space there. */
function inside(
  source: string,
  start: number,
  { tokens, fail }: { tokens: TemplateToken[]; fail: Fail },
): { end: number; isTrimming: boolean } {
  let isTrimming = false;
  const open = source.slice(start, start + 2);
  const close = open === "{{" ? "}}" : "%}";
  tokens.push({ kind: "operator", text: open });
  let index = start + 2;
  if (source.charAt(index) === "-") index++;
  for (;;) {
    index = skip(source, index, isSpace);
    if (index >= source.length) throw fail(`${close} is missing`);
    isTrimming = source.startsWith(`-${close}`, index);
    if (isTrimming) index++;
    if (source.startsWith(close, index)) break;
    const { token, end } = tokenAt(source, index, fail);
    tokens.push(token);
    index = end;
  }
  tokens.push({ kind: "operator", text: close });
  return { end: index + 2, isTrimming };
}

export function tokenize(source: string, fail: Fail): TemplateToken[] {
  const tokens: TemplateToken[] = [];
  let literal = "";
  const endLiteral = () => {
    if (literal !== "") tokens.push({ kind: "literal", text: literal });
    literal = "";
  };
  for (let index = 0; index < source.length; ) {
    const next = source.charAt(index) === "{" ? source.charAt(index + 1) : "";
    if (next === "#") throw fail("comments are not supported");
    if (next === "{" || next === "%") {
      // `{%-` trims white space before the tag, `-%}` after it.
      if (source.charAt(index + 2) === "-") literal = literal.trimEnd();
      endLiteral();
      const { end, isTrimming } = inside(source, index, { tokens, fail });
      index = isTrimming ? skip(source, end, isSpace) : end;
    } else literal += source.charAt(index++);
  }
  endLiteral();
  return tokens;
}
