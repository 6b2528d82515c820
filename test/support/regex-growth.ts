import { parseRegex, type RegexNode } from "./regex-tree.ts";

/**
 * Counts the steps that a backtracking engine needs for one input, so that growth is measured without a clock. The inputs are made from the
 * expression itself: what leads to a repetition, what it repeats, and what makes it fail after all.
 */

const STEPS_MAX = 2_000_000;
class TooManySteps extends Error {}

type Then = (position: number) => boolean;

/** Width of what a node takes; undefined when it can vary. */
function widthOf(node: RegexNode): number | undefined {
  const sum = (parts: readonly RegexNode[]) =>
    parts.reduce<number | undefined>((total, part) => {
      const width = widthOf(part);
      return total === undefined || width === undefined ? undefined : total + width;
    }, 0);
  switch (node.kind) {
    case "char":
      return 1;
    case "edge":
    case "look":
      return 0;
    case "back":
      return undefined;
    case "group":
      return widthOf(node.body);
    case "sequence":
      return sum(node.parts);
    case "either": {
      const [first, ...others] = node.options.map(widthOf);
      return others.every((width) => width === first) ? first : undefined;
    }
    case "repeat": {
      const width = widthOf(node.body);
      return node.min === node.max && width !== undefined ? width * node.min : undefined;
    }
  }
}

class Matcher {
  steps = 0;
  readonly #groups = new Map<number, readonly [from: number, to: number]>();
  readonly #text: readonly string[];
  readonly #isMultiline: boolean;

  constructor(text: readonly string[], isMultiline: boolean) {
    this.#text = text;
    this.#isMultiline = isMultiline;
  }

  run(node: RegexNode, position: number, then: Then): boolean {
    if (++this.steps > STEPS_MAX) throw new TooManySteps();
    switch (node.kind) {
      case "char": {
        const char = this.#text[position];
        return char !== undefined && node.accepts(char) && then(position + 1);
      }
      case "edge":
        return this.#isEdge(node.source, position) && then(position);
      case "look":
        return this.#isLookaroundMet(node, position) !== node.isNegative && then(position);
      case "group":
        return this.run(node.body, position, (end) => {
          this.#groups.set(node.index, [position, end]);
          return then(end);
        });
      case "back": {
        const word = this.#text.slice(...(this.#groups.get(node.index) ?? [0, 0]));
        return (
          word.every((char, index) => this.#text[position + index] === char) && then(position + word.length)
        );
      }
      case "either":
        return node.options.some((option) => this.run(option, position, then));
      case "sequence":
        return this.#sequence(node.parts, 0, position, then);
      case "repeat":
        return node.body.kind === "char"
          ? this.#repeatChar(node, node.body, position, then)
          : this.#repeat(node, 0, position, then);
    }
  }

  #isLookaroundMet(node: RegexNode & { kind: "look" }, position: number): boolean {
    if (node.isAhead) return this.run(node.body, position, () => true);
    const width = widthOf(node.body);
    const ends = (from: number) => from >= 0 && this.run(node.body, from, (end) => end === position);
    if (width !== undefined) return ends(position - width);
    for (let from = position; from >= 0; from--) if (ends(from)) return true;
    return false;
  }

  #sequence(parts: readonly RegexNode[], index: number, position: number, then: Then): boolean {
    const part = parts[index];
    if (part === undefined) return then(position);
    return this.run(part, position, (end) => this.#sequence(parts, index + 1, end, then));
  }

  #repeat(node: RegexNode & { kind: "repeat" }, count: number, position: number, then: Then): boolean {
    if (++this.steps > STEPS_MAX) throw new TooManySteps();
    const more = () =>
      count < node.max &&
      this.run(node.body, position, (end) =>
        end === position && count >= node.min ? false : this.#repeat(node, count + 1, end, then),
      );
    if (count < node.min) return more();
    return node.isLazy ? then(position) || more() : more() || then(position);
  }

  #repeatChar(
    { min, max, isLazy }: RegexNode & { kind: "repeat" },
    char: RegexNode & { kind: "char" },
    position: number,
    then: Then,
  ): boolean {
    const fits = (index: number) => {
      if (++this.steps > STEPS_MAX) throw new TooManySteps();
      const next = this.#text[index];
      return next !== undefined && char.accepts(next);
    };
    let count = 0;
    while (count < (isLazy ? min : max) && fits(position + count)) count++;
    if (count < min) return false;
    if (isLazy) {
      for (; ; count++) {
        if (then(position + count)) return true;
        if (count >= max || !fits(position + count)) return false;
      }
    }
    for (; count >= min; count--) {
      this.steps++;
      if (then(position + count)) return true;
    }
    return false;
  }

  #isEdge(source: string, position: number): boolean {
    const word = (index: number) => /\w/.test(this.#text[index] ?? "");
    if (source === "\\b") return word(position - 1) !== word(position);
    if (source === "\\B") return word(position - 1) === word(position);
    const beside = source === "^" ? position - 1 : position;
    return this.#text[beside] === undefined || (this.#isMultiline && this.#text[beside] === "\n");
  }
}

