/** Effort to find the smallest form: `fast` for sealing, `thorough` for merging. */
export type Effort = "fast" | "thorough";

const LEVEL_FAST = 3;
const LEVEL_THOROUGH = 12;
/** Min. bytes for the thorough level, whose set-up does not pay for less. */
const THOROUGH_BYTES_MIN = 1_024;
/** Min. bytes for packing; a zstd frame itself takes about 20 bytes. */
const PACK_BYTES_MIN = { fast: 96, thorough: 24 };

/** Returns a zstd frame, or the unchanged bytes if that is not larger; the first byte indicates which. */
export function pack(bytes: Uint8Array, effort: Effort): Uint8Array {
  if (bytes.length >= PACK_BYTES_MIN[effort]) {
    const frame = Bun.zstdCompressSync(bytes, { level: levelFor(bytes.length, effort) });
    if (frame.length < bytes.length) return prefixed(1, frame);
  }
  return prefixed(0, bytes);
}

const levelFor = (bytes: number, effort: Effort): number =>
  effort === "fast" || bytes < THOROUGH_BYTES_MIN ? LEVEL_FAST : LEVEL_THOROUGH;

export function prefixed(first: number, bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length + 1);
  result[0] = first;
  result.set(bytes, 1);
  return result;
}

export function unpack(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 1 ? Bun.zstdDecompressSync(bytes.subarray(1)) : bytes.subarray(1);
}
