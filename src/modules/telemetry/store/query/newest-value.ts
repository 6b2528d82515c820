import type { BlockRef } from "../blocks/block-directory.ts";
import { lastOf } from "../blocks/block-writer.ts";
import { valueOfSummary } from "../blocks/column-summary.ts";
import type { DeviceState, SealedValue, SeriesState } from "../registry.ts";
import { sliceRows, upperBound } from "../rows.ts";
import type { StoreEngine } from "../store-engine.ts";
import { hotRows } from "./range-reader.ts";

interface StoredSeries {
  readonly device: DeviceState;
  readonly series: SeriesState;
}

/** Returns the newest value of a series in blocks with a timestamp up to `until`. */
export function newestSealed(
  engine: StoreEngine,
  { device, series }: StoredSeries,
  until = Number.POSITIVE_INFINITY,
): SealedValue | null {
  const of = { device: device.no, family: series.family };
  let ref = engine.blocks.newestBefore(of, until + 1);
  while (ref !== null) {
    const newest = newestInBlock(engine, { ref, key: series.key, until });
    if (newest !== null) return newest;
    ref = engine.blocks.newestBefore(of, ref.minTs);
  }
  return null;
}

function newestInBlock(
  engine: StoreEngine,
  { ref, key, until }: { ref: BlockRef; key: number; until: number },
): SealedValue | null {
  const summary = engine.blocks.head(ref)?.columns.get(key)?.summary;
  if (summary === undefined) return null;
  const last = ref.maxTs <= until ? valueOfSummary(summary) : null;
  if (last !== null) return last;
  const loaded = engine.blocks.load(ref, new Set([key]));
  if (loaded === null || loaded === "gone") return null;
  const rows = sliceRows(loaded, 0, upperBound(loaded.ts, until));
  const column = rows.columns.get(key);
  return column === undefined ? null : lastOf(rows.ts, column);
}

/**
 * Returns the newest value, hot or sealed, with a timestamp up to `until`. Reads blocks; needed only if a clock was ahead and the series has newer
 * timestamps.
 */
export function newestUntil(engine: StoreEngine, place: StoredSeries, until: number): SealedValue | null {
  const { device, series } = place;
  const keys = new Set([series.key]);
  const range = { device, family: series.family, keys, from: Number.NEGATIVE_INFINITY, to: until };
  const { ts, columns } = hotRows(engine.generations, range);
  const column = columns.get(series.key);
  const hot = column === undefined ? null : lastOf(ts, column);
  const sealed = newestSealed(engine, place, until);
  // At the same timestamp the hot value has come later.
  return hot !== null && hot.ts >= (sealed?.ts ?? Number.NEGATIVE_INFINITY) ? hot : sealed;
}
