import { type DomainError, invalid } from "../core/domain-error.ts";
import { exactInteger } from "./exact-integer.ts";
import { deeper, JSON_DEPTH_MAX } from "./json-depth.ts";
import { ensureShape } from "./json-shape.ts";

/*
 * The only reader of JSON sent by other programs. Numbers never change silently: an integer that a double cannot represent exactly becomes a string
 * of its digits. If an object contains a name repeatedly, the last value applies, and the name is reported.
 */

/** Reports a part of a message that is not stored, while the rest is. */
export type NoteLeftOut = (reason: DomainError) => void;

/** Max. characters of a body that is parsed leniently, which takes several times as long as JSON. */
const LENIENT_CHARACTERS_MAX = 65_536;
const NAMES_SHOWN_MAX = 5;
/**
 * Max. characters up to which all names of a body are compared. In longer bodies, the beginning is sufficient: a program that repeats a name does so
 * in every item.
 */
const ALL_NAMES_CHARACTERS_MAX = 16_384;
const BEGINNING_CHARACTERS = 2_048;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
/** Space. Control characters up to it are white space in JSON. */
const BLANK = 0x20;
/** Digits of the largest integer up to which doubles are exact. */
const SAFE_DIGITS = String(Number.MAX_SAFE_INTEGER);
/** Min. digits of an integer that a double may not hold. */
const LONG_DIGITS = SAFE_DIGITS.length;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isFraction = (code: number): boolean => code === DOT || (code | BLANK) === 0x65;

/** Returns whether digits may be an integer that a double cannot hold. */
const isLong = (digits: string): boolean =>
  digits.length > LONG_DIGITS || (digits.length === LONG_DIGITS && digits > SAFE_DIGITS);

/** Returns whether the text from `start` to `end` is an integer: not a fraction, an exponent, a name or a number with a leading 0. */
function isInteger(text: string, start: number, end: number): boolean {
  const [before, first] = [text.charCodeAt(start - 1), text.charCodeAt(start)];
  if (isFraction(before) || before === PLUS || text.charCodeAt(first === MINUS ? start + 1 : start) === ZERO)
    return false;
  let after = end;
  while (text.charCodeAt(after) <= BLANK) after++;
  return !isFraction(text.charCodeAt(end)) && text.charCodeAt(after) !== COLON;
}

/** Returns the index after the digits at `start`. */
function endOfDigits(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** Quotes long integers of a JSON text, so that their digits are kept. Takes linear time for any text. */
function quoteLongIntegers(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let index = 0, end = 0; index < text.length; index = end) {
    const code = text.charCodeAt(index);
    end = code === QUOTE ? endOfString(text, index) : Math.max(index + 1, endOfDigits(text, index));
    if (end < 0) break;
    if (!isDigit(code) || end - index < LONG_DIGITS || !isLong(text.slice(index, end))) continue;
    const start = text.charCodeAt(index - 1) === MINUS ? index - 1 : index;
    if (!isInteger(text, start, end)) continue;
    pieces.push(text.slice(copied, start), JSON.stringify(exactInteger(text.slice(start, end))));
    copied = end;
  }
  return copied === 0 ? text : pieces.join("") + text.slice(copied);
}

/** Returns whether a JSON number can follow a character: not a decimal point, after which most doubles have many digits, or a quote. */
const canPrecedeNumber = (code: number): boolean =>
  !(code > BLANK) || code === COLON || code === COMMA || code === MINUS || code === OPENING_BRACKET;

/** Returns whether a text may contain a long integer. A window of 16 characters is read from its end, and moved past its last non-digit character. */
export function hasLongInteger(text: string): boolean {
  for (let end = LONG_DIGITS - 1, before = end; end < text.length; end = before + LONG_DIGITS) {
    before = end;
    while (isDigit(text.charCodeAt(before))) before--;
    if (end - before < LONG_DIGITS) continue;
    if (canPrecedeNumber(text.charCodeAt(before))) return true;
    before = endOfDigits(text, end);
  }
  return false;
}

const parseExact = (text: string): unknown =>
  JSON.parse(hasLongInteger(text) ? quoteLongIntegers(text) : text);

