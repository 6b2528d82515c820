import { FORM_PLANES, FORM_RAW, FORM_ZSTD } from "./telemetry-file.ts";

/** Below this a group is hardly smaller compressed. */
const compressBytesMin = 512;
const wordBytes = 8;
const fastLevel = 1;
const denseLevel = 3;

export interface PackedGroup {
  readonly form: number;
  readonly data: Uint8Array;
}

/** `densely` takes a third less space and some time, for where commits are few because each one wears the disk. */
export function packGroup(group: Uint8Array, densely: boolean): PackedGroup {
  if (group.byteLength < compressBytesMin) return { form: FORM_RAW, data: group };
  const data = densely
    ? Bun.zstdCompressSync(toPlanes(group), { level: denseLevel })
    : Bun.zstdCompressSync(group, { level: fastLevel });
  if (data.byteLength >= group.byteLength * 0.9) return { form: FORM_RAW, data: group };
  return { form: densely ? FORM_PLANES : FORM_ZSTD, data };
}

/** Throws when the data are damaged or the form is none of a group. */
export function unpackGroup(form: number, data: Uint8Array): Uint8Array {
  switch (form) {
    case FORM_RAW:
      return data;
    case FORM_ZSTD:
      return Bun.zstdDecompressSync(data);
    case FORM_PLANES:
      return fromPlanes(Bun.zstdDecompressSync(data));
    default:
      throw new Error(`its form ${form} is not known`);
  }
}

/**
 * First bytes of all words, then all second bytes and so on: doubles that are near to one another differ in few of their
 * bytes. What is left over behind the last whole word stays at the end.
 */
function toPlanes(group: Uint8Array): Uint8Array {
  const words = Math.floor(group.byteLength / wordBytes);
  const planes = new Uint8Array(group.byteLength);
  let offset = 0;
  for (let plane = 0; plane < wordBytes; plane++)
    for (let from = plane, end = words * wordBytes; from < end; from += wordBytes)
      planes[offset++] = group[from]!;
  planes.set(group.subarray(offset), offset);
  return planes;
}

function fromPlanes(planes: Uint8Array): Uint8Array {
  const words = Math.floor(planes.byteLength / wordBytes);
  const group = new Uint8Array(planes.byteLength);
  let offset = 0;
  for (let plane = 0; plane < wordBytes; plane++)
    for (let to = plane, end = words * wordBytes; to < end; to += wordBytes) group[to] = planes[offset++]!;
  group.set(planes.subarray(offset), offset);
  return group;
}
