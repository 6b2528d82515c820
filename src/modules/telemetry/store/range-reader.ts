import type { HotGeneration } from "./hot-generation.ts";
import type { DeviceState } from "./registry.ts";
import { emptyRows, lowerBound, overlay, type Rows, sliceRows } from "./rows.ts";
import type { SeriesSink } from "./series-sink.ts";
import type { Steps } from "./slice-scheduler.ts";

/** What is read: the keys belong to one family of the device. */
export interface FamilyRange {
  readonly device: DeviceState;
  readonly family: number;
  readonly keys: ReadonlySet<number>;
  readonly from: number;
  readonly to: number;
}

/** The hot points of a range, newer generations over older ones. */
export function hotRows(generations: readonly HotGeneration[], range: FamilyRange): Rows {
  let rows: Rows = emptyRows;
  for (const generation of generations) {
    const device = generation.devices.get(range.device.no);
    if (device !== undefined) rows = overlay(rows, device.rows(generation, range.keys, range.from, range.to));
  }
  return rows;
}

/** Feeds the sinks (key number → sink) with every point of the range in time order. */
export function* readFamily(
  generations: readonly HotGeneration[],
  range: FamilyRange,
  sinks: ReadonlyMap<number, SeriesSink>,
): Steps<void> {
  const hot = hotRows(generations, range);
  feed(sliceRows(hot, lowerBound(hot.ts, range.from), hot.ts.length), sinks);
  yield;
}

function feed(rows: Rows, sinks: ReadonlyMap<number, SeriesSink>): void {
  for (const [key, column] of rows.columns) sinks.get(key)?.rows(rows.ts, column);
}
