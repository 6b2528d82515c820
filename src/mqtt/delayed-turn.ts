import type { FairQueue, Turn } from "./fair-queue.ts";

/** Does something once, two iterations of the event loop from now. */
export class DelayedTurn implements Turn {
  readonly #fairQueue: FairQueue;
  readonly #work: () => void;
  #remaining = 2;

  constructor(fairQueue: FairQueue, work: () => void) {
    this.#fairQueue = fairQueue;
    this.#work = work;
    fairQueue.enqueue(this);
  }

  resume(): void {
    this.#remaining--;
    if (this.#remaining > 0) this.#fairQueue.enqueue(this);
    else this.#work();
  }

  stop(): void {
    this.#fairQueue.remove(this);
  }
}
