/** Work after which others have their turn. */
const TURN_MS = 5;

/** Long tasks that wait for their turn. */
const waiting: Array<() => void> = [];

/** Lets one task go on in each turn of the event loop, so that ten tasks together hold it up no longer than one does. */
function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/** Waits for a turn of the event loop in which no other long task goes on. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });

/** Divides long work on the main thread, so that it never holds up the event loop. */
export class Turns {
  #began = performance.now();

  /** Call it between two small parts of the work: it waits for a turn of the event loop if the work has taken some milliseconds. */
  async pass(): Promise<void> {
    if (performance.now() - this.#began < TURN_MS) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
