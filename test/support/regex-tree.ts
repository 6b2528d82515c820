/** Parses the syntax of JavaScript's regular expressions as far as the program uses it; what it does not know is an error. */

export type RegexNode =
  | { readonly kind: "char"; readonly source: string; readonly accepts: (char: string) => boolean }
  | { readonly kind: "edge"; readonly source: string }
  | {
      readonly kind: "look";
      readonly isAhead: boolean;
      readonly isNegative: boolean;
      readonly body: RegexNode;
    }
  | { readonly kind: "group"; readonly index: number; readonly body: RegexNode }
  | { readonly kind: "back"; readonly index: number }
  | { readonly kind: "either"; readonly options: readonly RegexNode[] }
  | { readonly kind: "sequence"; readonly parts: readonly RegexNode[] }
  | {
      readonly kind: "repeat";
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
      readonly body: RegexNode;
    };

export function parseRegex(source: string, flags: string): RegexNode {
  let at = 0;
  let groups = 0;
  const names = new Map<string, number>();
  const charFlags = flags.replace(/[gymd]/g, "");

  /** A test of one character by the engine itself, so that classes and escapes mean what they mean there. */
  function charNode(text: string): RegexNode {
    const expression = new RegExp(`^(?:${text})$`, charFlags);
    const known = new Map<string, boolean>();
    const accepts = (char: string) => {
      const cached = known.get(char);
      if (cached !== undefined) return cached;
      const verdict = expression.test(char);
      known.set(char, verdict);
      return verdict;
    };
    return { kind: "char", source: text, accepts };
  }

  function either(): RegexNode {
    const options = [sequence()];
    while (source[at] === "|") {
      at++;
      options.push(sequence());
    }
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: "either", options };
  }

  function sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(quantified());
    return { kind: "sequence", parts };
  }

  function quantified(): RegexNode {
    const body = atom();
    const [text, star, low, comma, high] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/.exec(source.slice(at, at + 24)) ?? [];
    if (text === undefined) return body;
    at += text.length;
    const isLazy = source[at] === "?";
    if (isLazy) at++;
    const min = star === undefined ? Number(low) : star === "+" ? 1 : 0;
    const most = comma === "" ? min : high === "" ? Number.POSITIVE_INFINITY : Number(high);
    const max = star === undefined ? most : star === "?" ? 1 : Number.POSITIVE_INFINITY;
    return { kind: "repeat", min, max, isLazy, body };
  }

  function atom(): RegexNode {
    const char = source[at];
    if (char === "(") return bracketed();
    if (char === "[") return charNode(characterClass());
    if (char === "\\") return escaped();
    if (char === "^" || char === "$") {
      at++;
      return { kind: "edge", source: char };
    }
    const point = String.fromCodePoint(source.codePointAt(at) ?? 0);
    const text = /[uv]/.test(flags) ? point : (char ?? "");
    at += text.length;
    return charNode(text);
  }

  function bracketed(): RegexNode {
    const [opening = "(", kind, name] =
      /^\((?:\?(?:(:|=|!|<=|<!)|<(\w+)>))?/.exec(source.slice(at, at + 60)) ?? [];
    at += opening.length;
    if (opening === "(" && source[at] === "?") throw new Error(`group not known in /${source}/`);
    const index = kind === undefined ? ++groups : 0;
    if (name !== undefined) names.set(name, index);
    const body = either();
    if (source[at] !== ")") throw new Error(`bracket not closed in /${source}/`);
    at++;
    if (kind === undefined) return { kind: "group", index, body };
    if (kind === ":") return body;
    return { kind: "look", isAhead: !kind.startsWith("<"), isNegative: kind.endsWith("!"), body };
  }

  function characterClass(): string {
    const from = at;
    for (at++; source[at] !== "]"; at++) if (source[at] === "\\") at++;
    at++;
    return source.slice(from, at);
  }

  function escaped(): RegexNode {
    const rest = source.slice(at, at + 40);
    const reference = /^\\(?:([1-9])|k<(\w+)>)/.exec(rest);
    if (reference !== null) {
      at += reference[0].length;
      return { kind: "back", index: Number(reference[1] ?? names.get(reference[2] ?? "")) };
    }
    const [text = ""] =
      /^\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|p\{[^}]+\}|c[a-z]|.)/is.exec(rest) ?? [];
    at += text.length;
    return text === "\\b" || text === "\\B" ? { kind: "edge", source: text } : charNode(text);
  }

  const tree = either();
  if (at < source.length) throw new Error(`/${source}/ is not read after ${at} characters`);
  return tree;
}
