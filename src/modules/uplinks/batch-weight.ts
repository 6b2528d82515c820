import type { ChunkMax, FeedDeviceRows } from "../telemetry/feeds.types.ts";
import type { UplinkDevice, UplinkRecord } from "./target.types.ts";

/** Max. bytes of a batch in memory, unless a single row or a single commit of the store has more. */
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;
/** Remaining bytes below which a batch is not filled up: a small chunk costs as much to read as a large one. */
const REST_BYTES_MIN = BATCH_BYTES_MAX / 4;
/** Approximate values per batch. */
export const BATCH_POINTS = 20_000;
/** Bytes of a value in its column and in the body. */
const POINT_BYTES = 9 + 23;
/** Bytes of a character as UTF-16, in the body, and in the copy of the sending client. */
const CHARACTER_BYTES = 4;
/** Bytes of a row's timestamp and punctuation in the body. */
const ROW_BYTES = 64;

/** Returns the bytes per row, in which most formats name the device and its tags. */
const rowBytesOf = (device: UplinkDevice): number => ROW_BYTES + JSON.stringify(device).length;

/** Returns the approximate memory of rows until the target has them, in bytes: columns, strings and the encoded body. */
export function bytesOfRows(
  { ts, columns }: Pick<FeedDeviceRows, "ts" | "columns">,
  device: UplinkDevice,
): number {
  let characters = 0;
  for (const { texts } of columns) for (const text of texts ?? []) characters += text?.length ?? 0;
  return (
    ts.length * rowBytesOf(device) + ts.length * columns.length * POINT_BYTES + characters * CHARACTER_BYTES
  );
}

/** Returns the approximate memory of records, in bytes. */
export function bytesOf(records: readonly UplinkRecord[]): number {
  let bytes = 0;
  for (const record of records)
    bytes +=
      record.kind === "rows"
        ? bytesOfRows(record, record.device)
        : JSON.stringify(record).length * CHARACTER_BYTES;
  return bytes;
}

/** Returns the room for a device's history in a batch of `bytes`; undefined if the batch is full. */
export function roomIn(bytes: number, device: UplinkDevice): ChunkMax | undefined {
  const rest = BATCH_BYTES_MAX - bytes;
  if (rest < REST_BYTES_MIN) return undefined;
  return {
    bytes: rest,
    perRow: rowBytesOf(device),
    perValue: POINT_BYTES,
    perCharacter: CHARACTER_BYTES,
  };
}
