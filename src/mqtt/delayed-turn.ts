import type { FairQueue, Turn } from "./fair-queue.ts";

/** Does something once, two turns of the event loop from now. */
export class DelayedTurn implements Turn {
  readonly #fairQueue: FairQueue;
  readonly #work: () => void;
  #turns = 2;

  constructor(fairQueue: FairQueue, work: () => void) {
    this.#fairQueue = fairQueue;
    this.#work = work;
    fairQueue.enqueue(this);
  }

  resume(): void {
    this.#turns--;
    if (this.#turns > 0) this.#fairQueue.enqueue(this);
    else this.#work();
  }

  stop(): void {
    this.#fairQueue.remove(this);
  }
}
