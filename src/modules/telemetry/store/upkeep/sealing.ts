import type { BlockRef, FamilyKey } from "../blocks/block-directory.ts";
import { chunksOf, EditBatch, encodeChunks, lastOf } from "../blocks/block-writer.ts";
import { familiesOf } from "../blocks/series-families.ts";
import { encodeBlock } from "../codec/block-codec.ts";
import type { DeviceState } from "../registry.ts";
import { countPoints, lowerBound, overlay, type Rows, sliceRows, upperBound } from "../rows.ts";
import type { StoreEngine } from "../store-engine.ts";
import { finishDeletions } from "./deletion-tasks.ts";
import type { Steps } from "./slice-scheduler.ts";

/**
 * Seals the hot tier: encodes the points of a frozen generation into blocks, device by device, then releases its hot rows. Each transaction is
 * complete in itself, and sealing the same points twice changes nothing, so points that are still hot after a crash are sealed again. Deletions are
 * applied first, because later they would affect newer arrivals.
 */
export function* sealTask(engine: StoreEngine): Steps<void> {
  yield* finishDeletions(engine);
  const generation = engine.frozen ?? engine.freeze();
  const batch = new EditBatch(engine);
  for (const hot of generation.devices.values()) {
    for (const [family, keys] of familiesOf(hot.device)) {
      const rows = hot.rows(generation, keys, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
      if (rows.ts.length === 0) continue;
      const of = { device: hot.device.no, family };
      if (advanceEnd(engine, hot.device, { of, rows })) yield* writeNew(engine, batch, { of, rows });
      else yield* sealFamily(engine, batch, { of, rows });
      updateSeries(batch, hot.device, rows);
      const points = countPoints(rows);
      batch.afterCommit(() => {
        generation.points = Math.max(0, generation.points - points);
      });
      engine.merges.note(of);
      if (batch.isFull) {
        batch.commit();
        yield;
      }
    }
    yield;
  }
  batch.commit();
  yield* engine.feeds.keepUnread(generation);
  if (generation.lastId > 0) engine.file.noteSealed(generation.lastId);
  engine.thaw(generation);
}

/** Stores the new end of a family. Returns whether the rows are newer than all of its blocks, which is the usual case. */
function advanceEnd(
  engine: StoreEngine,
  device: DeviceState,
  { of, rows }: { of: FamilyKey; rows: Rows },
): boolean {
  const end =
    device.sealedEnds[of.family] ??
    engine.blocks.directory.newestBefore(of, Number.POSITIVE_INFINITY)?.maxTs ??
    Number.NEGATIVE_INFINITY;
  device.sealedEnds[of.family] = Math.max(end, rows.ts[rows.ts.length - 1]!);
  return rows.ts[0]! > end;
}

/** Seals the rows of a family. Points inside an existing block rewrite it; points between and after blocks form new ones. */
function* sealFamily(
  engine: StoreEngine,
  batch: EditBatch,
  { of, rows }: { of: FamilyKey; rows: Rows },
): Steps<void> {
  const last = rows.ts[rows.ts.length - 1]!;
  let index = 0;
  while (index < rows.ts.length) {
    const [block] = engine.blocks.directory.overlapping(of, { from: rows.ts[index]!, to: last }, 1);
    const gapEnd = block === undefined ? rows.ts.length : Math.max(index, lowerBound(rows.ts, block.minTs));
    yield* writeNew(engine, batch, { of, rows: sliceRows(rows, index, gapEnd) });
    index = gapEnd;
    if (block === undefined) return;
    const end = upperBound(rows.ts, block.maxTs);
    if (end > index) yield* reopen(engine, batch, { of, block, rows: sliceRows(rows, index, end) });
    index = end;
    if (batch.isFull) batch.commit();
    yield;
  }
}

function* writeNew(
  engine: StoreEngine,
  batch: EditBatch,
  { of, rows }: { of: FamilyKey; rows: Rows },
): Steps<void> {
  if (rows.ts.length === 0) return;
  for (const chunk of chunksOf(rows, engine.options.blockRowsTarget)) {
    batch.edit({ ...of, remove: [], add: [yield* encodeBlock(chunk, "fast")] });
    if (batch.isFull) batch.commit();
    yield;
  }
}

function* reopen(
  engine: StoreEngine,
  batch: EditBatch,
  { of, block, rows }: { of: FamilyKey; block: BlockRef; rows: Rows },
): Steps<void> {
  const old = engine.blocks.loadForChange(block, engine.isBehind);
  // Only background tasks change blocks, one at a time, so the block still exists. A damaged block is set aside.
  const damaged = old === null || old === "gone";
  if (damaged) engine.blocks.quarantine(block);
  const merged = damaged ? rows : overlay(old, rows);
  const add = yield* encodeChunks(merged, engine.options.blockRowsTarget, "fast");
  batch.edit({ ...of, remove: damaged ? [] : [block], add });
}

/** Advances the newest sealed values after a sealing. */
function updateSeries(batch: EditBatch, device: DeviceState, rows: Rows): void {
  for (const [key, column] of rows.columns) {
    const series = device.series.get(key);
    const last = lastOf(rows.ts, column);
    if (series === undefined || last === null) continue;
    const newer = series.sealed === null || last.ts >= series.sealed.ts;
    if (newer || !series.persisted) {
      batch.series({ device: device.no, series, sealed: newer ? last : series.sealed });
    }
  }
}
