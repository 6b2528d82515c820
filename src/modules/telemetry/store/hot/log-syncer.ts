import { workerUrl } from "../../../../platform/process/assets.ts";
import type { HotLog } from "./hot-log.ts";
import type { SyncReply } from "./log-sync.worker.ts";

/** Duration in ms from which a sync is slow, so that simultaneous syncs increase the throughput. */
const SLOW_MS = 4;
/** Consecutive slow syncs that start threads. */
const SLOW_IN_A_ROW = 8;
/** Consecutive fast syncs that end threads. */
const FAST_IN_A_ROW = 200;
const THREADS = 16;

/** Error of a sync. The state of the disk is unknown afterwards, whatever the cause, so nothing more may be acknowledged. */
export class SyncFailed extends Error {
  readonly code: string | undefined;

  constructor({ code, message }: { readonly code?: string | undefined; readonly message: string }) {
    super(message);
    this.code = code;
  }
}

/** Called when rows are on disk, or with the error. */
type Done = (error: SyncFailed | null) => void;

interface Waiting {
  /** Newest row to be synced. */
  readonly id: number;
  readonly done: Done;
  /** Null until a sync that covers it has ended. */
  outcome: SyncFailed | "synced" | null;
}

interface SyncThread {
  readonly worker: Worker;
  /** Rows covered by the running sync; empty if the thread is idle. */
  covered: readonly Waiting[];
  startedAtMs: number;
}

/**
 * Syncs the hot log to disk. On a fast disk, in place. On a slow disk, syncs overlap on several threads, so that rows written during a sync do not
 * wait for its end. Callers are answered in order; after a failed sync, all fail.
 */
export class LogSyncer {
  readonly #log: HotLog;
  readonly #slowMs: number;
  readonly #waiting: Waiting[] = [];
  #threads: SyncThread[] = [];
  /** Thread being started. Threads start one at a time, because sixteen simultaneous starts would occupy all processors for a while. */
  #starting: Worker | null = null;
  #mayStartThreads = true;
  #inARow = 0;
  #failure: SyncFailed | null = null;

  constructor(log: HotLog, { slowMs = SLOW_MS } = {}) {
    this.#log = log;
    this.#slowMs = slowMs;
  }

  /** Called once, at the first failure, even if no caller waits. */
  onFailed: (error: SyncFailed) => void = () => undefined;

  /** Max. groups that may wait for the disk simultaneously. */
  get lanes(): number {
    return Math.max(1, this.#threads.length);
  }

  /** Calls `done` when the rows up to this one are on disk. */
  sync(id: number, done: Done): void {
    this.#waiting.push({ id, done, outcome: this.#failure });
    if (this.#failure !== null) this.#answer();
    else if (this.#threads.length > 0) this.#dispatch();
    else this.#syncHere();
  }

  /** Calls `done` when all waiting callers were answered. */
  after(done: () => void): void {
    this.#waiting.push({ id: 0, done, outcome: "synced" });
    this.#answer();
  }

  /** Syncs everything to disk immediately and answers waiting callers. @throws SyncFailed */
  flush(): void {
    this.#syncAll();
    if (this.#failure !== null) throw this.#failure;
  }

  stop(): void {
    for (const { worker } of this.#threads) worker.postMessage(null);
    this.#threads = [];
    this.#starting?.postMessage(null);
    this.#starting = null;
    this.#inARow = 0;
  }

  #syncHere(): void {
    const startedAtMs = performance.now();
    this.#syncAll();
    this.#inARow = performance.now() - startedAtMs >= this.#slowMs ? this.#inARow + 1 : 0;
    if (this.#inARow >= SLOW_IN_A_ROW && this.#mayStartThreads) this.#startThread();
  }

  #syncAll(): void {
    if (this.#failure !== null) return;
    try {
      this.#log.sync();
    } catch (error) {
      this.#fail(new SyncFailed(error as NodeJS.ErrnoException)); // of a system call
      return;
    }
    this.#settle("synced");
  }

  /** Starts one thread. Until the first thread is ready, syncs continue in place. */
  #startThread(): void {
    if (this.#starting !== null) return;
    try {
      const worker = new Worker(workerUrl("src/modules/telemetry/store/hot/log-sync.worker.ts"), {
        smol: true,
      });
      worker.onmessage = () => this.#started(worker);
      worker.onerror = () => this.#doWithoutThreads();
      this.#starting = worker;
    } catch {
      this.#doWithoutThreads();
    }
  }

  #started(worker: Worker): void {
    if (worker !== this.#starting) return;
    const thread: SyncThread = { worker, covered: [], startedAtMs: 0 };
    worker.onmessage = ({ data }: MessageEvent<SyncReply>) => this.#ended(thread, data);
    this.#threads.push(thread);
    this.#starting = null;
    this.#inARow = 0;
    if (this.#threads.length < THREADS) this.#startThread();
    this.#dispatch();
  }

  /** Ends all threads after a thread could not start or open the log. Later syncs run in place. */
  #doWithoutThreads(): void {
    this.#mayStartThreads = false;
    this.stop();
    this.#syncAll();
  }

  /** Passes all waiting rows to an idle thread. */
  #dispatch(): void {
    const covered = this.#waiting.filter((waiting) => waiting.outcome === null && !this.#isCovered(waiting));
    const thread = this.#threads.find((candidate) => candidate.covered.length === 0);
    const path = this.#log.newestPath;
    if (covered.length === 0 || thread === undefined || path === undefined) return;
    thread.covered = covered;
    thread.startedAtMs = performance.now();
    thread.worker.postMessage(path);
  }

  #isCovered(waiting: Waiting): boolean {
    return this.#threads.some(({ covered }) => covered.includes(waiting));
  }

  #ended(thread: SyncThread, { code, message, isNotOpened }: SyncReply): void {
    if (isNotOpened) {
      thread.covered = [];
      this.#doWithoutThreads();
      return;
    }
    if (message !== undefined) this.#fail(new SyncFailed({ code, message }));
    for (const waiting of thread.covered) waiting.outcome ??= "synced";
    thread.covered = [];
    this.#inARow = performance.now() - thread.startedAtMs < this.#slowMs ? this.#inARow + 1 : 0;
    this.#answer();
    this.#dispatch();
    if (this.#inARow >= FAST_IN_A_ROW && this.#waiting.length === 0) this.stop();
  }

  /** Fails all waiting callers, because the failure may affect rows of another sync. */
  #fail(error: SyncFailed): void {
    const isFirst = this.#failure === null;
    this.#failure ??= error;
    this.#settle(this.#failure);
    if (isFirst) this.onFailed(error);
  }

  #settle(outcome: SyncFailed | "synced"): void {
    for (const waiting of this.#waiting) waiting.outcome ??= outcome;
    this.#answer();
  }

  /** Answers callers at the head of the queue whose sync has ended. */
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
