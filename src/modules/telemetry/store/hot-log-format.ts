/**
 * The layout of a file of the hot log: a header, then records one behind the other. All numbers are little-endian.
 *
 * A file is written over and over, so old records lie behind the newest one. Each record names the nonce of the file's present use and the
 * checksum of the record before it: what does not fit ends the log.
 */

/** "LHL1". */
const MAGIC = 0x314c_484c;

/** Header: magic u32, nonce u32, id of the first record f64, CRC-32 of these 16 bytes u32; the rest is reserved. */
export const HEADER_BYTES = 32;
const HEADER_CHECKSUM = 16;

/**
 * Head of a record: CRC-32 of all that follows u32, checksum of the record before it (or of the header) u32, nonce u32, number of records
 * of the file that were on the disk when this one was written u32, form u32, bytes of definitions u32, bytes of data u32. Definitions (JSON) and
 * data follow.
 */
export const RECORD_BYTES = 28;

export interface LogHeader {
  /** A random number that changes whenever the file is written from its start. */
  readonly nonce: number;
  readonly firstId: number;
  readonly checksum: number;
}

export interface RecordHead {
  readonly checksum: number;
  readonly previous: number;
  readonly nonce: number;
  readonly durable: number;
  readonly form: number;
  readonly definitionBytes: number;
  readonly dataBytes: number;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function encodeHeader(nonce: number, firstId: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = viewOf(bytes);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, nonce, true);
  view.setFloat64(8, firstId, true);
  view.setUint32(HEADER_CHECKSUM, Bun.hash.crc32(bytes.subarray(0, HEADER_CHECKSUM)), true);
  return bytes;
}

/** Returns `null` for bytes that are no header. */
export function decodeHeader(bytes: Uint8Array): LogHeader | null {
  if (bytes.length < HEADER_BYTES) return null;
  const view = viewOf(bytes);
  const checksum = view.getUint32(HEADER_CHECKSUM, true);
  if (view.getUint32(0, true) !== MAGIC) return null;
  if (Bun.hash.crc32(bytes.subarray(0, HEADER_CHECKSUM)) !== checksum) return null;
  return { nonce: view.getUint32(4, true), firstId: view.getFloat64(8, true), checksum };
}

/** Writes the head of a record before its definitions and data, which lie in `bytes` already. Returns its checksum. */
export function writeRecordHead(bytes: Uint8Array, head: Omit<RecordHead, "checksum">): number {
  const view = viewOf(bytes);
  view.setUint32(4, head.previous, true);
  view.setUint32(8, head.nonce, true);
  view.setUint32(12, head.durable, true);
  view.setUint32(16, head.form, true);
  view.setUint32(20, head.definitionBytes, true);
  view.setUint32(24, head.dataBytes, true);
  const checksum = Bun.hash.crc32(bytes.subarray(4));
  view.setUint32(0, checksum, true);
  return checksum;
}

/** `bytes` begins with the record. */
export function decodeRecordHead(bytes: Uint8Array): RecordHead {
  const view = viewOf(bytes);
  return {
    checksum: view.getUint32(0, true),
    previous: view.getUint32(4, true),
    nonce: view.getUint32(8, true),
    durable: view.getUint32(12, true),
    form: view.getUint32(16, true),
    definitionBytes: view.getUint32(20, true),
    dataBytes: view.getUint32(24, true),
  };
}

export const recordBytesOf = ({ definitionBytes, dataBytes }: RecordHead): number =>
  RECORD_BYTES + definitionBytes + dataBytes;

/** `bytes` is one whole record. */
export const isSoundRecord = (bytes: Uint8Array, { checksum }: RecordHead): boolean =>
  Bun.hash.crc32(bytes.subarray(4)) === checksum;