/** Steps of a search as `exec` makes it, and of all of them where the expression looks for every place. Infinite beyond a limit. */
function stepsOf(tree: RegexNode, flags: string, input: string): number {
  const text = [...input];
  const matcher = new Matcher(text, flags.includes("m"));
  try {
    for (let from = 0; from <= text.length; ) {
      let end = -1;
      const isFound = matcher.run(tree, from, (position) => {
        end = position;
        return true;
      });
      if (flags.includes("y") || (isFound && !flags.includes("g"))) break;
      from = isFound && end > from ? end : from + 1;
    }
    return matcher.steps;
  } catch (error) {
    if (error instanceof TooManySteps || error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

const childrenOf = (node: RegexNode): readonly RegexNode[] =>
  node.kind === "sequence"
    ? node.parts
    : node.kind === "either"
      ? node.options
      : node.kind === "repeat" || node.kind === "group" || node.kind === "look"
        ? [node.body]
        : [];
const all = (node: RegexNode): RegexNode[] => [node, ...childrenOf(node).flatMap(all)];

const POOL = [
  ..."aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ0123456789",
  ..." !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\t\n\r\f\0\u00a0\u00e9\u2028\uff1d\u{1f600}",
];

/** One character for each set of characters that the expression cannot tell apart. */
function alphabetOf(tree: RegexNode): string[] {
  const chars = all(tree).filter((node) => node.kind === "char");
  const found = new Map<string, string>();
  for (const char of POOL) {
    const kinds = chars.map((node) => (node.accepts(char) ? "1" : "0")).join("");
    if (!found.has(kinds)) found.set(kinds, char);
  }
  return [...found.values()];
}

/** Short texts that a node accepts, the shortest first; what stands beside it is not asked. */
function samplesOf(node: RegexNode, alphabet: readonly string[]): string[] {
  const few = (texts: string[]) => [...new Set(texts)].slice(0, 6);
  switch (node.kind) {
    case "char":
      return few([...alphabet, ...POOL].filter(node.accepts));
    case "edge":
    case "back":
    case "look":
      return [""];
    case "group":
      return samplesOf(node.body, alphabet);
    case "either":
      return few(node.options.flatMap((option) => samplesOf(option, alphabet).slice(0, 2)));
    case "sequence":
      return few(
        node.parts.reduce<string[]>(
          (heads, part) =>
            few(
              heads.flatMap((head) =>
                samplesOf(part, alphabet)
                  .slice(0, 2)
                  .map((tail) => head + tail),
              ),
            ),
          [""],
        ),
      );
    case "repeat": {
      const once = samplesOf(node.body, alphabet);
      const least = once.map((text) => text.repeat(node.min));
      return few([...least, ...(node.min === 0 ? once : [])]);
    }
  }
}

/** What may stand before each repetition: the expression's own shortest texts up to there. */
function headsOf(node: RegexNode, alphabet: readonly string[], before = ""): string[] {
  if (node.kind === "sequence") {
    let head = before;
    return node.parts.flatMap((part) => {
      const heads = headsOf(part, alphabet, head);
      head += samplesOf(part, alphabet)[0] ?? "";
      return heads;
    });
  }
  return [
    ...(node.kind === "repeat" ? [before] : []),
    ...childrenOf(node).flatMap((child) => headsOf(child, alphabet, before)),
  ];
}

function pumpsOf(tree: RegexNode, alphabet: readonly string[], heads: readonly string[]): string[] {
  const near = alphabet.slice(0, 14);
  const pairs = near.flatMap((first) => near.map((second) => first + second));
  const parts = all(tree).flatMap((node) => (node.kind === "edge" ? [] : samplesOf(node, alphabet)));
  const openings = heads.flatMap((head) => near.slice(0, 6).map((char) => head + char));
  return [...new Set([...near, ...pairs, ...parts, ...heads, ...openings])].filter((text) => text !== "");
}

const SMALL = 12;
const SIZES = [60, 120, 240, 480] as const;
/** Twice the input takes twice the steps when growth is linear and four times when it is quadratic. */
const RATIO_MAX = 2.7;

/** Where a repetition has an upper bound, the steps jump once; growth goes on. */
const isSteep = (steps: number, ofTwice: number): boolean =>
  ofTwice === Number.POSITIVE_INFINITY || ofTwice / steps > RATIO_MAX;

export interface Growth {
  readonly input: { readonly head: string; readonly pump: string; readonly tail: string };
  /** Steps for each of the sizes; infinite beyond a limit. */
  readonly steps: readonly number[];
}

/**
 * The worst input found whose steps grow faster than its length; undefined when there is none. A search for every place tries each alternative
 * at each place, so that each is looked at alone, too.
 */
export function findSuperLinearGrowth(source: string, flags: string): Growth | undefined {
  const tree = parseRegex(source, flags);
  const alternatives = tree.kind === "either" && flags.includes("g") ? tree.options : [];
  for (const part of [tree, ...alternatives]) {
    const growth = growthOf(part, flags);
    if (growth !== undefined) return growth;
  }
  return undefined;
}

function growthOf(tree: RegexNode, flags: string): Growth | undefined {
  const repeats = all(tree).filter((node) => node.kind === "repeat");
  if (repeats.length === 0) return undefined;
  const alphabet = alphabetOf(tree);
  const heads = [...new Set(["", ...headsOf(tree, alphabet)])].slice(0, 8);
  const whole = samplesOf(tree, alphabet)[0] ?? "";
  const tails = ["", "\n!", "\u0001", whole.slice(-1)];
  const candidates = heads.flatMap((head) =>
    pumpsOf(tree, alphabet, heads).flatMap((pump) =>
      [...new Set(tails)].map((tail) => {
        const steps = stepsOf(tree, flags, head + pump.repeat(SMALL) + tail);
        return { input: { head, pump, tail }, cost: steps / (head.length + pump.length * SMALL) };
      }),
    ),
  );
  const worst = candidates.sort((candidate, other) => other.cost - candidate.cost).slice(0, 12);
  for (const { input } of worst) {
    const steps = SIZES.map((size) =>
      stepsOf(tree, flags, input.head + input.pump.repeat(size) + input.tail),
    );
    if (steps.slice(1).every((count, index) => isSteep(steps[index] ?? 0, count))) return { input, steps };
  }
  return undefined;
}
