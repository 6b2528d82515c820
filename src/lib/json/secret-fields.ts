import { utf16EncodingOf } from "./sent-json.ts";

/*
 * Finds secrets in messages by field name, without decoding, because messages may be malformed or truncated and are stored as bytes. The time is
 * proportional to the length of the message.
 */

/** Names of secrets, or endings of such names. A space matches a hyphen, an underscore or nothing. */
const SECRET_NAMES = [
  "token",
  "password",
  "passphrase",
  "passwd",
  "pwd",
  "secret",
  "secret key",
  "api key",
  "access key",
  "private key",
  "shared key",
  "app key",
  "nwk key",
  "app s key",
  "nwk s key",
  "claiming key",
  "provision device key",
  "credential",
  "authorization",
];
/** Possible endings of other names. */
const SECRET_WORDS = ["pass", "psk"];

const ASTERISK = 0x2a;
const SHOWN_LENGTH = 4;
/** Min. length of a secret with visible first characters. They would reveal too much of a shorter secret. */
const SHOWN_LENGTH_MIN = 12;

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Returns a pattern for a name in JSON or JSON5: each letter literally or as an escape such as \u0054, \x54 or \T. */
const writtenName = (name: string): string =>
  [...name]
    .map((letter) => {
      if (letter === " ") return "[-_]?";
      const code = letter.charCodeAt(0).toString(16);
      const hex = [...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join("");
      return `(?:\\\\?${letter}|\\\\(?:u00|x)${hex})`;
    })
    .join("");

/** Separates name and value: in JSON, also within a string, in JSON5, YAML, forms, line protocol, headers, XML and URLs. */
const ASSIGNMENT =
  /s?\\*["'`]?\]?(?:%2[27])?[ \t\r\n\v\f\0]*(?:=>|[:=>]|%3[ad])[ \t\r\n\v\f\0]*(?:%2[27])?/iy;
/** Opens a delimited value. Python writes `b'…'` and `u'…'`. */
const OPENING = /(?:[bru]{1,2}(?=\\*["'`]))?(?:(?<escapes>\\*)(?<quote>["'`])|[[{])/iy;
const AUTHENTICATION_SCHEME = /(?:basic|bearer|digest|token) +/iy;
const NO_SECRET = /(?:null|none|undefined|true|false)(?!\w)/iy;
const NUMBER = /^[\d.+-]+$/;
const WORD = /[^ \t\r\n\v\f\0,;&"'`<>(){}[\]|]+/y;

/** Returns the end of the match of a pattern at a position; the position itself if there is no match. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

/** Returns the position of the quote that ends a string. */
function closingQuote(text: string, from: number, quote: string): number {
  let to = from;
  while (to < text.length && text[to] !== quote) to += text[to] === "\\" ? 2 : 1;
  return Math.min(to, text.length);
}

/** Returns the position of the matching closing bracket. */
function closingBracket(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') index = closingQuote(text, index + 1, character);
    else if ("[{".includes(character)) depth++;
    else if ("]}".includes(character) && --depth === 0) return index;
  }
  return text.length;
}

/** Returns the range of the value after a name that ends at `end`; an empty range if the value is not a secret. */
function assignedRange(text: string, end: number): ByteRange | undefined {
  const start = endOf(ASSIGNMENT, text, end);
  if (start === end) return undefined;
  if (endOf(NO_SECRET, text, start) > start) return { from: start, to: start };
  OPENING.lastIndex = start;
  const opening = OPENING.exec(text);
  if (opening === null) {
    const from = endOf(AUTHENTICATION_SCHEME, text, start);
    return { from, to: endOf(WORD, text, from) };
  }
  const from = OPENING.lastIndex;
  const { escapes = "", quote } = opening.groups ?? {};
  if (quote === undefined) return { from, to: closingBracket(text, from - 1) };
  if (escapes === "") return { from, to: closingQuote(text, from, quote) };
  const closing = text.indexOf(quote, from); // of a string within a string
  return { from, to: closing < 0 ? text.length : Math.max(from, closing - escapes.length) };
}

/** Major types of CBOR, RFC 8949, section 3.1. */
const MAJOR = { negative: 1, bytes: 2, text: 3, list: 4, tag: 6 } as const;
const isWrapper = (major: number): boolean => major === MAJOR.list || major === MAJOR.tag;
const INDEFINITE = 31;
const BREAK = 0xff;
/** Max. tags and lists around a value. */
const WRAPPERS_MAX = 8;
/** Max. characters before the name of a secret in the name of a field. */
const PREFIX_MAX = 32;

/** Returns whether the name in a range is, or ends, a text string of CBOR. */
function isCborName(bytes: Uint8Array, { from, to }: ByteRange): boolean {
  for (let head = from - 1; head >= Math.max(0, from - 1 - PREFIX_MAX); head--) {
    const length = to - head - 1;
    if (length < 24 && bytes[head] === (MAJOR.text << 5) + length) return true;
    if (bytes[head] === (MAJOR.text << 5) + 24 && bytes[head + 1] === length - 1) return true;
  }
  return false;
}

/** Reads the head of a CBOR item: its type, the position after it, and its number, which is infinite for an indefinite item. */
function cborHeadAt(bytes: Uint8Array, position: number) {
  const head = bytes[position] ?? BREAK;
  const info = head & INDEFINITE;
  const argumentBytes = info < 24 || info === INDEFINITE ? 0 : 2 ** (info - 24);
  const end = position + 1 + argumentBytes;
  const argument = bytes.subarray(position + 1, end).reduce((number, byte) => number * 256 + byte, 0);
  const size = info < 24 ? info : info === INDEFINITE ? Number.POSITIVE_INFINITY : argument;
  return { major: head >> 5, end, size };
}

/** Returns the range of a string or long number of CBOR. */
function cborRange(bytes: Uint8Array, start: number): ByteRange | undefined {
  let position = start;
  let head = cborHeadAt(bytes, position);
  for (let wrappers = 0; wrappers < WRAPPERS_MAX && isWrapper(head.major); wrappers++) {
    position = head.end;
    head = cborHeadAt(bytes, position);
  }
  const { major, end, size } = head;
  if (major <= MAJOR.negative) return { from: position + 1, to: Math.min(end, bytes.length) };
  if (major !== MAJOR.bytes && major !== MAJOR.text) return undefined;
  // Without a length: to the end of the message, since the bytes of a chunk may look like its end.
  return { from: end, to: Number.isFinite(size) ? Math.min(end + size, bytes.length) : bytes.length };
}

interface FinderOptions {
  /** Names that only match at the start of a word. */
  readonly words?: readonly string[];
  /** True if numbers are secrets, too. Masked numbers are not valid JSON. */
  readonly hasNumbers?: boolean;
}

/**
 * Returns a function that finds the values of fields with these names, in any text and in CBOR, also in UTF-16 and in truncated messages. The ranges
 * do not overlap, because a message could repeat a range thousands of times.
 */
export function createFieldFinder(
  names: readonly string[],
  { words = [], hasNumbers = false }: FinderOptions = {},
): (bytes: Uint8Array) => ByteRange[] {
  const createExpression = () => {
    const written = names.toSorted((left, right) => right.length - left.length).map(writtenName);
    const whole = words.map((word) => `(?<![a-z])${writtenName(word)}`);
    return new RegExp([...written, ...whole].join("|"), "gi");
  };
  /** Created when first used: generating all spellings takes a ms. */
  let expression: RegExp | undefined;
  const find = (bytes: Uint8Array): ByteRange[] => {
    expression ??= createExpression();
    const name = expression;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"); // a character per byte
    const ranges: ByteRange[] = [];
    name.lastIndex = 0;
    for (let match = name.exec(text); match !== null; match = name.exec(text)) {
      const place = { from: match.index, to: name.lastIndex };
      const range =
        assignedRange(text, place.to) ?? (isCborName(bytes, place) ? cborRange(bytes, place.to) : undefined);
      if (range === undefined || range.to <= range.from) continue;
      if (!hasNumbers && NUMBER.test(text.slice(range.from, range.to))) continue;
      ranges.push(range);
      name.lastIndex = range.to;
    }
    return ranges;
  };
  return (bytes) => {
    const utf16 = utf16EncodingOf(bytes);
    if (utf16 === undefined) return find(bytes);
    const letters = bytes.filter((_, index) => index % 2 === (utf16 === "utf-16le" ? 0 : 1));
    return find(letters).map(({ from, to }) => ({ from: 2 * from, to: 2 * to }));
  };
}

/** Overwrites a secret with asterisks, which JSON and CBOR allow. The first characters of a long secret remain. */
export function maskRange(bytes: Uint8Array, { from, to }: ByteRange): void {
  bytes.fill(ASTERISK, from + (to - from < SHOWN_LENGTH_MIN ? 0 : SHOWN_LENGTH), to);
}

const fieldRanges = createFieldFinder(SECRET_NAMES, { words: SECRET_WORDS, hasNumbers: true });

/** Secrets at known positions: the access token in a path of the device API, and the password in an address. */
const POSITION_SECRETS = [
  /\bapi\/v1\/(?<secret>[^/\s"'?#]+)\//dgi,
  /:\/\/[^\s/:@]{0,64}:(?<secret>[^\s/@]+)@/dg,
];
/** Other path parts at the position of a token. */
const NO_TOKENS = new Set(["connectivity", "integrations", "telemetry"]);

const positionRanges = (text: string): ByteRange[] =>
  POSITION_SECRETS.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ indices, groups }) => {
      const [from, to] = indices?.groups?.secret ?? [0, 0];
      return NO_TOKENS.has(groups?.secret?.toLowerCase() ?? "") ? [] : [{ from, to }];
    }),
  );

/** Hexadecimal digits or base64 of some length. */
const ENCODED = /[\w+/-]{16,}={0,2}/g;

const decode = (word: string): Buffer => Buffer.from(word, /^[\da-f]+$/i.test(word) ? "hex" : "base64");

/** Returns the bytes with masked secrets, copied if there are any. For short texts, because fields within encoded words are found, too. */
export function withoutSecrets(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString("latin1");
  const words = [...text.matchAll(ENCODED)]
    .filter(([word]) => fieldRanges(decode(word)).length > 0)
    .map(({ index, 0: word }) => ({ from: index, to: index + word.length }));
  const ranges = [...fieldRanges(bytes), ...positionRanges(text), ...words];
  if (ranges.length === 0) return bytes;
  const masked = new Uint8Array(bytes); // `slice` of a Buffer copies nothing
  for (const range of ranges) maskRange(masked, range);
  return masked;
}
