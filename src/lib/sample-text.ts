import { utf16EncodingOf } from "./sent-json.ts";

const SAMPLE_BYTES_MAX = 256;
/** A body with more than one non-text byte per this number of bytes is shown as hexadecimal digits. */
const BYTES_PER_ESCAPE_MIN = 4;

/** Bytes of the UTF-8 sequence that begins with a byte. */
const sequenceLength = (first: number): number =>
  first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

const isPrintable = (byte: number): boolean =>
  (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** Returns the character at a place; undefined for bytes that are none. */
function characterAt(bytes: Uint8Array, start: number, length: number): string | undefined {
  if (length === 1) return isPrintable(bytes[start]!) ? String.fromCharCode(bytes[start]!) : undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, start + length));
  } catch {
    return undefined;
  }
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/**
 * Returns the beginning of a body for the person who has to find a mistake in it: text in any encoding with other bytes as `\x00`, and
 * hexadecimal digits for what is not text.
 */
export function sampleText(body: Uint8Array): string {
  const bytes = body.subarray(0, SAMPLE_BYTES_MAX);
  const utf16 = utf16EncodingOf(bytes);
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes.subarray(0, bytes.length & ~1));
  let text = "";
  let escapes = 0;
  for (let offset = 0; offset < bytes.length; ) {
    const length = sequenceLength(bytes[offset]!);
    const isCut = offset + length > bytes.length && bytes.length < body.length;
    const character = characterAt(bytes, offset, length);
    if (character === undefined && !isCut) {
      escapes++;
      text += `\\x${hexOf(bytes.subarray(offset, offset + 1))}`;
    }
    offset += character === undefined && !isCut ? 1 : length;
    text += character ?? "";
  }
  return escapes * BYTES_PER_ESCAPE_MIN > bytes.length ? `hex ${hexOf(bytes)}` : text;
}
