import type { Clock } from "../../platform/time/clock.ts";

/** Time that all connections together may take per turn of the event loop. */
const TURN_MS = 8;

/** Connection with more work than one turn allows. */
export interface Turn {
  resume(): void;
}

/**
 * Shares the event loop among connections. A connection with much expensive work (attributes, requests, commands) continues in the next turn, in the
 * order of interruption, so that other clients are served in between.
 */
export class ConnectionTurns {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Sorted by order of interruption. */
  readonly #waiting = new Set<Turn>();
  #startedAt = 0;
  #isRunning = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** True when this turn's time is used up: a connection with more work must stop and call `enqueue`. */
  get isTurnOver(): boolean {
    this.#begin();
    return this.#clock.monotonic() - this.#startedAt >= TURN_MS;
  }

  enqueue(worker: Turn): void {
    this.#waiting.add(worker);
    this.#begin();
  }

  remove(worker: Turn): void {
    this.#waiting.delete(worker);
  }

  #begin(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#startedAt = this.#clock.monotonic();
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isRunning = false;
    if (this.#waiting.size === 0) return;
    this.#begin();
    // At least one per turn, so that nobody waits forever.
    for (const worker of [...this.#waiting]) {
      this.#waiting.delete(worker);
      worker.resume();
      if (this.isTurnOver) return;
    }
  }
}
