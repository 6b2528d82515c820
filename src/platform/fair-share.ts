/** Time that guarded work may take of one round of the event loop. */
const SHARE_MS = 8;

/**
 * Divides dear work of many senders among rounds of the event loop: messages and requests that arrive together would otherwise be handled in one
 * round, however long that takes. Those that wait go on in the order in which they came, one each round.
 */
export class FairShare {
  readonly #waiting: Array<() => void> = [];
  readonly #now: () => number;
  /** Start of guarded work in this round. */
  #startedAt: number | undefined;
  #isScheduled = false;

  /** @param now returns milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Begins with a message or request: undefined if there is time left in this round, else a promise that resolves when it may begin. */
  enter(): Promise<void> | undefined {
    return this.#waiting.length === 0 ? this.pause() : this.next();
  }

  /** Works like `enter` between the pieces of one task, which goes on before those that have not begun. */
  pause(): Promise<void> | undefined {
    this.#startedAt ??= this.#now();
    this.#schedule();
    return this.#now() - this.#startedAt > SHARE_MS ? this.next() : undefined;
  }

  /** Waits for a later round of the event loop, in which no other task goes on. */
  next(): Promise<void> {
    this.#schedule();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const next = this.#waiting.shift();
      this.#startedAt = next === undefined ? undefined : this.#now();
      if (next === undefined) return;
      this.#schedule();
      next();
    });
  }
}

/** The share of all messages and requests that have much to do. */
export const workShare = new FairShare();
