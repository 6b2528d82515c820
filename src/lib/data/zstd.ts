import { zstdDecompressSync } from "node:zlib";

/** Max. bytes of a small result, which is decompressed in one chunk. */
const CHUNK_BYTES = 64 * 1024;
const MAGIC = 0xfd2fb528;
const RLE_BLOCK = 1;

/** Returns the position after the header of a frame (RFC 8878, 3.1.1.1), and the bytes of its checksum. */
function headerOf(view: DataView, start: number): { end: number; checksumBytes: number } {
  if (view.getUint32(start, true) !== MAGIC) throw new RangeError("no zstd frame");
  const descriptor = view.getUint8(start + 4);
  const isSingle = (descriptor & 32) !== 0;
  const contentSizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const end = start + 5 + (isSingle ? 0 : 1) + dictionaryBytes + contentSizeBytes;
  return { end, checksumBytes: (descriptor & 4) === 0 ? 0 : 4 };
}

/** @throws RangeError unless the bytes are whole frames: the decompressor accepts a frame that is truncated after its last full block */
function ensureWhole({ buffer, byteOffset, byteLength }: Uint8Array): void {
  const view = new DataView(buffer, byteOffset, byteLength);
  let position = 0;
  do {
    const { end, checksumBytes } = headerOf(view, position);
    position = end;
    for (let isLast = false; !isLast; ) {
      const header = view.getUint16(position, true) | (view.getUint8(position + 2) << 16);
      isLast = (header & 1) === 1;
      position += 3 + (((header >> 1) & 3) === RLE_BLOCK ? 1 : header >> 3);
    }
    position += checksumBytes;
  } while (position < byteLength);
  if (position > byteLength) throw new RangeError("the zstd frame is cut");
}

/**
 * Decompresses untrusted bytes to at most `bytesMax` bytes.
 * @throws RangeError for a truncated frame and beyond `bytesMax`, without keeping more; Error if the bytes are not zstd
 */
export function unpackZstd(packed: Uint8Array, bytesMax: number): Buffer {
  ensureWhole(packed);
  return zstdDecompressSync(packed, { maxOutputLength: bytesMax, chunkSize: CHUNK_BYTES + 1 });
}
