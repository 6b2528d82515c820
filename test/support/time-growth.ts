/** Milliseconds of the fastest of a few runs: what else the machine does only ever adds to one. */
function fastest(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const from = Bun.nanoseconds();
    run();
    best = Math.min(best, (Bun.nanoseconds() - from) / 1e6);
  }
  return best;
}

const MEASURABLE_MS = 2;
const ATTEMPTS = 6;
/** Four times the input: linear work takes 4 times as long, quadratic work 16 times. */
const FACTOR = 4;
const RATIO_MAX = 9;

/**
 * Whether the time of `work` grows faster than its input. Work that takes less than two milliseconds at its largest input cannot hold up
 * anything and counts as linear. A suspicion is measured again: only what shows it every time has it.
 */
export function growsFasterThanInput(work: (size: number) => () => unknown, sizeMax: number): boolean {
  const small = work(sizeMax / FACTOR);
  const large = work(sizeMax);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const time = fastest(large);
    if (time < MEASURABLE_MS || time / fastest(small) < RATIO_MAX) return false;
  }
  return true;
}
