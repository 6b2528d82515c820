import type { Effort } from "./codec/number-codec.ts";
import { deletionTask, vacuumTask } from "./deletion-tasks.ts";
import { compactTask, mergeTask } from "./merge-task.ts";
import { sealTask } from "./seal-task.ts";
import type { SliceScheduler, Steps } from "./slice-scheduler.ts";
import type { StoreEngine } from "./store-engine.ts";

/** Background work that failed (a full disk, mostly) is tried again after this time. */
const retryMs = 5_000;
const tickMs = 5_000;
/** Each commit dirties about one page beside those of its data. */
const commitOverheadBytes = 4_096;
/** Hot points in multiples of `hotPointsMax` beyond which commits wait for the sealing. */
const backlogMax = 4;
/** A hot tier that fills faster than this leaves no time for packing tightly. */
const busyFillMs = 60_000;
/** How long one commit may be held up by that. */
const backlogWaitMs = 50;

/** Decides when to seal, merge and checkpoint, and runs it in the background. */
export class Maintenance {
  readonly #engine: StoreEngine;
  readonly #scheduler: SliceScheduler;
  readonly #failed: (error: unknown) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #sealing = false;
  #checkpointing = false;
  #walBytes = 0;
  #retryAtMs = 0;

  constructor(engine: StoreEngine, scheduler: SliceScheduler, failed: (error: unknown) => void) {
    this.#engine = engine;
    this.#scheduler = scheduler;
    this.#failed = failed;
    this.#timer = setInterval(() => this.#sealIfDue(), tickMs);
    for (const deletion of engine.interrupted) this.#run(deletionTask(engine, deletion));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Sealing that cannot keep up slows the commits down: acknowledgements are the back-pressure. */
  beforeCommit(): void {
    const { frozen, hot, options } = this.#engine;
    if ((frozen?.points ?? 0) + hot.points < options.hotPointsMax * backlogMax) return;
    const end = performance.now() + backlogWaitMs;
    while (performance.now() < end && this.#scheduler.runBackground());
  }

  afterCommit(bytes: number): void {
    this.#walBytes += bytes + commitOverheadBytes;
    if (this.#walBytes >= this.#engine.options.walBytesMax) this.#checkpoint();
    const { hot, options } = this.#engine;
    if (
      hot.points >= options.hotPointsMax ||
      hot.groups >= options.hotGroupsMax ||
      hot.bytes >= options.hotBytesMax
    ) {
      this.seal();
    }
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
    return this.#scheduler.background(compactAll(this.#engine));
  }

  #sealIfDue(): void {
    const { hot, frozen, options } = this.#engine;
    const aged = hot.groups > 0 && performance.now() - hot.openedAtMs >= options.bucketMs;
    // A frozen generation without a task is what a failed sealing has left.
    if (aged || frozen !== null) this.seal();
  }

  #checkpoint(): void {
    if (this.#checkpointing) return;
    this.#checkpointing = true;
    this.#walBytes = 0;
    this.#run(checkpointTask(this.#engine)).finally(() => {
      this.#checkpointing = false;
    });
  }

  async #run(steps: Steps<unknown>): Promise<void> {
    try {
      await this.#scheduler.background(steps);
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
