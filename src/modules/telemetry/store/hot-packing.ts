import { packColumns, unpackColumns } from "./hot-columns.ts";
import { FORM_COLUMNS, FORM_RAW, FORM_ZSTD } from "./hot-log.ts";

/** Below this a group is hardly smaller compressed. */
const compressBytesMin = 512;
/** What is not smaller than this part of the group is not worth unpacking. */
const worthwhileShare = 0.9;
const fastLevel = 1;

export interface PackedGroup {
  readonly form: number;
  readonly data: Uint8Array;
}

/**
 * `densely` packs by columns, which takes half of the space or less and several times the time, for where commits are few because each one
 * wears the disk.
 */
export function packGroup(
  group: Uint8Array,
  densely: boolean,
  columnsOf: (pattern: number) => readonly number[] | undefined,
): PackedGroup {
  if (group.byteLength < compressBytesMin) return { form: FORM_RAW, data: group };
  const bytesMax = group.byteLength * worthwhileShare;
  const columns = densely ? packColumns(group, columnsOf) : null;
  // What does not come back bit for bit is not packed so.
  if (
    columns !== null &&
    columns.byteLength < bytesMax &&
    Buffer.compare(unpackColumns(columns), group) === 0
  )
    return { form: FORM_COLUMNS, data: columns };
  const data = Bun.zstdCompressSync(group, { level: fastLevel });
  return data.byteLength < bytesMax ? { form: FORM_ZSTD, data } : { form: FORM_RAW, data: group };
}

/** Throws when the data are damaged or the form is none of a group. */
export function unpackGroup(form: number, data: Uint8Array): Uint8Array {
  switch (form) {
    case FORM_RAW:
      return data;
    case FORM_ZSTD:
      return Bun.zstdDecompressSync(data);
    case FORM_COLUMNS:
      return unpackColumns(data);
    default:
      throw new Error(`its form ${form} is not known`);
  }
}
