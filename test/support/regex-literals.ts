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
  let index = from + 1;
  while (index < code.length && code[index] !== quote) index += code[index] === "\\" ? 2 : 1;
  return index + 1;
}

function endOfLiteral(code: string, from: number): number {
  let isInClass = false;
  let index = from + 1;
  for (; index < code.length && (isInClass || code[index] !== "/"); index++) {
    if (code[index] === "\\") index++;
    else if (code[index] === "[") isInClass = true;
    else if (code[index] === "]") isInClass = false;
    else if (code[index] === "\n") throw new Error(`no regular expression: ${code.slice(from, from + 60)}`);
  }
  return index;
}

/** The literals of JavaScript without comments and JSX. */
function literalsIn(code: string): RegexLiteral[] {
  const found: RegexLiteral[] = [];
  /** Depth of braces at which each open template goes on. */
  const templates: number[] = [];
  let depth = 0;
  const endOfTemplate = (from: number): number => {
    let index = from;
    for (; index < code.length && code[index] !== "`"; index++) {
      if (code[index] === "\\") index++;
      else if (code.startsWith("${", index)) {
        templates.push(depth++);
        return index + 2;
      }
    }
    return index + 1;
  };
  for (let position = 0; position < code.length; ) {
    const char = code[position];
    if (char === '"' || char === "'") position = endOfString(code, position);
    else if (char === "`") position = endOfTemplate(position + 1);
    else if (code.startsWith("//", position))
      position = (code.indexOf("\n", position) + 1 || code.length + 1) - 1;
    else if (code.startsWith("/*", position)) position = code.indexOf("*/", position) + 2;
    else if (char === "}" && templates.at(-1) === depth - 1) {
      templates.pop();
      depth--;
      position = endOfTemplate(position + 1);
    } else if (char === "/" && isExpressionNext(code, position)) {
      const end = endOfLiteral(code, position);
      const flags = /^[a-z]*/.exec(code.slice(end + 1, end + 12))?.[0] ?? "";
      found.push({
        source: code.slice(position + 1, end),
        flags,
        isSplit: /\.(?:split|replaceAll|matchAll)\($/.test(code.slice(0, position)),
      });
      position = end + 1 + flags.length;
    } else {
      if (char === "{") depth++;
      if (char === "}") depth--;
      position++;
    }
  }
  return found;
}

function isExpressionNext(code: string, position: number): boolean {
  const before = code.slice(Math.max(0, position - 40), position).trimEnd();
  return !/[\w$)\]}"'`]$/.test(before) || beforeExpression.test(before);
}

export function regexLiteralsOf(path: string, text: string): RegexLiteral[] {
  const transpiler = path.endsWith(".tsx") ? transpilers.tsx : transpilers.ts;
  return literalsIn(transpiler.transformSync(text.replaceAll(' with { type: "macro" }', "")));
}
