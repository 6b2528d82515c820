/** Wall time for stamps, and monotonic time for deadlines, because a gateway without a clock battery boots in the past. */
export interface Clock {
  /** Epoch milliseconds; may jump. */
  now(): number;
  /** Milliseconds since an arbitrary start; never jumps. */
  monotonic(): number;
  /** Calls back once after `ms` of monotonic time. The returned function cancels it. */
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
 * Returns epoch ms that start at the wall time, or another time, and then advance only with monotonic time, so that a change of the clock neither
 * shortens nor extends sessions and codes.
 */
export function createMonotonicNow(
  clock: Pick<Clock, "now" | "monotonic">,
  startMs: number = clock.now(),
): () => number {
  const monotonicStart = clock.monotonic();
  return () => startMs + Math.floor(clock.monotonic() - monotonicStart);
}
