/*
 * Strings of many values in one byte array, which is transferred between threads without copying. Copying 250,000 short strings would block each
 * thread for 100 ms.
 */

/** Concatenated texts in UTF-16. */
export interface PackedTexts {
  readonly utf16: Uint8Array<ArrayBuffer>;
  /** Index of the first character of each text, and the end. */
  readonly bounds: Uint32Array<ArrayBuffer>;
}

const BYTES_PER_CHARACTER = 2;

/** Packs texts. Absent texts are empty. */
export function packTexts(texts: readonly (string | undefined)[]): PackedTexts {
  const bounds = new Uint32Array(texts.length + 1);
  let end = 0;
  for (let index = 0; index < texts.length; index++) {
    end += texts[index]?.length ?? 0;
    bounds[index + 1] = end;
  }
  const utf16 = new Uint8Array(end * BYTES_PER_CHARACTER); // has its own buffer, so that it can be transferred
  Buffer.from(utf16.buffer).write(texts.join(""), "utf16le");
  return { utf16, bounds };
}

/** Returns a function that reads the text of an index. */
export function packedTextReader({ utf16, bounds }: PackedTexts): (index: number) => string {
  const view = Buffer.from(utf16.buffer, utf16.byteOffset, utf16.byteLength);
  const byteOf = (index: number) => (bounds[index] ?? 0) * BYTES_PER_CHARACTER;
  return (index) => view.toString("utf16le", byteOf(index), byteOf(index + 1));
}

export function unpackTexts(packed: PackedTexts): string[] {
  const textAt = packedTextReader(packed);
  return Array.from({ length: packed.bounds.length - 1 }, (_, index) => textAt(index));
}
