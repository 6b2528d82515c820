/** Finds the regular expressions in source text: literals, and the places where one is made from text. */

export interface RegexLiteral {
  readonly source: string;
  readonly flags: string;
  readonly isSplit: boolean;
}

const transpilers = {
  ts: new Bun.Transpiler({ loader: "ts", deadCodeElimination: false }),
  tsx: new Bun.Transpiler({ loader: "tsx", deadCodeElimination: false }),
};

/** After these a slash begins an expression, although a word or a bracket stands there. */
const beforeExpression =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)$/;

function endOfString(code: string, from: number): number {
  const quote = code[from];
  let at = from + 1;
  while (at < code.length && code[at] !== quote) at += code[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfLiteral(code: string, from: number): number {
  let isInClass = false;
  let at = from + 1;
  for (; at < code.length && (isInClass || code[at] !== "/"); at++) {
    if (code[at] === "\\") at++;
    else if (code[at] === "[") isInClass = true;
    else if (code[at] === "]") isInClass = false;
    else if (code[at] === "\n") throw new Error(`no regular expression: ${code.slice(from, from + 60)}`);
  }
  return at;
}

/** The literals of JavaScript without comments and JSX. */
function literalsIn(code: string): RegexLiteral[] {
  const found: RegexLiteral[] = [];
  /** Depth of braces at which each open template goes on. */
  const templates: number[] = [];
  let depth = 0;
  const endOfTemplate = (from: number): number => {
    let at = from;
    for (; at < code.length && code[at] !== "`"; at++) {
      if (code[at] === "\\") at++;
      else if (code.startsWith("${", at)) {
        templates.push(depth++);
        return at + 2;
      }
    }
    return at + 1;
  };
  for (let at = 0; at < code.length; ) {
    const char = code[at];
    if (char === '"' || char === "'") at = endOfString(code, at);
    else if (char === "`") at = endOfTemplate(at + 1);
    else if (code.startsWith("//", at)) at = (code.indexOf("\n", at) + 1 || code.length + 1) - 1;
    else if (code.startsWith("/*", at)) at = code.indexOf("*/", at) + 2;
    else if (char === "}" && templates.at(-1) === depth - 1) {
      templates.pop();
      depth--;
      at = endOfTemplate(at + 1);
    } else if (char === "/" && isExpressionNext(code, at)) {
      const end = endOfLiteral(code, at);
      const flags = /^[a-z]*/.exec(code.slice(end + 1, end + 12))?.[0] ?? "";
      found.push({
        source: code.slice(at + 1, end),
        flags,
        isSplit: /\.(?:split|replaceAll|matchAll)\($/.test(code.slice(0, at)),
      });
      at = end + 1 + flags.length;
    } else {
      if (char === "{") depth++;
      if (char === "}") depth--;
      at++;
    }
  }
  return found;
}

function isExpressionNext(code: string, at: number): boolean {
  const before = code.slice(Math.max(0, at - 40), at).trimEnd();
  return !/[\w$)\]}"'`]$/.test(before) || beforeExpression.test(before);
}

export function regexLiteralsOf(path: string, text: string): RegexLiteral[] {
  const transpiler = path.endsWith(".tsx") ? transpilers.tsx : transpilers.ts;
  return literalsIn(transpiler.transformSync(text));
}
