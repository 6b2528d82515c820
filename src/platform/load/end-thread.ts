declare const self: Worker;

/**
 * Asks a thread to end when it waits for messages the next time. `terminate` would hold the calling thread, too, for as long as a silent disk holds
 * the other one: the engine interrupts the code of a thread by signals, which a call of the system that waits for a disk does not take.
 */
export const endThread = (worker: Worker | undefined): void => worker?.postMessage(null);

/** Lets `endThread` end this thread. For workers, before they listen to anything else. */
export function endOnRequest(): void {
  self.addEventListener("message", (event) => {
    if (event.data === null) process.exit(0);
  });
}
