import { utf16EncodingOf } from "./sent-json.ts";

/*
 * Finds secrets in messages by the names of their fields, without decoding: a message may be malformed or cut off, and its bytes are kept.
 */

/** Names of fields with secrets in the messages of devices, gateways and webhooks. */
const SECRET_FIELDS = [
  "deviceToken",
  "accessToken",
  "token",
  "password",
  "secret",
  "secretKey",
  "provisionDeviceSecret",
];

const ASTERISK = 0x2a;
const QUOTES = new Set([0x22, 0x27]);
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SHOWN_LENGTH = 4;
/** Min. length of a secret whose first characters stay visible: they would reveal too much of a shorter secret. */
const SHOWN_LENGTH_MIN = 12;

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Returns a pattern for a name as JSON or JSON5 may write it: each letter as itself or as an escape such as \u0054, \x54 or \T. */
const writtenName = (name: string): string =>
  [...name]
    .map((letter) => {
      const code = letter.charCodeAt(0).toString(16);
      const hex = [...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join("");
      return `(?:\\\\?${letter}|\\\\(?:u00|x)${hex})`;
    })
    .join("");

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Returns the place of the value of a JSON field whose name ends at `end`. */
function jsonValueAt(bytes: Uint8Array, end: number): number | undefined {
  let position = QUOTES.has(bytes[end] ?? 0) ? end + 1 : end; // lenient JSON allows unquoted names
  while (isSpace(bytes[position])) position++;
  if (bytes[position] !== COLON) return undefined;
  position++;
  while (isSpace(bytes[position])) position++;
  return position;
}

/** Returns the range of a JSON string. */
function stringRange(bytes: Uint8Array, position: number): ByteRange | undefined {
  const quote = bytes[position] ?? 0;
  if (!QUOTES.has(quote)) return undefined;
  const from = position + 1;
  let to = from;
  while (to < bytes.length && bytes[to] !== quote) to += bytes[to] === BACKSLASH ? 2 : 1;
  return { from, to: Math.min(to, bytes.length) };
}

/** Returns the range of a number's digits. */
function digitsRange(bytes: Uint8Array, from: number): ByteRange | undefined {
  let to = from;
  while (isDigit(bytes[to])) to++;
  return to === from ? undefined : { from, to };
}

/** Returns the range of a CBOR text string (RFC 8949, section 3.1: major type 3). */
function cborRange(bytes: Uint8Array, position: number): ByteRange | undefined {
  const head = bytes[position] ?? 0;
  const [from, length] =
    head >= 0x60 && head <= 0x77
      ? [position + 1, head - 0x60]
      : head === 0x78
        ? [position + 2, bytes[position + 1] ?? 0]
        : head === 0x79
          ? [position + 3, (bytes[position + 1] ?? 0) * 256 + (bytes[position + 2] ?? 0)]
          : [0, 0];
  return length === 0 ? undefined : { from, to: Math.min(from + length, bytes.length) };
}

/** Returns a function that finds the values of fields with these names in JSON and CBOR, also in UTF-16 and in the beginning of a message: strings, or also numbers of JSON. */
export function createFieldFinder(
  names: readonly string[],
  { hasNumbers = false } = {},
): (bytes: Uint8Array) => ByteRange[] {
  const longestFirst = names.toSorted((left, right) => right.length - left.length);
  const written = new RegExp(longestFirst.map(writtenName).join("|"), "gi");
  const rangeAfter = (bytes: Uint8Array, end: number) => {
    const position = jsonValueAt(bytes, end);
    if (position === undefined) return cborRange(bytes, end);
    return stringRange(bytes, position) ?? (hasNumbers ? digitsRange(bytes, position) : undefined);
  };
  const find = (bytes: Uint8Array): ByteRange[] => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Latin-1 has one character per byte.
    return [...buffer.toString("latin1").matchAll(written)].flatMap(
      ({ index, 0: name }) => rangeAfter(bytes, index + name.length) ?? [],
    );
  };
  return (bytes) => {
    const utf16 = utf16EncodingOf(bytes);
    if (utf16 === undefined) return find(bytes);
    const letters = bytes.filter((_, index) => index % 2 === (utf16 === "utf-16le" ? 0 : 1));
    return find(letters).map(({ from, to }) => ({ from: 2 * from, to: 2 * to }));
  };
}

/** Overwrites a secret with asterisks, which JSON and CBOR allow. The first characters of a long secret stay. */
export function maskRange(bytes: Uint8Array, { from, to }: ByteRange): void {
  bytes.fill(ASTERISK, from + (to - from < SHOWN_LENGTH_MIN ? 0 : SHOWN_LENGTH), to);
}

const secretRanges = createFieldFinder(SECRET_FIELDS, { hasNumbers: true });

/** Returns the bytes with their secrets masked, in a copy if there are any. */
export function withoutSecrets(bytes: Uint8Array): Uint8Array {
  const ranges = secretRanges(bytes);
  if (ranges.length === 0) return bytes;
  const masked = bytes.slice();
  for (const range of ranges) maskRange(masked, range);
  return masked;
}
