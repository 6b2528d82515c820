import type { BlockRef, FamilyKey } from "../blocks/block-directory.ts";
import { chunksOf, EditBatch, encodeChunks, lastOf } from "../blocks/block-writer.ts";
import { familiesOf } from "../blocks/series-families.ts";
import { encodeBlock } from "../codec/block-codec.ts";
import type { Effort } from "../codec/packing.ts";
import type { DeviceState } from "../registry.ts";
import { OWN_WORK } from "../request-tenant.ts";
import { concat, countPoints, lowerBound, overlay, type Rows, sliceRows, upperBound } from "../rows.ts";
import type { StoreEngine } from "../store-engine.ts";
import { deletionTask, finishDeletions, vacuumTask } from "./deletion-tasks.ts";
import type { SliceScheduler, Steps } from "./slice-scheduler.ts";

/** Min. blocks of a merge; fewer gain too little for the bytes written. */
const MERGE_BLOCKS_MIN = 4;
const PAGE_BLOCKS = 256;
/** Max. rows that a merge holds in memory, in multiples of the block target. */
const MERGE_TARGETS = 4;

/** Merges small neighbouring blocks of families that are due. */
function* mergeTask(engine: StoreEngine, effort: Effort): Steps<void> {
  const merger = new Merger(engine, effort);
  for (const of of engine.merges.take()) {
    const refs = yield* directory(engine, of);
    for (const group of mergeGroups(refs, engine.options.blockRowsTarget)) yield* merger.merge(of, group);
  }
  merger.finish();
}

