import { invalid, tooLarge } from "../core/domain-error.ts";
import { deeper, JSON_DEPTH_MAX } from "./json-depth.ts";

/**
 * Max. characters of texts that are not checked, because any of them is parsed within 2 ms. The time of nested texts grows faster than their length:
 * 64 KiB take 6 ms.
 */
const CHECKED_CHARACTERS_MIN = 32 * 1024;
/** Max. lists and objects in a line of a file. Each can be a row, which is listed or counted if it is refused. */
export const LINE_OBJECTS_MAX = 20_000;
/** Max. characters of lines that cannot reach that number. */
const LINE_CHECKED_CHARACTERS_MIN = 2 * LINE_OBJECTS_MAX;
/** Max. distinct names in a body. Each costs a parser up to 0.5 µs; repeated names cost almost nothing. */
export const JSON_NAMES_MAX = 50_000;
/** Max. lists and objects in a body. Each costs a parser up to 0.1 µs and about 100 bytes; 100,000 readings with their values fit. */
export const JSON_OBJECTS_MAX = 250_000;
/** Max. nesting of lists and objects around values, plus those within a value. */
const BRACKETS_MAX = 2 * JSON_DEPTH_MAX;
/** Bits of hash values that count names. Colliding names count once. */
const HASH_BITS = 20;
/** Odd, and about 2^32 divided by the golden ratio, which spreads the values. */
const HASH_FACTOR = 0x9e3779b1;
/** Random, so that senders cannot choose names with equal hash values. */
const [HASH_SEED = 0] = crypto.getRandomValues(new Uint32Array(1));

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const BLANK = 0x20;

/** Counts distinct names by one bit per hash value. */
class NameCount {
  readonly #seen = new Uint8Array(2 ** (HASH_BITS - 3));
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Reads the string at a quote, counts it if it is a name, and returns the position of its last quote. */
  read(text: string, start: number): number {
    let hash = HASH_SEED;
    let end = start + 1;
    for (; end < text.length && text.charCodeAt(end) !== QUOTE; end++) {
      // The backslash counts as well: `n` and `\n` are two names.
      if (text.charCodeAt(end) === BACKSLASH) hash = Math.imul(hash ^ BACKSLASH, HASH_FACTOR);
      if (text.charCodeAt(end) === BACKSLASH) end++;
      hash = Math.imul(hash ^ text.charCodeAt(end), HASH_FACTOR);
    }
    let after = end + 1;
    while (text.charCodeAt(after) <= BLANK) after++;
    if (text.charCodeAt(after) === COLON) this.#add(hash);
    return end;
  }

  #add(hash: number): void {
    const bit = hash >>> (32 - HASH_BITS);
    const mask = 1 << (bit & 7);
    const bits = this.#seen[bit >>> 3] ?? 0;
    if ((bits & mask) !== 0) return;
    this.#seen[bit >>> 3] = bits | mask;
    if (++this.#count > this.#max) throw tooLarge("body.too_many_names", { max: this.#max });
  }
}

/**
 * Refuses a long JSON text that would hold up its parser, with very many names or objects, or deep nesting. Takes a few ns per character.
 * @throws DomainError `body.too_many_names`, `body.too_many_objects` or `body.too_deep`
 */
export function ensureShape(text: string, namesMax = JSON_NAMES_MAX): void {
  if (text.length >= CHECKED_CHARACTERS_MIN) checkShape(text, JSON_OBJECTS_MAX, namesMax);
}

/** Works like `ensureShape`, for one of many lines of a file. */
export function ensureLineShape(line: string): void {
  if (line.length >= LINE_CHECKED_CHARACTERS_MIN) checkShape(line, LINE_OBJECTS_MAX);
}

function checkShape(text: string, objectsMax: number, namesMax = JSON_NAMES_MAX): void {
  const names = new NameCount(namesMax);
  let depth = 0;
  let objects = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const change = deeper(code);
    depth += change;
    if (change > 0 && ++objects > objectsMax) throw tooLarge("body.too_many_objects", { max: objectsMax });
    if (depth > BRACKETS_MAX) throw invalid("body.too_deep");
    if (code === QUOTE) index = names.read(text, index);
  }
}
