import type { BlockRef } from "../blocks/block-directory.ts";
import type { BlockStore } from "../blocks/block-store.ts";
import type { HeadColumn } from "../codec/block-codec.ts";
import type { HotGeneration } from "../hot/hot-generation.ts";
import type { DeviceState } from "../registry.ts";
import { emptyRows, lowerBound, overlay, type Rows, sliceRows, upperBound } from "../rows.ts";
import type { Steps } from "../upkeep/slice-scheduler.ts";
import type { SeriesSink } from "./series-sink.ts";

/** Range to read; the keys belong to one family of the device. */
export interface FamilyRange {
  readonly device: DeviceState;
  readonly family: number;
  readonly keys: ReadonlySet<number>;
  readonly from: number;
  readonly to: number;
}

/** Directory entries per fetch. */
const PAGE_BLOCKS = 256;

/** Returns the hot points of a range; newer generations overwrite older ones. */
export function hotRows(generations: readonly HotGeneration[], range: FamilyRange): Rows {
  let rows: Rows = emptyRows;
  for (const generation of generations) {
    const device = generation.devices.get(range.device.no);
    if (device !== undefined) rows = overlay(rows, device.rows(generation, range.keys, range.from, range.to));
  }
  return rows;
}

/** Returns first and last timestamp of the family's data within the range; null if there is none. */
export function extentOf(
  blocks: BlockStore,
  range: FamilyRange,
  hot: Rows,
): { from: number; to: number } | null {
  const of = { device: range.device.no, family: range.family };
  const first = blocks.overlapping(of, range, 1)[0];
  const last = first === undefined ? null : blocks.newestBefore(of, range.to + 1);
  const from = Math.min(first?.minTs ?? Number.POSITIVE_INFINITY, hot.ts[0] ?? Number.POSITIVE_INFINITY);
  const to = Math.max(
    last?.maxTs ?? first?.maxTs ?? Number.NEGATIVE_INFINITY,
    hot.ts[hot.ts.length - 1] ?? Number.NEGATIVE_INFINITY,
  );
  return from > to ? null : { from: Math.max(from, range.from), to: Math.min(to, range.to) };
}

/**
 * Feeds all points of the range to the sinks (key number → sink) in time order, block by block. If the directory changes between two blocks, reading
 * continues after the last read timestamp.
 */
export class FamilyReader {
  readonly #blocks: BlockStore;
  readonly #range: FamilyRange;
  readonly #hot: Rows;
  readonly #sinks: ReadonlyMap<number, SeriesSink>;
  #hotAt = 0;
  /** All values up to and including this timestamp were fed. */
  #done = Number.NEGATIVE_INFINITY;

  constructor(
    blocks: BlockStore,
    range: FamilyRange,
    of: { hot: Rows; sinks: ReadonlyMap<number, SeriesSink> },
  ) {
    this.#blocks = blocks;
    this.#range = range;
    this.#hot = of.hot;
    this.#sinks = of.sinks;
  }

  *read(): Steps<void> {
    const of = { device: this.#range.device.no, family: this.#range.family };
    for (;;) {
      const from = Math.max(this.#range.from, this.#done);
      const page = this.#blocks.overlapping(of, { from, to: this.#range.to }, PAGE_BLOCKS);
      const changed = yield* this.#readPage(page, this.#blocks.changes);
      if (!changed && page.length < PAGE_BLOCKS) break;
    }
    this.#feedHot(this.#hot.ts.length);
  }

  /** Returns `true` if a block of the page was rewritten before it was read. */
  *#readPage(page: readonly BlockRef[], changes: number): Steps<boolean> {
    for (const ref of page) {
      // Its summary would be taken for one key, and the rows of another read once more from the block that holds them now.
      if (this.#blocks.changes !== changes) return true;
      if (ref.maxTs <= this.#done) continue;
      this.#feedHot(Math.max(this.#hotAt, lowerBound(this.#hot.ts, ref.minTs)));
      if (!this.#readBlock(ref)) return true;
      this.#done = ref.maxTs;
      yield;
    }
    return false;
  }

  #readBlock(ref: BlockRef): boolean {
    const hotEnd = Math.max(this.#hotAt, upperBound(this.#hot.ts, ref.maxTs));
    const isAlone = hotEnd === this.#hotAt && ref.minTs > this.#done;
    const keys = isAlone ? this.#takeSummaries(ref) : this.#range.keys;
    if (keys.size > 0) {
      const loaded = this.#blocks.lend(ref, keys);
      if (loaded === "gone") return false;
      const rows = loaded === null ? emptyRows : this.#clip(loaded);
      this.#feed(overlay(rows, sliceRows(this.#hot, this.#hotAt, hotEnd)));
    }
    this.#hotAt = hotEnd;
    return true;
  }

  /** Gives the sinks the summaries of the block or its pieces. Returns the keys whose sinks need points. */
  #takeSummaries(ref: BlockRef): ReadonlySet<number> {
    const head = this.#blocks.head(ref);
    const isWhole = ref.minTs >= this.#range.from && ref.maxTs <= this.#range.to;
    const rest = new Set<number>();
    for (const [key, sink] of this.#sinks) {
      const column: HeadColumn | undefined = head?.columns.get(key);
      if (column === undefined || column.summary.count === 0) continue;
      if (isWhole && sink.summary(column.summary)) continue;
      if (this.#takeParts(ref, key, sink)) continue;
      if (!isWhole || !this.#takePieces(ref, key, sink)) rest.add(key);
    }
    return rest;
  }

  /** Returns `false` if the block's column has no sums or runs usable by the sink. */
  #takeParts(ref: BlockRef, key: number, sink: SeriesSink): boolean {
    const sums = sink.sums && this.#blocks.sums(ref, key);
    if (sums) {
      sink.sums?.(sums, this.#range);
      return true;
    }
    const runs = sink.runs && this.#blocks.runs(ref, key);
    if (!runs) return false;
    sink.runs?.(runs, this.#range);
    return true;
  }

  /** Returns `false` if the block is not available in pieces. */
  #takePieces(ref: BlockRef, key: number, sink: SeriesSink): boolean {
    const pieces = this.#blocks.pieces(ref, key);
    if (pieces === null) return false;
    for (let piece = 0; piece < pieces.count; piece++) {
      if (sink.summary(pieces.summaryOf(piece))) continue;
      const { ts, column } = this.#blocks.lendPiece(pieces, piece);
      sink.rows(ts, column);
    }
    return true;
  }

  #clip(rows: Rows): Rows {
    const afterDone = upperBound(rows.ts, this.#done);
    const start = Math.max(afterDone, lowerBound(rows.ts, this.#range.from));
    return sliceRows(rows, start, Math.max(start, upperBound(rows.ts, this.#range.to)));
  }

  /** Feeds the hot rows before `end`, and marks them as done, because they may be sealed into a block before the directory is read again. */
  #feedHot(end: number): void {
    if (end <= this.#hotAt) return;
    this.#feed(sliceRows(this.#hot, this.#hotAt, end));
    this.#hotAt = end;
    this.#done = Math.max(this.#done, this.#hot.ts[end - 1] ?? Number.NEGATIVE_INFINITY);
  }

  #feed(rows: Rows): void {
    for (const [key, column] of rows.columns) this.#sinks.get(key)?.rows(rows.ts, column);
  }
}
