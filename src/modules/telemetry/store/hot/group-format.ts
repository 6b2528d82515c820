/**
 * Layout of a group: the content of one commit from the main thread to the worker and, unchanged, in its hot row. Words of 8 bytes, little-endian: a
 * header, then records `[device u32 | pattern u32] [ts f64] [value]…`, then side bytes. A value is an f64, a boolean as 0 or 1, or `[offset u32 |
 * length u32]` of its text in the side bytes.
 */
export const GROUP_VERSION = 1;
export const HEADER_WORDS = 3;
export const RECORD_HEAD_WORDS = 2;

/** Positions of u32 fields in the header. */
export const HEADER_VERSION = 0;
export const HEADER_RECORD_END = 1;
export const HEADER_SIDE_BYTES = 2;
export const HEADER_READINGS = 3;
export const HEADER_POINTS = 4;
/** CRC-32 of all bytes after the header; set by the worker. */
export const HEADER_CHECKSUM = 5;

/** Flag in a text's length for a JSON literal, used for lone surrogates, which UTF-8 cannot represent. */
export const ESCAPED_TEXT = 0x8000_0000;
export const TEXT_LENGTH_MASK = 0x7fff_ffff;

/** Decodes the text of a slot that begins at `start`. A TextDecoder would take twice as long. */
export function decodeText(bytes: Buffer, start: number, lengthAndFlag: number): string {
  const text = bytes.toString("utf8", start, start + (lengthAndFlag & TEXT_LENGTH_MASK));
  return (lengthAndFlag & ESCAPED_TEXT) !== 0 ? JSON.parse(text) : text;
}

export interface DeviceDefinition {
  readonly no: number;
  readonly tenantId: string;
  readonly deviceId: string;
}

export interface KeyDefinition {
  readonly no: number;
  readonly name: string;
}

/** Columns are `key number * 4 + kind`, in the order in which the device reports them. */
export interface PatternDefinition {
  readonly no: number;
  readonly columns: readonly number[];
}

/** Definitions that a group's records use and the file does not contain yet. */
export interface Definitions {
  devices: DeviceDefinition[];
  keys: KeyDefinition[];
  patterns: PatternDefinition[];
}

export const noDefinitions = (): Definitions => ({ devices: [], keys: [], patterns: [] });

export const isEmpty = (definitions: Definitions): boolean =>
  definitions.devices.length === 0 && definitions.keys.length === 0 && definitions.patterns.length === 0;

const headerOf = (group: Uint8Array) => new DataView(group.buffer, group.byteOffset, HEADER_WORDS * 8);

const contentChecksum = (group: Uint8Array): number => Bun.hash.crc32(group.subarray(HEADER_WORDS * 8));

/** Returns the number of values in a group. */
export const pointsOf = (group: Uint8Array): number => headerOf(group).getUint32(HEADER_POINTS * 4, true);

/** Writes the checksum to a group's header. */
export const sealGroup = (group: Uint8Array): void =>
  headerOf(group).setUint32(HEADER_CHECKSUM * 4, contentChecksum(group), true);

/** @throws Error if the bytes are not an intact group */
export function checkGroup(group: Uint8Array): void {
  const header = headerOf(group);
  const version = header.getUint32(HEADER_VERSION * 4, true);
  if (version !== GROUP_VERSION) throw new Error(`unknown group version ${version}`);
  if (header.getUint32(HEADER_CHECKSUM * 4, true) !== contentChecksum(group)) {
    throw new Error("the group's checksum does not match");
  }
}
