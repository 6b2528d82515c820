import type { Clock } from "./clock.ts";
import type { Logger } from "./log.ts";
import { ProgramPages } from "./program-pages.ts";

/** The gateway is idle while all of its threads together need less than this share of one processor. */
const IDLE_SHARE_MAX = 0.05;
/** Interval until the first release, so that what the start leaves behind goes soon. */
const FIRST_CHECK_INTERVAL_MS = 500;
const CHECK_INTERVAL_MS = 3_000;
/** Interval at which the memory of the program itself is released, which takes a few milliseconds; used pages are back immediately. */
const IDLE_RELEASE_MS = 60_000;
const BUSY_RELEASE_MS = 600_000;
/** A gateway that is never idle releases what its start needed after this time. */
const FIRST_BUSY_RELEASE_MS = 15_000;
/** Wait between the two steps: freeing heap uses pages of the program, which are released afterwards. */
const SHRINK_MS = 250;
/** Processor time after which there is something to free in the heap again. */
const WORK_MS_MIN = 5_000;
/** Shrinking collects the whole heap, and a larger one holds the event loop for too long. */
const HEAP_BYTES_MAX = 64 << 20;

/** What the process uses, and how it gives memory back. */
export interface ProcessMemory {
  /** Processor time of all threads since the start, in ms. */
  processorMs(): number;
  heapBytes(): number;
  /** Frees compiled functions and empty blocks of the heap; both come back with their next use. */
  shrinkHeap(): void;
  releaseProgram(): void;
}

function createProcessMemory(): ProcessMemory {
  let pages: ProgramPages | undefined;
  return {
    processorMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    heapBytes: () => process.memoryUsage().heapUsed,
    shrinkHeap: () => Bun.shrink(),
    releaseProgram() {
      pages ??= new ProgramPages();
      pages.release();
    },
  };
}

/** Gives memory back while the gateway is idle: what only the start needed, and later what work has left behind. A busy one keeps its heap. */
export class IdleMemory {
  readonly name = "idle memory";
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #memory: ProcessMemory;
  #cancel: () => void = () => undefined;
  #checkIntervalMs = FIRST_CHECK_INTERVAL_MS;
  /** Processor time at which the heap was shrunk last; none before the first time. */
  #shrunkAtMs: number | undefined;
  /** Monotonic time of the last release. */
  #releasedAtMs = 0;

  constructor(deps: { clock: Clock; log: Logger; memory?: ProcessMemory }) {
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#memory = deps.memory ?? createProcessMemory();
  }

  start(): void {
    if (process.platform !== "linux") return;
    this.#releasedAtMs = this.#clock.monotonic() + FIRST_BUSY_RELEASE_MS - BUSY_RELEASE_MS;
    this.#scheduleCheck();
  }

  stop(): void {
    this.#cancel();
  }

  #scheduleCheck(): void {
    const [checkedAtMs, processorMs] = [this.#clock.monotonic(), this.#memory.processorMs()];
    this.#cancel = this.#clock.schedule(this.#checkIntervalMs, () => {
      const nowMs = this.#clock.monotonic();
      const isIdle = this.#memory.processorMs() - processorMs < IDLE_SHARE_MAX * (nowMs - checkedAtMs);
      const releaseMs = isIdle ? IDLE_RELEASE_MS : BUSY_RELEASE_MS;
      if (isIdle && this.#hasWorked()) this.#shrink();
      else if (nowMs - this.#releasedAtMs >= releaseMs) this.#release();
      else this.#scheduleCheck();
    });
  }

  #hasWorked(): boolean {
    return this.#shrunkAtMs === undefined || this.#memory.processorMs() - this.#shrunkAtMs >= WORK_MS_MIN;
  }

  #shrink(): void {
    this.#shrunkAtMs = this.#memory.processorMs();
    if (this.#memory.heapBytes() <= HEAP_BYTES_MAX) this.#memory.shrinkHeap();
    this.#cancel = this.#clock.schedule(SHRINK_MS, () => this.#release());
  }

  #release(): void {
    try {
      this.#memory.releaseProgram();
    } catch (error) {
      // Nothing depends on it. The system has no such /proc, or this process may not read it.
      this.#log.debug("pages of the program stay in memory", { error });
      return;
    }
    this.#releasedAtMs = this.#clock.monotonic();
    this.#checkIntervalMs = CHECK_INTERVAL_MS;
    this.#scheduleCheck();
  }
}
