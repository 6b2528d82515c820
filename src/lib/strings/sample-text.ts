import { withoutSecrets } from "../json/secret-fields.ts";
import { utf16EncodingOf } from "../json/sent-json.ts";
import { excerpt, isPrintable } from "./excerpt.ts";

const SAMPLE_BYTES_MAX = 256;
const PLACE_CHARACTERS_MAX = 256;
/** Min. bytes per non-text byte. A body with more of them is shown as hexadecimal digits. */
const BYTES_PER_ESCAPE_MIN = 4;

/** Returns the number of bytes of the UTF-8 sequence that starts with a byte. */
const sequenceLength = (first: number): number =>
  first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

const isLayout = (character: string): boolean => character === "" || "\t\r\n".includes(character);

/** Returns the character at a position, empty for a byte order mark; undefined for invalid bytes or an unprintable character. */
function characterAt(bytes: Uint8Array, start: number, length: number): string | undefined {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const character = decoder.decode(bytes.subarray(start, start + length));
    return isLayout(character) || isPrintable(character) ? character : undefined;
  } catch {
    return undefined;
  }
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Returns the beginning of a body with masked secrets, converted from UTF-16 to UTF-8 if necessary. */
function beginningOf(body: Uint8Array): Uint8Array {
  const bytes = body.subarray(0, SAMPLE_BYTES_MAX);
  const utf16 = utf16EncodingOf(bytes);
  if (utf16 === undefined) return withoutSecrets(bytes);
  return withoutSecrets(Buffer.from(new TextDecoder(utf16).decode(bytes.subarray(0, bytes.length & ~1))));
}

/**
 * Returns the beginning of a body for troubleshooting: text in any encoding with masked secrets and unprintable characters as `\x00`, or hexadecimal
 * digits for binary data.
 */
export function sampleText(body: Uint8Array): string {
  const bytes = beginningOf(body);
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

/** Returns the beginning of a topic, path or address on one line, with masked secrets: firmware may send its token in a topic. */
export const placeText = (place: string): string => {
  const shown = excerpt(place, PLACE_CHARACTERS_MAX);
  return new TextDecoder().decode(withoutSecrets(new TextEncoder().encode(shown)));
};
