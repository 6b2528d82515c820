/** Max. ms of guarded work per round of the event loop. */
const SHARE_MS = 8;

/**
 * Spreads expensive work of many senders over rounds of the event loop: messages and requests that arrive together would otherwise be handled in a
 * single round, however long that takes. Waiting tasks continue in the order of arrival, one per round.
 */
export class FairShare {
  readonly #waiting: Array<() => void> = [];
  readonly #now: () => number;
  /** Time at which guarded work began in this round. */
  #startedAt: number | undefined;
  #isScheduled = false;

  /** @param now returns milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Begins a message or request. Returns undefined if there is time left in this round, else a promise that resolves when the work may begin. */
  enter(): Promise<void> | undefined {
    return this.#waiting.length === 0 ? this.pause() : this.next();
  }

  /** Works like `enter`, between the pieces of a task: started tasks continue before new tasks begin. */
  pause(): Promise<void> | undefined {
    this.#startedAt ??= this.#now();
    this.#schedule();
    return this.#now() - this.#startedAt > SHARE_MS ? this.next() : undefined;
  }

  /** Waits for a later round of the event loop in which no other waiting task continues. */
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

/** Shared by all expensive messages and requests. */
export const workShare = new FairShare();
