import { readFileSync } from "node:fs";

/** Nanoseconds that this thread has run (first field of schedstat): the time of other programs does not count. */
export const ranNs = (): number =>
  Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ", 1)[0]);

/** Measures the processor time of this thread between two turns of its event loop. Returns a function that reads the longest since the last call. */
export function watchLoop(): () => number {
  let longestMs = 0;
  let last = ranNs();
  const turn = (): void => {
    const now = ranNs();
    longestMs = Math.max(longestMs, (now - last) / 1e6);
    last = now;
    setTimeout(turn, 1);
  };
  turn();
  return () => {
    const longest = longestMs;
    longestMs = 0;
    return longest;
  };
}