/** A malformed number, a long integer, or another word of JSON5. */
const LENIENT_WORD =
  /(?<none>[-+]?(?:nan(?:\(\w*\))?|inf(?:inity)?|1\.#(?:qnan|snan|ind|inf)\d*)(?![\w$])(?!\s*:))|(?<digits>[-+]?\d{16,}(?![\w.]))|[\w$.+-]+/iy;

function toJson5Word(word: RegExpExecArray): string {
  const { none, digits } = word.groups ?? {};
  if (none !== undefined) return "null";
  return digits === undefined ? word[0] : JSON.stringify(exactInteger(digits.replace("+", "")));
}

/** Returns the index after the string or comment at `start`, `start` if there is none, or -1 if it is not terminated. */
function endOfQuoted(text: string, start: number): number {
  if (text[start] === '"' || text[start] === "'") return endOfString(text, start);
  if (text.startsWith("//", start)) {
    const end = text.indexOf("\n", start);
    return end < 0 ? text.length : end;
  }
  if (!text.startsWith("/*", start)) return start;
  const end = text.indexOf("*/", start + 2);
  return end < 0 ? -1 : end + 2;
}

/**
 * Replaces non-values (`nan`, `-inf`) by null, and keeps the digits of long integers, in linear time.
 * @throws SyntaxError if a string or comment is not terminated, or brackets are nested too deeply
 */
function toJson5(text: string): string {
  let json5 = "";
  let depth = 0;
  for (let index = 0; index < text.length; ) {
    const end = endOfQuoted(text, index);
    LENIENT_WORD.lastIndex = index;
    const word = end === index ? LENIENT_WORD.exec(text) : null;
    depth += deeper(text.charCodeAt(index));
    if (end < 0 || depth > JSON_DEPTH_MAX) throw new SyntaxError("not JSON5, or nested too deep");
    const next = word === null ? Math.max(end, index + 1) : LENIENT_WORD.lastIndex;
    json5 += word === null ? text.slice(index, next) : toJson5Word(word);
    index = next;
  }
  return json5;
}

/** Returns a text without the trailing NULs of C firmware. */
export const withoutNuls = (text: string): string => {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  return text.slice(0, end);
};

/**
 * Parses JSON5 (https://spec.json5.org) in the style of simple firmware: single quotes, trailing commas, unquoted names, `nan` and `inf` in any
 * spelling, which become null, and trailing NULs.
 */
export function parseLenient(text: string, note?: NoteLeftOut): unknown {
  const trimmed = withoutNuls(text);
  try {
    return parseJson(trimmed, note);
  } catch (error) {
    if (trimmed.length > LENIENT_CHARACTERS_MAX) throw error;
    return JSON.parse(JSON.stringify(Bun.JSON5.parse(toJson5(trimmed))));
  }
}

/** Returns the number of names in all objects of a value. Byte strings have none. */
export function countNames(value: unknown): number {
  let count = 0;
  const open: object[] = [];
  const enter = (part: unknown): void => {
    const isEmpty = typeof part !== "object" || part === null || ArrayBuffer.isView(part);
    if (!isEmpty) open.push(part); // otherwise, each byte would become a field
  };
  enter(value);
  for (let each = open.pop(); each !== undefined; each = open.pop())
    if (Array.isArray(each)) for (const part of each) enter(part);
    else
      for (const name in each) {
        count++;
        enter((each as Record<string, unknown>)[name]);
      }
  return count;
}

/** Counts the positions in a JSON text where a name may end: an upper bound of its number of names. */
function countNameEnds(text: string): number {
  let count = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let before = colon - 1;
    while (text.charCodeAt(before) <= BLANK) before--;
    if (text.charCodeAt(before) === QUOTE) count++;
  }
  return count;
}

/** Returns the index after the string at the quote at `start`; -1 if it is not terminated. */
export function endOfString(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === quote) return index + 1;
    if (code === BACKSLASH) index++;
  }
  return -1;
}

/** Yields strings, brackets and commas of a JSON text, up to an unterminated string. */
function* tokensOf(text: string): Generator<string> {
  for (let index = 0; index < text.length; ) {
    const character = text.charAt(index);
    const end = character === '"' ? endOfString(text, index) : index + 1;
    if (end < 0) return;
    if (character === '"' || "{}[],".includes(character)) yield text.slice(index, end);
    index = end;
  }
}

