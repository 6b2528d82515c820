import { invariant } from "../../../../lib/core/invariant.ts";
import { unpackZstd } from "../../../../lib/data/zstd.ts";
import { ensureShape } from "../../../../lib/json/json-shape.ts";
import type { UplinkColumn, UplinkDevice } from "../../target.types.ts";

const FORMAT = 1;
const ZSTD_LEVEL = 1;
const LENGTH_BYTES = 4;
/** Approximate memory of an event without its data, in bytes. */
const EVENT_BYTES = 200;
/** Max. bytes of a batch, decompressed. A batch contains one scan chunk, whose 8 Mi characters may take six bytes each in JSON. */
const STAGED_BYTES_MAX = 64 * 1024 * 1024;

/** Stored event; `data` is JSON. */
export interface StagedEvent {
  readonly ts: number;
  readonly kind: string;
  readonly device: string;
  readonly name: string;
  readonly type: string;
  readonly data: string;
}

/** Rows of one device in one partition. */
export interface StagedRows {
  readonly device: UplinkDevice;
  readonly ts: Float64Array;
  readonly columns: readonly UplinkColumn[];
}

/** Part of a batch for one partition: rows or events. */
export interface Staged {
  readonly rows: readonly StagedRows[];
  readonly events: readonly StagedEvent[];
}

interface Header {
  readonly format: number;
  readonly rows: ReadonlyArray<{
    readonly device: UplinkDevice;
    readonly length: number;
    readonly columns: ReadonlyArray<Pick<UplinkColumn, "key" | "texts">>;
  }>;
  readonly events: readonly StagedEvent[];
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * Encodes the content of a Parquet file to be written: length of a header (u32), header in JSON with devices, keys and strings, then timestamps,
 * tags and numbers of each device as in memory (little-endian); compressed by zstd. Equal content has equal bytes.
 */
export function encodeStaged({ rows, events }: Staged): Uint8Array<ArrayBuffer> {
  const header: Header = {
    format: FORMAT,
    rows: rows.map(({ device, ts, columns }) => ({
      device,
      length: ts.length,
      columns: columns.map(({ key, texts }) => ({ key, texts })),
    })),
    events,
  };
  const head = new TextEncoder().encode(JSON.stringify(header));
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, head.length, true);
  const parts: Uint8Array[] = [length, head];
  for (const { ts, columns } of rows) {
    parts.push(bytesOf(ts));
    for (const { tags, numbers } of columns) parts.push(tags, bytesOf(numbers));
  }
  const bytes = Buffer.concat(parts);
  // Otherwise a confirmed row could no longer be read.
  invariant(bytes.length <= STAGED_BYTES_MAX, `a batch has at most ${STAGED_BYTES_MAX} bytes`);
  return Uint8Array.from(Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL }));
}

/** @throws Error if the bytes were not returned by `encodeStaged`, because other programs can write to the staging folder */
export function decodeStaged(compressed: Uint8Array): Staged {
  const bytes = unpackZstd(compressed, STAGED_BYTES_MAX);
  const headLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  let offset = LENGTH_BYTES + headLength;
  const head = new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, offset));
  ensureShape(head);
  const header: Header = JSON.parse(head);
  if (header.format !== FORMAT) throw new Error(`unknown format ${header.format}`);
  /** Copies bytes, because 8-byte numbers must be aligned in memory. */
  const take = (byteLength: number): Uint8Array<ArrayBuffer> => {
    offset += byteLength;
    return Uint8Array.from(bytes.subarray(offset - byteLength, offset));
  };
  const rows = header.rows.map(({ device, length, columns }) => ({
    device,
    ts: new Float64Array(take(length * 8).buffer),
    columns: columns.map(({ key, texts }) => ({
      key,
      tags: take(length),
      numbers: new Float64Array(take(length * 8).buffer),
      // JSON has null where a row has no text.
      texts: texts?.map((text) => text ?? undefined) ?? null,
    })),
  }));
  return { rows, events: header.events };
}

/** Returns the approximate memory of rows and events, in bytes. */
export const bytesIn = ({ rows, events }: Staged): number => {
  let bytes = 0;
  for (const { ts, columns } of rows) {
    bytes += ts.byteLength;
    for (const { tags, numbers, texts } of columns) {
      bytes += tags.byteLength + numbers.byteLength;
      for (const text of texts ?? []) bytes += 8 + 2 * (text?.length ?? 0);
    }
  }
  return events.reduce((sum, { data }) => sum + EVENT_BYTES + 2 * data.length, bytes);
};

export const valuesIn = ({ rows, events }: Staged): number =>
  rows.reduce((sum, { ts, columns }) => sum + ts.length * columns.length, events.length);
