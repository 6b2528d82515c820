const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** Doubling delay with full jitter in its upper half, so that many consoles do not come back in the same instant. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.round(ceiling / 2 + random() * (ceiling / 2));
}
