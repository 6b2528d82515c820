import { zstdDecompressSync } from "node:zlib";

/** What is small comes out in one chunk. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Decompresses bytes that others may have written, into at most `bytesMax` bytes.
 * @throws RangeError beyond `bytesMax`, without having kept more; Error if the bytes are not zstd
 */
export const unpackZstd = (packed: Uint8Array, bytesMax: number): Buffer =>
  zstdDecompressSync(packed, { maxOutputLength: bytesMax, chunkSize: Math.min(bytesMax, CHUNK_BYTES) + 1 });