/** Yields the quoted names of a JSON text, each with its object. */
function* namesOf(text: string): Generator<{ readonly name: string; readonly object: object }> {
  /** Open objects; undefined for a list. */
  const open: (object | undefined)[] = [];
  let before = "";
  for (const token of tokensOf(text)) {
    const object = open.at(-1);
    if (token === "{" || token === "[") open.push(token === "{" ? {} : undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (object !== undefined && token !== "," && (before === "{" || before === ","))
      yield { name: token, object };
    before = token;
  }
}

/** Returns the duplicate names of an object in a JSON text, which may be truncated. */
function repeatedNames(text: string): string[] {
  const repeated = new Set<string>();
  const namesBefore = new Map<object, Set<string>>();
  for (const { name: quoted, object } of namesOf(text)) {
    const name: string = JSON.parse(quoted);
    const names = namesBefore.get(object) ?? new Set();
    if (names.has(name)) repeated.add(name);
    namesBefore.set(object, names.add(name));
  }
  return [...repeated];
}

/** Returns the first names of a list for an error, with the number of the others. */
export const namesShown = (names: readonly string[]): string =>
  names
    .slice(0, NAMES_SHOWN_MAX)
    .map((name) => JSON.stringify(name))
    .join(", ") + (names.length > NAMES_SHOWN_MAX ? ` (+${names.length - NAMES_SHOWN_MAX})` : "");

const checkedCharacters = ({ length }: string): number =>
  length > ALL_NAMES_CHARACTERS_MAX ? BEGINNING_CHARACTERS : length;

/** Returns the first item of a list as JSON; undefined if the item is long. */
function firstItemOf(text: string): string | undefined {
  let depth = 0;
  for (let index = 1; index > 0 && index < BEGINNING_CHARACTERS; ) {
    const character = text.charAt(index);
    if (depth === 0 && (character === "," || character === "]")) return text.slice(1, index);
    depth += deeper(text.charCodeAt(index));
    index = character === '"' ? endOfString(text, index) : index + 1;
  }
  return undefined;
}

/** Checks quickly that no name is repeated in the checked part of a JSON text. Returns false if that is uncertain. */
function hasNoRepeatedName(text: string, value: object): boolean {
  if (text.length <= ALL_NAMES_CHARACTERS_MAX) return countNameEnds(text) === countNames(value);
  const item = Array.isArray(value) && text.startsWith("[") ? firstItemOf(text) : undefined;
  return item !== undefined && countNameEnds(item) === countNames((value as unknown[])[0]); // a list
}

/** Reports duplicate names of an object, if there are any. */
export function noteRepeated(names: readonly string[], note: NoteLeftOut): void {
  if (names.length > 0) note(invalid("body.names_repeated", { names: namesShown(names) }));
}

/** @throws SyntaxError */
export function parseJson(text: string, note?: NoteLeftOut): unknown {
  const value = parseExact(text);
  if (note === undefined || typeof value !== "object" || value === null) return value;
  if (hasNoRepeatedName(text, value)) return value;
  noteRepeated(repeatedNames(text.slice(0, checkedCharacters(text))), note);
  return value;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

const isAscii = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x09 && byte < 0x7f;

/** Returns the UTF-16 encoding of the bytes, based on their mark or on two ASCII characters of two bytes each; undefined for other bytes. */
export function utf16EncodingOf(bytes: Uint8Array) {
  const first = bytes[0];
  const second = bytes[1];
  if (isAscii(first) && isAscii(second)) return undefined; // as nearly all texts begin
  const third = bytes[2];
  const fourth = bytes[3];
  const isLittle = isAscii(first) && second === 0 && isAscii(third) && fourth === 0;
  const isBig = first === 0 && isAscii(second) && third === 0 && isAscii(fourth);
  if ((first === 0xff && second === 0xfe) || isLittle) return "utf-16le";
  return (first === 0xfe && second === 0xff) || isBig ? "utf-16be" : undefined;
}

/** @throws DomainError `body.not_utf8` or `body.utf16` */
export function decodeText(bytes: Uint8Array): string {
  if (utf16EncodingOf(bytes) !== undefined) throw invalid("body.utf16");
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid("body.not_utf8");
  }
}

const isLenient = (text: string): boolean => {
  try {
    parseLenient(text);
    return true;
  } catch {
    return false;
  }
};

/** Returns the error for a text that is not JSON. A long text is parsed again only if its end reveals the mistake. */
function explain(text: string): DomainError {
  const mayBeLenient = text.length <= LENIENT_CHARACTERS_MAX || text.endsWith("\0");
  if (!mayBeLenient || !isLenient(text)) return invalid("body.malformed", { format: "JSON" });
  return text.endsWith("\0") ? invalid("body.nul_at_end") : invalid("body.lenient");
}

/** Returns the value of a JSON body. @throws DomainError that names the actual format */
export function readJson(bytes: Uint8Array, note?: NoteLeftOut): unknown {
  const text = decodeText(bytes);
  ensureShape(text);
  try {
    return parseJson(text, note);
  } catch {
    throw explain(text);
  }
}

/** Works like `readJson`, for the JSON-like text of simple firmware. */
export function readLenient(bytes: Uint8Array, note?: NoteLeftOut): unknown {
  const text = decodeText(bytes);
  ensureShape(text);
  try {
    return parseLenient(text, note);
  } catch {
    throw invalid("body.malformed", { format: "JSON" });
  }
}
