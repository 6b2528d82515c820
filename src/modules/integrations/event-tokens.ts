import type { SealedBox } from "../../platform/sealed-box.ts";
import type { InboundMessage } from "./integrations.types.ts";

/*
 * Masks device access tokens in messages. Events show messages to users who may not read tokens, so each `deviceToken` is stored as asterisks
 * of the same length, which JSON and CBOR allow. The tokens are sealed separately, for replaying the message.
 */

const FIELD = "deviceToken";
/** The name as JSON or JSON5 may write it: each letter as itself or as an escape such as \u0054, \x54 or \T. */
const WRITTEN = new RegExp(
  [...FIELD]
    .map((letter) => {
      const code = letter.charCodeAt(0).toString(16);
      const hex = [...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join("");
      return `(?:\\\\?${letter}|\\\\(?:u00|x)${hex})`;
    })
    .join(""),
  "g",
);
const ASTERISK = 0x2a;
const QUOTES = new Set([0x22, 0x27]);
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SHOWN_LENGTH = 4;
/** Min. length of a token whose first characters stay visible: they would reveal too much of a shorter token. */
const SHOWN_LENGTH_MIN = 12;

interface Range {
  readonly from: number;
  readonly to: number;
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);

/** Returns the range of a JSON string. `end` is the end of its field's name. */
function jsonRange(bytes: Uint8Array, end: number): Range | undefined {
  let position = QUOTES.has(bytes[end] ?? 0) ? end + 1 : end; // lenient JSON allows unquoted names
  while (isSpace(bytes[position])) position++;
  if (bytes[position] !== COLON) return undefined;
  position++;
  while (isSpace(bytes[position])) position++;
  const quote = bytes[position] ?? 0;
  if (!QUOTES.has(quote)) return undefined;
  const from = position + 1;
  let to = from;
  while (to < bytes.length && bytes[to] !== quote) to += bytes[to] === BACKSLASH ? 2 : 1;
  return { from, to: Math.min(to, bytes.length) };
}

/** Returns the range of a CBOR text string (RFC 8949, section 3.1: major type 3). */
function cborRange(bytes: Uint8Array, position: number): Range | undefined {
  const head = bytes[position] ?? 0;
  const [from, length] =
    head >= 0x60 && head <= 0x77
      ? [position + 1, head - 0x60]
      : head === 0x78
        ? [position + 2, bytes[position + 1] ?? 0]
        : head === 0x79
          ? [position + 3, (bytes[position + 1] ?? 0) * 256 + (bytes[position + 2] ?? 0)]
          : [0, 0];
  return length === 0 || from + length > bytes.length ? undefined : { from, to: from + length };
}

function tokenRanges(bytes: Uint8Array): Range[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ranges: Range[] = [];
  // Latin-1 has one character per byte.
  for (const { index, 0: name } of buffer.toString("latin1").matchAll(WRITTEN)) {
    const end = index + name.length;
    const range = jsonRange(bytes, end) ?? cborRange(bytes, end);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

export type EventTokens = ReturnType<typeof createEventTokens>;

export function createEventTokens(box: Pick<SealedBox, "seal" | "open">) {
  return {
    /** Returns the message as stored. */
    mask(source: InboundMessage): InboundMessage {
      const ranges = tokenRanges(source.bytes);
      if (ranges.length === 0) return source;
      const bytes = source.bytes.slice();
      const tokens: Array<readonly [from: number, token: string]> = [];
      for (const { from, to } of ranges) {
        tokens.push([from, Buffer.from(bytes.subarray(from, to)).toString("latin1")]);
        bytes.fill(ASTERISK, from + (to - from < SHOWN_LENGTH_MIN ? 0 : SHOWN_LENGTH), to);
      }
      return { ...source, bytes, sealedTokens: box.seal(JSON.stringify(tokens)) };
    },
    /** Returns the original message. */
    unmask({ sealedTokens, ...source }: InboundMessage): InboundMessage {
      const text = sealedTokens === undefined ? undefined : box.open(sealedTokens);
      if (text === undefined) return source;
      const bytes = source.bytes.slice();
      for (const [from, token] of JSON.parse(text) as Array<[number, string]>) // sealed by us
        bytes.set(Buffer.from(token, "latin1"), from);
      return { ...source, bytes };
    },
  };
}
