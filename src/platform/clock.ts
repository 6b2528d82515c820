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