/** Merges all blocks below the full size, and packs every block as tightly as possible. */
function* compactTask(engine: StoreEngine): Steps<void> {
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
 * Returns groups of small neighbours, cut so that a block is only merged with at least half as much newer data; each row is then rewritten a
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
      if (isBehind(engine, hot.device, { of, rows })) yield* writeNew(engine, batch, { of, rows });
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

/** Returns whether the rows are newer than all blocks of the family, which is the usual case; stores the new end of the family. */
function isBehind(
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
  const old = engine.blocks.load(block);
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

/** Retry delay of failed background work (usually a full disk), in ms. */
const RETRY_MS = 5_000;
const TICK_MS = 5_000;
/** Min. hot points worth sealing early; fewer are read as fast as blocks. */
const SETTLED_POINTS_MIN = 20_000;
/** Max. growth of a settled hot tier. At a steady rate, it exceeds this for 50 times `settledMs`. */
const SETTLED_GROWTH_MAX = 1.02;
/** Hot points, in multiples of `hotPointsMax`, beyond which commits wait for the sealing. */
const BACKLOG_MAX = 4;
/** Max. commits that many devices may keep hot, in multiples of `hotGroupsMax`. */
const HOT_GROUPS_FACTOR_MAX = 5;
/** Fill time of the hot tier in ms below which there is no time for tight packing. */
const BUSY_FILL_MS = 60_000;
/** Max. wait of one commit for the sealing, in ms; enough to seal the content of a large commit. */
const BACKLOG_WAIT_MS = 200;
/** Time without commits after which a checkpoint starts, in ms. */
const IDLE_MS = 100;
/** Retry delay of a checkpoint that a reader, such as a backup, has blocked, in ms. */
const HELD_RETRY_MS = 60_000;

/** Decides when to seal, merge and checkpoint, and does so in the background. */
export class Maintenance {
  readonly #engine: StoreEngine;
  readonly #scheduler: SliceScheduler;
  readonly #failed: (error: unknown) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #sealing = false;
  #checkpointing = false;
  #lastCommitMs = 0;
  #idleTimer: ReturnType<typeof setTimeout> | null = null;
  #retryAtMs = 0;
  #heldRetryAtMs = 0;
  /** Hot points at the last growth or shrinkage of the hot tier, and its time. */
  #settled = { points: 0, sinceMs: 0 };

  constructor(engine: StoreEngine, scheduler: SliceScheduler, failed: (error: unknown) => void) {
    this.#engine = engine;
    this.#scheduler = scheduler;
    this.#failed = failed;
    this.#timer = setInterval(() => {
      this.#sealIfDue();
      this.#retryCheckpoint();
    }, TICK_MS);
    for (const [id, deletion] of engine.deletions.entries()) this.#run(deletionTask(engine, deletion, id));
    if (engine.file.walBytes >= engine.options.walBytesMax) this.#checkpointWhenIdle();
  }

  stop(): void {
    clearInterval(this.#timer);
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
  }

  /** Slows commits down if sealing cannot keep up; delayed acknowledgements are the back-pressure. */
  beforeCommit(): void {
    const end = performance.now() + BACKLOG_WAIT_MS;
    while (this.#isBehind() && performance.now() < end && this.#scheduler.runBackground()) {
      this.#scheduler.runQuery();
    }
  }

  #hotPointsMax(): number {
    const { options, registry } = this.#engine;
    const wanted = registry.seriesCount * options.hotPointsPerSeries;
    return Math.max(options.hotPointsMax, Math.min(wanted, options.hotPointsMax * (BACKLOG_MAX - 1)));
  }

  #hotGroupsMax(): number {
    const { options, registry } = this.#engine;
    const wanted = registry.devices.size * options.hotGroupsPerDevice;
    return Math.max(options.hotGroupsMax, Math.min(wanted, options.hotGroupsMax * HOT_GROUPS_FACTOR_MAX));
  }

  #isFull(): boolean {
    const { hot, options } = this.#engine;
    return (
      hot.points >= this.#hotPointsMax() ||
      hot.groups >= this.#hotGroupsMax() ||
      hot.bytes >= options.hotBytesMax
    );
  }

  #isBehind(): boolean {
    const { frozen, hot, options } = this.#engine;
    return (frozen?.points ?? 0) + hot.points >= options.hotPointsMax * BACKLOG_MAX;
  }

  afterCommit(): void {
    this.#lastCommitMs = performance.now();
    const { options, file } = this.#engine;
    if (this.#engine.walIsTooLarge) this.#checkpoint();
    else if (file.walBytes >= options.walBytesMax) this.#checkpointWhenIdle();
    if (this.#isFull()) this.seal();
  }

  /** Seals all hot points and merges due families. Does nothing if already running. */
  seal(): void {
    if (this.#sealing || performance.now() < this.#retryAtMs) return;
    this.#sealing = true;
    const { hot } = this.#engine;
    const busy = hot.groups > 0 && performance.now() - hot.openedAtMs < BUSY_FILL_MS;
    this.#run(sealAndMerge(this.#engine, busy ? "fast" : "thorough")).finally(() => {
      this.#sealing = false;
    });
  }

  compact(): Promise<void> {
    return this.#scheduler.background(OWN_WORK, compactAll(this.#engine));
  }

  #sealIfDue(): void {
    const { hot, frozen, options } = this.#engine;
    const aged = hot.groups > 0 && performance.now() - hot.openedAtMs >= options.bucketMs;
    // A frozen generation without a task remains from a failed sealing.
    if (aged || this.#hasSettled() || frozen !== null) this.seal();
  }

  #hasSettled(): boolean {
    const { hot, options } = this.#engine;
    const { points } = this.#settled;
    if (hot.points < points || hot.points > points * SETTLED_GROWTH_MAX)
      this.#settled = { points: hot.points, sinceMs: performance.now() };
    return hot.points >= SETTLED_POINTS_MIN && performance.now() - this.#settled.sinceMs >= options.settledMs;
  }

  #checkpointWhenIdle(): void {
    this.#idleTimer ??= setTimeout(() => {
      this.#idleTimer = null;
      if (this.#engine.file.walBytes < this.#engine.options.walBytesMax) return;
      if (performance.now() - this.#lastCommitMs >= IDLE_MS) this.#checkpoint();
      else this.#checkpointWhenIdle();
    }, IDLE_MS);
  }

  #retryCheckpoint(): void {
    const { file, options } = this.#engine;
    if (file.heldBytes < options.walBytesMax || performance.now() < this.#heldRetryAtMs) return;
    this.#heldRetryAtMs = performance.now() + HELD_RETRY_MS;
    this.#checkpoint();
  }

  #checkpoint(): void {
    if (this.#checkpointing) return;
    this.#checkpointing = true;
    this.#run(checkpointTask(this.#engine)).finally(() => {
      this.#checkpointing = false;
    });
  }

  async #run(steps: Steps<unknown>): Promise<void> {
    try {
      await this.#scheduler.background(OWN_WORK, steps);
    } catch (error) {
      this.#retryAtMs = performance.now() + RETRY_MS;
      this.#failed(error);
    }
  }
}

function* sealAndMerge(engine: StoreEngine, effort: Effort): Steps<void> {
  yield* sealTask(engine);
  yield* mergeTask(engine, effort);
}

function* compactAll(engine: StoreEngine): Steps<void> {
  if (engine.frozen !== null) yield* sealTask(engine);
  yield* sealTask(engine);
  yield* compactTask(engine);
  yield* vacuumTask(engine);
}

// biome-ignore lint/correctness/useYield: one step, run as a task so that it waits its turn.
function* checkpointTask(engine: StoreEngine): Steps<void> {
  engine.file.checkpoint();
}
