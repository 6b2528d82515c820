/**
 * Milliseconds of processor time of a run. What other programs do meanwhile does not count, what other threads of this one do only adds. The
 * kernel keeps the time of a single thread (`threadCpuUsage`) in steps of some milliseconds, which is too coarse.
 */
function processorMs(run: () => unknown): number {
  const from = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

const MEASURABLE_MS = 5;
/** Enough for the fastest run of each size to be an undisturbed one. */
const ROUNDS = 5;
/** A suspicion is measured on: only what still shows it has it. */
const ROUNDS_MAX = 60;
/** Four times the input: linear work takes 4 times as long, quadratic work 16 times. */
const FACTOR = 4;
const RATIO_MAX = 8;

/**
 * Whether the time of `work` grows faster than its input. Runs with small and with large inputs take turns, and the fastest of each size are
 * compared. Work that takes less than five milliseconds at its largest input cannot hold up anything and counts as linear: below that, what
 * the caches hold decides the ratio.
 */
export function growsFasterThanInput(work: (size: number) => () => unknown, sizeMax: number): boolean {
  const small = work(sizeMax / FACTOR);
  const large = work(sizeMax);
  let smallMs = Number.POSITIVE_INFINITY;
  let largeMs = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    smallMs = Math.min(smallMs, processorMs(small));
    largeMs = Math.min(largeMs, processorMs(large));
    if (largeMs < MEASURABLE_MS) return false;
    if (round >= ROUNDS && largeMs / smallMs < RATIO_MAX) return false;
  }
  return true;
}
