/** Time that guarded work may take of one turn of the event loop. */
const SHARE_MS = 8;

/**
 * Divides dear work of many senders among turns of the event loop: messages that arrive together would otherwise be handled in one turn,
 * however long that takes. Those that wait go on in the order in which they came, one each turn.
 */
export class TurnShare {
  readonly #waiting: Array<() => void> = [];
  readonly #now: () => number;
  /** Start of guarded work in this turn. */
  #startedAt: number | undefined;
  #isScheduled = false;

  /** @param now returns milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Begins with a message: undefined if there is time left in this turn, else a promise that resolves when it is the message's turn. */
  enter(): Promise<void> | undefined {
    return this.#waiting.length === 0 ? this.pause() : this.#wait();
  }

  /** Works like `enter` between the pieces of a message, which goes on before those that have not begun. */
  pause(): Promise<void> | undefined {
    this.#startedAt ??= this.#now();
    this.#schedule();
    return this.#now() - this.#startedAt > SHARE_MS ? this.#wait() : undefined;
  }

  #wait(): Promise<void> {
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

/** The share of messages and requests that have much to do. */
export const workTurns = new TurnShare();
