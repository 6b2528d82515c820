/**
 * Layout of a hot log file: a header followed by records. All numbers are little-endian. Files are reused, so older records follow the newest
 * record. Each record contains the nonce of the file's current use, its id and the checksum of the previous record. A record can therefore be
 * recognized anywhere, even after damage.
 */

/** "LHL2" in ASCII. */
const MAGIC = 0x324c_484c;

/** Header: magic u32, nonce u32, id of the first record f64, CRC-32 of these 16 bytes u32; the rest is reserved. */
export const HEADER_BYTES = 32;
const HEADER_CHECKSUM = 16;

/**
 * Head of a record, by offset:
 *  0 CRC-32 of all following bytes u32, 4 checksum of the previous record (or of the header) u32, 8 nonce u32, 12 form u32,
 * 16 id f64, 24 id of the newest record known to be on the disk f64, 32 values in all earlier records f64, 40 time of writing f64 (epoch ms),
 * 48 values in this record u32, 52 bytes of definitions u32, 56 bytes of data u32.
 * Definitions (JSON) and data follow.
 */
export const RECORD_BYTES = 60;
/** Offset of the nonce in a record's head. */
export const RECORD_NONCE = 8;

export interface LogHeader {
  /** Random number that changes whenever the file is overwritten from its start. */
  readonly nonce: number;
  readonly firstId: number;
  readonly checksum: number;
}

export interface RecordHead {
  readonly checksum: number;
  readonly previous: number;
  readonly nonce: number;
  readonly form: number;
  readonly id: number;
  /** Id up to which all records were on disk when this record was written. */
  readonly durableId: number;
  /** Number of values in all earlier records of the log, across its files. */
  readonly valuesBefore: number;
  /** Time of writing, in epoch ms. */
  readonly time: number;
  /** Number of values in the record; a deletion counts as one. */
  readonly values: number;
  readonly definitionBytes: number;
  readonly dataBytes: number;
}

/** Heads before and after damaged records in a file; the first head is undefined if the damage begins at the start of the file. */
export type Gap = readonly [before: RecordHead | undefined, behind: RecordHead];

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

/** Returns `null` for bytes that are not a header. */
export function decodeHeader(bytes: Uint8Array): LogHeader | null {
  if (bytes.length < HEADER_BYTES) return null;
  const view = viewOf(bytes);
  const checksum = view.getUint32(HEADER_CHECKSUM, true);
  if (view.getUint32(0, true) !== MAGIC) return null;
  if (Bun.hash.crc32(bytes.subarray(0, HEADER_CHECKSUM)) !== checksum) return null;
  return { nonce: view.getUint32(4, true), firstId: view.getFloat64(8, true), checksum };
}

/** Writes the head of a record before its definitions and data, which are already in `bytes`. Returns its checksum. */
export function writeRecordHead(bytes: Uint8Array, head: Omit<RecordHead, "checksum">): number {
  const view = viewOf(bytes);
  view.setUint32(4, head.previous, true);
  view.setUint32(RECORD_NONCE, head.nonce, true);
  view.setUint32(12, head.form, true);
  view.setFloat64(16, head.id, true);
  view.setFloat64(24, head.durableId, true);
  view.setFloat64(32, head.valuesBefore, true);
  view.setFloat64(40, head.time, true);
  view.setUint32(48, head.values, true);
  view.setUint32(52, head.definitionBytes, true);
  view.setUint32(56, head.dataBytes, true);
  const checksum = Bun.hash.crc32(bytes.subarray(4));
  view.setUint32(0, checksum, true);
  return checksum;
}

/** Decodes the head of a record at the start of `bytes`. */
export function decodeRecordHead(bytes: Uint8Array): RecordHead {
  const view = viewOf(bytes);
  return {
    checksum: view.getUint32(0, true),
    previous: view.getUint32(4, true),
    nonce: view.getUint32(RECORD_NONCE, true),
    form: view.getUint32(12, true),
    id: view.getFloat64(16, true),
    durableId: view.getFloat64(24, true),
    valuesBefore: view.getFloat64(32, true),
    time: view.getFloat64(40, true),
    values: view.getUint32(48, true),
    definitionBytes: view.getUint32(52, true),
    dataBytes: view.getUint32(56, true),
  };
}

export const recordBytesOf = ({ definitionBytes, dataBytes }: RecordHead): number =>
  RECORD_BYTES + definitionBytes + dataBytes;

/** Returns whether `bytes`, one whole record, is intact. */
export const isSoundRecord = (bytes: Uint8Array, { checksum }: RecordHead): boolean =>
  Bun.hash.crc32(bytes.subarray(4)) === checksum;
