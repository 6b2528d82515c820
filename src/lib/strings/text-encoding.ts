import { isAscii } from "node:buffer";
import { type DomainError, invalid } from "../core/domain-error.ts";
import { excerpt } from "./excerpt.ts";

/*
 * Converts text files of unknown encoding to UTF-8, chunk by chunk. UTF-16 is detected by its byte order mark or its zeros. Bytes that are not
 * UTF-8 are read as Windows-1252, which spreadsheets write, unless the file already contained UTF-8: files with both are refused.
 */

const MARK_BYTES = 4;
/** Bytes scanned in one go. */
const PIECE_BYTES = 64 * 1024;
const ASCII = 0x80;
/** Max. bytes of a quoted sample. */
const SAMPLE_BYTES = 20;

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** Formats mistaken for text files, by their first bytes. */
const FOREIGN: ReadonlyArray<readonly [start: readonly number[], format: string]> = [
  [[0x50, 0x4b, 0x03, 0x04], "xlsx or zip"],
  [[0x1f, 0x8b], "gzip"],
  [[0xd0, 0xcf, 0x11, 0xe0], "xls"],
  [[0x25, 0x50, 0x44, 0x46], "pdf"],
];

const startsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, index) => bytes[index] === byte);

/** Returns the number of bytes of the UTF-8 sequence that starts with a byte; 0 for an invalid start. */
function sequenceLength(byte: number): number {
  if (byte < ASCII) return 1;
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === ASCII;

/** Returns whether a complete sequence is well-formed: neither overlong, a surrogate, nor beyond Unicode. */
function isWellFormed(bytes: Uint8Array, start: number, length: number): boolean {
  for (let index = start + 1; index < start + length; index++)
    if (!isContinuation(bytes[index])) return false;
  const [first = 0, second = 0] = [bytes[start], bytes[start + 1]];
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second <= 0x9f;
  if (first === 0xf0) return second >= 0x90;
  return first !== 0xf4 || second <= 0x8f;
}

interface Scan {
  /** Index of the first byte that is not UTF-8; -1 if all are. */
  readonly wrong: number;
  /** Index after the last complete character. */
  readonly end: number;
  readonly hasSequence: boolean;
}

/** Scans bytes for invalid UTF-8. */
function scan(bytes: Uint8Array): Scan {
  let hasSequence = false;
  for (let index = 0; index < bytes.length; ) {
    const byte = bytes[index]!;
    if (byte < ASCII) {
      index++;
      continue;
    }
    const length = sequenceLength(byte);
    const isCut = length > 0 && index + length > bytes.length;
    if (isCut && bytes.subarray(index + 1).every(isContinuation))
      return { wrong: -1, end: index, hasSequence };
    if (length === 0 || isCut || !isWellFormed(bytes, index, length))
      return { wrong: index, end: index, hasSequence };
    hasSequence = true;
    index += length;
  }
  return { wrong: -1, end: bytes.length, hasSequence };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

const nothing = new Uint8Array(0);
const utf8 = new TextEncoder();

/** Converts a file to UTF-8, without a byte order mark and without trailing NULs. */
export class Utf8Reader {
  readonly #isStrict: boolean;
  #encoding: Encoding | undefined;
  #decoder: TextDecoder | undefined;
  /** Incomplete bytes, kept for the next piece. */
  #held: Uint8Array = nothing;
  #hasSequence = false;

  /** @param isStrict refuses Windows-1252, in which JSON is never encoded */
  constructor({ isStrict = false } = {}) {
    this.#isStrict = isStrict;
  }

  /** @throws DomainError `import.not_text` or `import.not_utf8` */
  push(chunk: Uint8Array): Uint8Array {
    const bytes = joined(this.#held, chunk);
    if (this.#encoding === undefined && bytes.length < MARK_BYTES) {
      this.#held = bytes.slice();
      return nothing;
    }
    this.#held = nothing;
    return this.#take(bytes, false);
  }

  /** @throws DomainError `import.not_text` or `import.not_utf8` */
  end(): Uint8Array {
    const bytes = this.#held;
    this.#held = nothing;
    return this.#take(bytes, true);
  }

  #take(input: Uint8Array, isEnd: boolean): Uint8Array {
    const bytes = this.#encoding === undefined ? this.#begin(input) : input;
    if (this.#decoder !== undefined) return this.#decoded(bytes, isEnd);
    const text = withoutNuls(bytes);
    if (text.length < bytes.length && !isEnd) this.#held = bytes.slice(text.length);
    if (text.includes(0)) throw invalid("import.not_text", { format: "NUL" });
    if (isAscii(text)) return text;
    const found = scan(text);
    if (found.wrong >= 0 || (isEnd && found.end < text.length)) return this.#switch(text, found, isEnd);
    this.#hasSequence ||= found.hasSequence;
    if (found.end < text.length) this.#held = bytes.slice(found.end);
    return text.subarray(0, found.end);
  }

  /** Continues with Windows-1252. */
  #switch(bytes: Uint8Array, { wrong, end, hasSequence }: Scan, isEnd: boolean): Uint8Array {
    if (this.#isStrict || this.#hasSequence || hasSequence) throw notUtf8(bytes, Math.max(wrong, end));
    this.#encoding = "windows-1252";
    this.#decoder = new TextDecoder(this.#encoding);
    return this.#decoded(bytes, isEnd);
  }

  /** Detects the encoding. Returns the bytes without the byte order mark. */
  #begin(bytes: Uint8Array): Uint8Array {
    const format = FOREIGN.find(([start]) => startsWith(bytes, start))?.[1];
    if (format !== undefined) throw invalid("import.not_text", { format });
    this.#encoding = encodingOf(bytes);
    if (this.#encoding !== "utf-8") this.#decoder = new TextDecoder(this.#encoding, { fatal: true });
    return startsWith(bytes, [0xef, 0xbb, 0xbf]) ? bytes.subarray(3) : bytes;
  }

  #decoded(bytes: Uint8Array, isEnd: boolean): Uint8Array {
    let text: string | undefined;
    try {
      text = this.#decoder?.decode(bytes, { stream: !isEnd });
    } catch {
      throw notUtf8(bytes, 0);
    }
    return utf8.encode(text?.replaceAll("\0", ""));
  }
}

function encodingOf(bytes: Uint8Array): Encoding {
  const [first, second, third, fourth] = bytes;
  if (startsWith(bytes, [0xff, 0xfe])) return "utf-16le";
  if (startsWith(bytes, [0xfe, 0xff])) return "utf-16be";
  if (first && second === 0 && third && fourth === 0) return "utf-16le";
  return first === 0 && second && third === 0 && fourth ? "utf-16be" : "utf-8";
}

function withoutNuls(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end === bytes.length ? bytes : bytes.subarray(0, end);
}

/** Returns the error for invalid UTF-8, with the surrounding bytes. */
function notUtf8(bytes: Uint8Array, wrong: number): DomainError {
  const around = bytes.subarray(Math.max(0, wrong - SAMPLE_BYTES), wrong + SAMPLE_BYTES);
  return invalid("import.not_utf8", { sample: excerpt(new TextDecoder("windows-1252").decode(around)) });
}

/** Yields a body as UTF-8 in pieces. */
export async function* utf8Pieces(
  body: AsyncIterable<Uint8Array>,
  options: { readonly isStrict?: boolean } = {},
): AsyncGenerator<Uint8Array> {
  const reader = new Utf8Reader(options);
  for await (const chunk of body)
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      const piece = reader.push(chunk.subarray(start, start + PIECE_BYTES));
      if (piece.length > 0) yield piece;
    }
  const last = reader.end();
  if (last.length > 0) yield last;
}

/** Decodes a whole file. */
export function decodeTextFile(bytes: Uint8Array): string {
  const reader = new Utf8Reader();
  const decoder = new TextDecoder();
  return decoder.decode(reader.push(bytes), { stream: true }) + decoder.decode(reader.end());
}
