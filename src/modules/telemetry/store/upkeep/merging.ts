import type { BlockRef, FamilyKey } from "../blocks/block-directory.ts";
import { EditBatch, encodeChunks } from "../blocks/block-writer.ts";
import { familiesOf } from "../blocks/series-families.ts";
import type { Effort } from "../codec/packing.ts";
import { concat, type Rows } from "../rows.ts";
import type { StoreEngine } from "../store-engine.ts";
import type { Steps } from "./slice-scheduler.ts";

/** Min. blocks of a merge; fewer gain too little for the bytes written. */
const MERGE_BLOCKS_MIN = 4;
const PAGE_BLOCKS = 256;
/** Max. rows that a merge holds in memory, in multiples of the block target. */
const MERGE_TARGETS = 4;

/** Merges small neighboring blocks of families that are due. */
export function* mergeTask(engine: StoreEngine, effort: Effort): Steps<void> {
  const merger = new Merger(engine, effort);
  for (const of of engine.merges.take()) {
    const refs = yield* directory(engine, of);
    for (const group of mergeGroups(refs, engine.options.blockRowsTarget)) yield* merger.merge(of, group);
  }
  merger.finish();
}

/** Merges all blocks below the full size, and packs every block as tightly as possible. */
export function* compactTask(engine: StoreEngine): Steps<void> {
  const merger = new Merger(engine, "thorough");
  for (const device of [...engine.registry.devices.values()]) {
    for (const family of familiesOf(device).keys()) {
      const of = { device: device.no, family };
      const refs = yield* directory(engine, of);
      for (const group of fullGroups(refs, engine.options.blockRowsTarget)) yield* merger.merge(of, group);
    }
  }
  merger.finish();
}

function* directory(engine: StoreEngine, of: FamilyKey): Steps<BlockRef[]> {
  const refs: BlockRef[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (;;) {
    const page = engine.blocks.directory.overlapping(of, { from, to: Number.POSITIVE_INFINITY }, PAGE_BLOCKS);
    for (const ref of page) if (ref.minTs > from || from === Number.NEGATIVE_INFINITY) refs.push(ref);
    const last = page[page.length - 1];
    if (last === undefined || page.length < PAGE_BLOCKS) return refs;
    from = last.maxTs;
    yield;
  }
}

/**
 * Returns groups of small neighbors, cut so that a block is only merged with at least half as much newer data; each row is then rewritten a
 * logarithmic number of times.
 */
function mergeGroups(refs: readonly BlockRef[], target: number): BlockRef[][] {
  const groups: BlockRef[][] = [];
  let group: BlockRef[] = [];
  let rows = 0;
  const close = () => {
    if (group.length >= MERGE_BLOCKS_MIN) groups.push(group.reverse());
    group = [];
    rows = 0;
  };
  for (const ref of [...refs].reverse()) {
    const joins = ref.rows < target / 2 && (group.length === 0 || ref.rows <= rows * 2);
    if (!joins || rows + ref.rows > target * MERGE_TARGETS) close();
    if (ref.rows >= target / 2) continue;
    group.push(ref);
    rows += ref.rows;
  }
  close();
  return groups;
}

/** Returns groups of consecutive blocks that fill some whole blocks. */
function fullGroups(refs: readonly BlockRef[], target: number): BlockRef[][] {
  const groups: BlockRef[][] = [];
  let group: BlockRef[] = [];
  let rows = 0;
  for (const ref of refs) {
    if (rows + ref.rows > target * MERGE_TARGETS && group.length > 0) {
      groups.push(group);
      group = [];
      rows = 0;
    }
    group.push(ref);
    rows += ref.rows;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

class Merger {
  readonly #engine: StoreEngine;
  readonly #effort: Effort;
  readonly #batch: EditBatch;

  constructor(engine: StoreEngine, effort: Effort) {
    this.#engine = engine;
    this.#effort = effort;
    this.#batch = new EditBatch(engine);
  }

  *merge(of: FamilyKey, refs: readonly BlockRef[]): Steps<void> {
    if (refs.length === 1 && this.#engine.blocks.head(refs[0]!)?.effort === this.#effort) return;
    const parts: Rows[] = [];
    const remove: BlockRef[] = [];
    for (const ref of refs) {
      const rows = this.#engine.blocks.load(ref);
      yield;
      // A damaged block stays where it is; the blocks after it form a group later.
      if (rows === null || rows === "gone") break;
      parts.push(rows);
      remove.push(ref);
    }
    if (parts.length === 0) return;
    const add = yield* encodeChunks(concat(parts), this.#engine.options.blockRowsTarget, this.#effort);
    this.#batch.edit({ ...of, remove, add });
    if (this.#batch.isFull) this.#batch.commit();
    yield;
  }

  finish(): void {
    this.#batch.commit();
  }
}
