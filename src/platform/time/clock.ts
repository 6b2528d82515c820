/** Wall time for stamps, monotonic time for deadlines: a gateway without a clock battery boots in the past. */
export interface Clock {
  /** Epoch milliseconds; may jump. */
  now(): number;
  /** Milliseconds since an arbitrary start; never jumps. */
  monotonic(): number;
  /** Calls back once after `ms` of monotonic time; the returned function cancels. */
  schedule(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Epoch ms that start at the wall clock's time, or another one, and then only run forward with monotonic time: sessions and codes neither
 * end nor live longer because somebody (or a time server) set the clock.
 */
export function createSteadyNow(
  clock: Pick<Clock, "now" | "monotonic">,
  startMs: number = clock.now(),
): () => number {
  const monotonicStart = clock.monotonic();
  return () => startMs + Math.floor(clock.monotonic() - monotonicStart);
}
