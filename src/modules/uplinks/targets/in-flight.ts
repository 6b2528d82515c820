export interface InFlightLimits {
  readonly inFlightMax: number;
  readonly signal: AbortSignal;
}

/** Sends items in order, many of them concurrently. Resolves when all are confirmed, and rejects with the first failure; then nothing more is sent. */
export function sendAll<Item>(
  items: Iterable<Item>,
  send: (item: Item) => Promise<unknown>,
  { inFlightMax, signal }: InFlightLimits,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const iterator = items[Symbol.iterator]();
  let inFlight = 0;
  let isOver = false;
  const end = (settle: () => void) => {
    isOver = true;
    signal.removeEventListener("abort", abort);
    settle();
  };
  const fail = (error: unknown) => {
    if (!isOver) end(() => reject(error));
  };
  const abort = () => fail(signal.reason);
  const confirmed = () => {
    inFlight--;
    fill();
  };
  function fill(): void {
    try {
      while (!isOver && inFlight < inFlightMax) {
        const next = iterator.next();
        if (next.done) {
          if (inFlight === 0) end(resolve);
          return;
        }
        inFlight++;
        send(next.value).then(confirmed, fail);
      }
    } catch (error) {
      fail(error);
    }
  }
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  fill();
  return promise;
}
