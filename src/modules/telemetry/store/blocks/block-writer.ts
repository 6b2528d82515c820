import { TAG_ABSENT, TAG_STRING } from "../../../../lib/data/value-kind.ts";
import { type EncodedBlock, encodeBlock } from "../codec/block-codec.ts";
import type { Effort } from "../codec/packing.ts";
import type { SealedValue, SeriesState } from "../registry.ts";
import { type Column, type Rows, sliceRows } from "../rows.ts";
import type { StoreEngine } from "../store-engine.ts";
import type { Steps } from "../upkeep/slice-scheduler.ts";
import type { BlockEdit } from "./block-store.ts";

/** Max. characters of strings in one block, so that every block fits into memory. */
const BLOCK_TEXT_MAX = 2 * 1024 * 1024;
/** Approximate values per transaction of background work, which take some milliseconds. */
const BATCH_POINTS_MAX = 32_768;
const BATCH_EDITS_MAX = 256;

interface SeriesUpdate {
  readonly device: number;
  readonly series: SeriesState;
  /** Newest sealed value; null deletes the series' row. */
  readonly sealed: SealedValue | null;
}

/** Collects changes to blocks and series rows, and commits them in transactions of bounded size. */
export class EditBatch {
  readonly #engine: StoreEngine;
  readonly #onCommit: (() => void)[] = [];
  #edits: BlockEdit[] = [];
  #updates: SeriesUpdate[] = [];
  #points = 0;

  constructor(engine: StoreEngine) {
    this.#engine = engine;
  }

  edit(edit: BlockEdit): void {
    this.#edits.push(edit);
    for (const { points } of edit.add) this.#points += points;
  }

  series(update: SeriesUpdate): void {
    this.#updates.push(update);
  }

  /** Runs `action` once the changes so far are committed. */
  afterCommit(action: () => void): void {
    this.#onCommit.push(action);
  }

  get isFull(): boolean {
    return this.#points >= BATCH_POINTS_MAX || this.#edits.length + this.#updates.length >= BATCH_EDITS_MAX;
  }

  commit(): void {
    const { blocks, file } = this.#engine;
    if (this.#edits.length > 0 || this.#updates.length > 0) {
      file.transactLazily(() => {
        for (const edit of this.#edits) blocks.apply(edit);
        for (const { device, series, sealed } of this.#updates) file.writeSeries(device, series, sealed);
      });
    }
    for (const edit of this.#edits) blocks.commitTotals(edit);
    for (const { series, sealed } of this.#updates) {
      series.sealed = sealed;
      series.persisted = sealed !== null;
    }
    for (const action of this.#onCommit.splice(0)) action();
    this.#edits = [];
    this.#updates = [];
    this.#points = 0;
    if (this.#engine.walIsTooLarge) file.checkpoint();
  }
}

/** Encodes blocks of about `target` rows each, none much smaller than the others. */
export function* encodeChunks(rows: Rows, target: number, effort: Effort): Steps<EncodedBlock[]> {
  const blocks: EncodedBlock[] = [];
  for (const chunk of chunksOf(rows, target)) blocks.push(yield* encodeBlock(chunk, effort));
  return blocks;
}

export function* chunksOf(rows: Rows, target: number): Generator<Rows> {
  const chunks = Math.max(1, Math.round(rows.ts.length / target));
  for (let chunk = 0; chunk < chunks; chunk++) {
    const start = Math.floor((rows.ts.length * chunk) / chunks);
    const end = Math.floor((rows.ts.length * (chunk + 1)) / chunks);
    yield* boundedChunks(sliceRows(rows, start, end));
  }
}

/** Halves chunks with too much text. */
function* boundedChunks(rows: Rows): Generator<Rows> {
  if (rows.ts.length === 0) return;
  if (rows.ts.length > 1 && textLength(rows) > BLOCK_TEXT_MAX) {
    const middle = rows.ts.length >>> 1;
    yield* boundedChunks(sliceRows(rows, 0, middle));
    yield* boundedChunks(sliceRows(rows, middle, rows.ts.length));
  } else yield rows;
}

/** Returns the total length of the strings, in characters. */
export function textLength(rows: Rows): number {
  let length = 0;
  for (const { texts } of rows.columns.values()) {
    for (const text of texts ?? []) length += text?.length ?? 0;
  }
  return length;
}

export function lastOf(ts: Float64Array, column: Column): SealedValue | null {
  for (let row = ts.length - 1; row >= 0; row--) {
    const tag = column.tags[row]!;
    if (tag === TAG_ABSENT) continue;
    const text = tag >= TAG_STRING ? column.texts?.[row] : undefined;
    return { ts: ts[row]!, tag, number: column.numbers[row]!, text };
  }
  return null;
}
