import type { Effort } from "../codec/packing.ts";
import { OWN_WORK } from "../request-tenant.ts";
import { BACKLOG_MAX, type StoreEngine } from "../store-engine.ts";
import { deletionTask, vacuumTask } from "./deletion-tasks.ts";
import { compactTask, mergeTask } from "./merging.ts";
import { sealTask } from "./sealing.ts";
import type { SliceScheduler, Steps } from "./slice-scheduler.ts";

/** Retry delay of failed background work (usually a full disk), in ms. */
const RETRY_MS = 5_000;
const TICK_MS = 5_000;
/** Min. hot points worth sealing early; fewer are read as fast as blocks. */
const SETTLED_POINTS_MIN = 20_000;
/** Max. growth of a settled hot tier. At a steady rate, it exceeds this for 50 times `settledMs`. */
const SETTLED_GROWTH_MAX = 1.02;
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
export class Upkeep {
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
    while (this.#engine.isBehind && performance.now() < end && this.#scheduler.runBackground()) {
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
