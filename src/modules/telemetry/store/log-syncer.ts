import { workerUrl } from "../../../platform/assets.ts";
import type { HotLog } from "./hot-log.ts";
import type { SyncReply } from "./log-sync.worker.ts";

/** A sync that takes longer is slow: several of them side by side let more through. */
const SLOW_MS = 4;
/** So many slow ones in a row start the threads … */
const SLOW_IN_A_ROW = 8;
/** … and so many fast ones end them. */
const FAST_IN_A_ROW = 200;
const THREADS = 8;

/** Called when rows are on the disk, or with what kept them from it. */
type Done = (error: Error | null) => void;

interface Waiting {
  /** Newest row that is to be on the disk. */
  readonly id: number;
  readonly done: Done;
  /** Null while no sync that covers it has ended. */
  outcome: Error | "synced" | null;
}

interface SyncThread {
  readonly worker: Worker;
  /** What the sync at hand covers; empty while it is idle. */
  covered: readonly Waiting[];
  startedAtMs: number;
}

/**
 * Puts the hot log on the disk. A fast disk is synced in place. On a slow one syncs overlap: what is written while one runs
 * does not wait for its end, and goes to another thread. Those who wait are answered in the order in which they came.
 */
export class LogSyncer {
  readonly #log: HotLog;
  readonly #slowMs: number;
  readonly #waiting: Waiting[] = [];
  #threads: SyncThread[] = [];
  #inARow = 0;

  constructor(log: HotLog, { slowMs = SLOW_MS } = {}) {
    this.#log = log;
    this.#slowMs = slowMs;
  }

  /** Number of groups that may wait for the disk at once. */
  get lanes(): number {
    return Math.max(1, this.#threads.length);
  }

  /** Calls `done` when the rows up to this one are on the disk. */
  sync(id: number, done: Done): void {
    if (this.#threads.length === 0) {
      this.#syncHere(done);
      return;
    }
    this.#waiting.push({ id, done, outcome: null });
    this.#dispatch();
  }

  /** Calls `done` when all who wait have been answered. */
  after(done: () => void): void {
    if (this.#waiting.length === 0) done();
    else this.#waiting.push({ id: 0, done, outcome: "synced" });
  }

  /** Puts everything on the disk at once, and answers those who wait. @throws Error of the file system */
  flush(): void {
    try {
      this.#log.sync();
      this.#settle("synced");
    } catch (error) {
      this.#settle(error as Error); // of a system call
      throw error;
    }
  }

  stop(): void {
    for (const { worker } of this.#threads) worker.terminate();
    this.#threads = [];
    this.#inARow = 0;
  }

  #syncHere(done: Done): void {
    const startedAtMs = performance.now();
    try {
      this.#log.sync();
    } catch (error) {
      done(error as Error); // of a system call
      return;
    }
    this.#inARow = performance.now() - startedAtMs >= this.#slowMs ? this.#inARow + 1 : 0;
    if (this.#inARow >= SLOW_IN_A_ROW) this.#start();
    done(null);
  }

  #start(): void {
    this.#inARow = 0;
    this.#threads = Array.from({ length: THREADS }, () => {
      const worker = new Worker(workerUrl("src/modules/telemetry/store/log-sync.worker.ts"), { smol: true });
      const thread: SyncThread = { worker, covered: [], startedAtMs: 0 };
      worker.onmessage = ({ data }: MessageEvent<SyncReply>) => this.#ended(thread, data);
      return thread;
    });
  }

  /** Gives all who wait for a sync to an idle thread. */
  #dispatch(): void {
    const covered = this.#waiting.filter((waiting) => waiting.outcome === null && !this.#isCovered(waiting));
    const thread = this.#threads.find((candidate) => candidate.covered.length === 0);
    if (covered.length === 0 || thread === undefined) return;
    thread.covered = covered;
    thread.startedAtMs = performance.now();
    thread.worker.postMessage(this.#log.descriptor);
  }

  #isCovered(waiting: Waiting): boolean {
    return this.#threads.some(({ covered }) => covered.includes(waiting));
  }

  #ended(thread: SyncThread, { code, message }: SyncReply): void {
    const outcome = message === undefined ? "synced" : Object.assign(new Error(message), { code });
    // The system reports an error to one of those who sync a file, and it may be about what another one waits for.
    if (outcome === "synced") for (const waiting of thread.covered) waiting.outcome ??= outcome;
    else this.#settle(outcome);
    thread.covered = [];
    this.#inARow = performance.now() - thread.startedAtMs < this.#slowMs ? this.#inARow + 1 : 0;
    this.#answer();
    this.#dispatch();
    if (this.#inARow >= FAST_IN_A_ROW && this.#waiting.length === 0) this.stop();
  }

  #settle(outcome: Error | "synced"): void {
    for (const waiting of this.#waiting) waiting.outcome ??= outcome;
    this.#answer();
  }

  /** Answers those at the head of the queue whose sync has ended. */
  #answer(): void {
    for (
      let first = this.#waiting[0];
      first !== undefined && first.outcome !== null;
      first = this.#waiting[0]
    ) {
      this.#waiting.shift();
      if (first.outcome === "synced") this.#log.noteDurable(first.id);
      first.done(first.outcome === "synced" ? null : first.outcome);
    }
  }
}
