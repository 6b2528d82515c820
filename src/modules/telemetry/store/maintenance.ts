import type { Effort } from "./codec/packing.ts";
import { deletionTask, vacuumTask } from "./deletion-tasks.ts";
import { compactTask, mergeTask } from "./merge-task.ts";
import { OWN_WORK } from "./request-tenant.ts";
import { sealTask } from "./seal-task.ts";
import type { SliceScheduler, Steps } from "./slice-scheduler.ts";
import type { StoreEngine } from "./store-engine.ts";

/** Background work that failed (a full disk, mostly) is tried again after this time. */
const retryMs = 5_000;
const tickMs = 5_000;
/** Hot points in multiples of `hotPointsMax` beyond which commits wait for the sealing. */
const backlogMax = 4;
/** Commits that many devices may leave hot, in multiples of `hotGroupsMax`. */
const hotGroupsFactorMax = 5;
/** A hot tier that fills faster than this leaves no time for packing tightly. */
const busyFillMs = 60_000;
/** Time for which one commit may be held up by that: enough to seal what a large one brings. */
const backlogWaitMs = 200;
/** Time without commits after which a checkpoint is made. */
const idleMs = 100;
/** Time after which a checkpoint is tried again that a reader, such as a backup, has held up. */
const heldRetryMs = 60_000;

/** Decides when to seal, merge and checkpoint, and runs it in the background. */
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

  constructor(engine: StoreEngine, scheduler: SliceScheduler, failed: (error: unknown) => void) {
    this.#engine = engine;
    this.#scheduler = scheduler;
    this.#failed = failed;
    this.#timer = setInterval(() => {
      this.#sealIfDue();
      this.#retryCheckpoint();
    }, tickMs);
    for (const [id, deletion] of engine.deletions.entries()) this.#run(deletionTask(engine, deletion, id));
    if (engine.file.walBytes >= engine.options.walBytesMax) this.#checkpointWhenIdle();
  }

  stop(): void {
    clearInterval(this.#timer);
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
  }

  /** Sealing that cannot keep up slows the commits down: acknowledgements are the back-pressure. */
  beforeCommit(): void {
    const end = performance.now() + backlogWaitMs;
    while (this.#isBehind() && performance.now() < end && this.#scheduler.runBackground()) {
      this.#scheduler.runQuery();
    }
  }

  #hotPointsMax(): number {
    const { options, registry } = this.#engine;
    const wanted = registry.seriesCount * options.hotPointsPerSeries;
    return Math.max(options.hotPointsMax, Math.min(wanted, options.hotPointsMax * (backlogMax - 1)));
  }

  #hotGroupsMax(): number {
    const { options, registry } = this.#engine;
    const wanted = registry.devices.size * options.hotGroupsPerDevice;
    return Math.max(options.hotGroupsMax, Math.min(wanted, options.hotGroupsMax * hotGroupsFactorMax));
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
    return (frozen?.points ?? 0) + hot.points >= options.hotPointsMax * backlogMax;
  }

  afterCommit(): void {
    this.#lastCommitMs = performance.now();
    const { options, file } = this.#engine;
    if (this.#engine.walIsTooLarge) this.#checkpoint();
    else if (file.walBytes >= options.walBytesMax) this.#checkpointWhenIdle();
    if (this.#isFull()) this.seal();
  }

  /** Seals everything hot and merges what is due. One at a time: a call while one runs does nothing. */
  seal(): void {
    if (this.#sealing || performance.now() < this.#retryAtMs) return;
    this.#sealing = true;
    const { hot } = this.#engine;
    const busy = hot.groups > 0 && performance.now() - hot.openedAtMs < busyFillMs;
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
    // A frozen generation without a task is what a failed sealing has left.
    if (aged || frozen !== null) this.seal();
  }

  #checkpointWhenIdle(): void {
    this.#idleTimer ??= setTimeout(() => {
      this.#idleTimer = null;
      if (this.#engine.file.walBytes < this.#engine.options.walBytesMax) return;
      if (performance.now() - this.#lastCommitMs >= idleMs) this.#checkpoint();
      else this.#checkpointWhenIdle();
    }, idleMs);
  }

  #retryCheckpoint(): void {
    const { file, options } = this.#engine;
    if (file.heldBytes < options.walBytesMax || performance.now() < this.#heldRetryAtMs) return;
    this.#heldRetryAtMs = performance.now() + heldRetryMs;
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
      this.#retryAtMs = performance.now() + retryMs;
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
