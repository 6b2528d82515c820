import type { Clock } from "../platform/time/clock.ts";

/** Time that all connections together may take of one turn of the event loop. */
const TURN_MS = 8;

/** A connection with more to do than one turn allows. */
export interface Turn {
  resume(): void;
}

/**
 * Shares the event loop among connections: one that has sent much that is dear (attributes, requests, commands) goes on in the next
 * turn, in the order in which they stopped, and what one well-behaved client says is heard in between.
 */
export class ConnectionTurns {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Sorted in the order in which they stopped. */
  readonly #waiting = new Set<Turn>();
  #startedAt = 0;
  #isRunning = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Returns whether this turn has taken its time: whoever has more to do stops and asks for `later`. */
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
    // One at least, however short the turn: nobody waits for ever.
    for (const worker of [...this.#waiting]) {
      this.#waiting.delete(worker);
      worker.resume();
      if (this.isTurnOver) return;
    }
  }
}
