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
  let position = 0;
  let groups = 0;
  const names = new Map<string, number>();
  const charFlags = flags.replace(/[gymd]/g, "");

  /** A test of one character by the engine itself, so that classes and escapes mean what they mean there. */
  function charNode(text: string): RegexNode {
    const expression = new RegExp(`^(?:${text})$`, charFlags);
    const existing = new Map<string, boolean>();
    const accepts = (char: string) => {
      const cached = existing.get(char);
      if (cached !== undefined) return cached;
      const verdict = expression.test(char);
      existing.set(char, verdict);
      return verdict;
    };
    return { kind: "char", source: text, accepts };
  }

  function either(): RegexNode {
    const options = [sequence()];
    while (source[position] === "|") {
      position++;
      options.push(sequence());
    }
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: "either", options };
  }

  function sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (position < source.length && source[position] !== "|" && source[position] !== ")")
      parts.push(quantified());
    return { kind: "sequence", parts };
  }

  function quantified(): RegexNode {
    const body = atom();
    const [text, star, low, comma, high] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/.exec(source.slice(position, position + 24)) ?? [];
    if (text === undefined) return body;
    position += text.length;
    const isLazy = source[position] === "?";
    if (isLazy) position++;
    const min = star === undefined ? Number(low) : star === "+" ? 1 : 0;
    const most = comma === "" ? min : high === "" ? Number.POSITIVE_INFINITY : Number(high);
    const max = star === undefined ? most : star === "?" ? 1 : Number.POSITIVE_INFINITY;
    return { kind: "repeat", min, max, isLazy, body };
  }

  function atom(): RegexNode {
    const char = source[position];
    if (char === "(") return bracketed();
    if (char === "[") return charNode(characterClass());
    if (char === "\\") return escaped();
    if (char === "^" || char === "$") {
      position++;
      return { kind: "edge", source: char };
    }
    const point = String.fromCodePoint(source.codePointAt(position) ?? 0);
    const text = /[uv]/.test(flags) ? point : (char ?? "");
    position += text.length;
    return charNode(text);
  }

  function bracketed(): RegexNode {
    const [opening = "(", kind, name] =
      /^\((?:\?(?:(:|=|!|<=|<!)|<(\w+)>))?/.exec(source.slice(position, position + 60)) ?? [];
    position += opening.length;
    if (opening === "(" && source[position] === "?") throw new Error(`group not known in /${source}/`);
    const index = kind === undefined ? ++groups : 0;
    if (name !== undefined) names.set(name, index);
    const body = either();
    if (source[position] !== ")") throw new Error(`bracket not closed in /${source}/`);
    position++;
    if (kind === undefined) return { kind: "group", index, body };
    if (kind === ":") return body;
    return { kind: "look", isAhead: !kind.startsWith("<"), isNegative: kind.endsWith("!"), body };
  }

  function characterClass(): string {
    const from = position;
    for (position++; source[position] !== "]"; position++) if (source[position] === "\\") position++;
    position++;
    return source.slice(from, position);
  }

  function escaped(): RegexNode {
    const rest = source.slice(position, position + 40);
    const reference = /^\\(?:([1-9])|k<(\w+)>)/.exec(rest);
    if (reference !== null) {
      position += reference[0].length;
      return { kind: "back", index: Number(reference[1] ?? names.get(reference[2] ?? "")) };
    }
    const [text = ""] =
      /^\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|p\{[^}]+\}|c[a-z]|.)/is.exec(rest) ?? [];
    position += text.length;
    return text === "\\b" || text === "\\B" ? { kind: "edge", source: text } : charNode(text);
  }

  const tree = either();
  if (position < source.length) throw new Error(`/${source}/ is not read after ${position} characters`);
  return tree;
}
