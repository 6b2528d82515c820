import type { ConnectionTurns, Turn } from "./connection-turns.ts";

/** Does something once, two iterations of the event loop from now. */
export class DelayedTurn implements Turn {
  readonly #connectionTurns: ConnectionTurns;
  readonly #work: () => void;
  #remaining = 2;

  constructor(connectionTurns: ConnectionTurns, work: () => void) {
    this.#connectionTurns = connectionTurns;
    this.#work = work;
    connectionTurns.enqueue(this);
  }

  resume(): void {
    this.#remaining--;
    if (this.#remaining > 0) this.#connectionTurns.enqueue(this);
    else this.#work();
  }

  stop(): void {
    this.#connectionTurns.remove(this);
  }
}
