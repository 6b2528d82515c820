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
/** How much larger the large input is. Linear work takes as long for it as for as many small ones; quadratic work as many times longer. */
const FACTOR = 4;
const RATIO_MAX = 2;

/**
 * Whether the time of `work` grows faster than its input. The large input is compared with as many small ones as make up its length, so that both
 * take long enough to be measured and allocate the same. They take turns, and the fastest runs count. Work that takes less than five milliseconds at
 * its largest input cannot hold up anything and counts as linear: below that, what the caches hold decides the ratio.
 */
export function growsFasterThanInput(work: (size: number) => () => unknown, sizeMax: number): boolean {
  const small = work(sizeMax / FACTOR);
  const large = work(sizeMax);
  const severalSmall = () => {
    for (let count = 0; count < FACTOR; count++) small();
  };
  let smallMs = Number.POSITIVE_INFINITY;
  let largeMs = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    smallMs = Math.min(smallMs, processorMs(severalSmall));
    largeMs = Math.min(largeMs, processorMs(large));
    if (largeMs < MEASURABLE_MS) return false;
    if (round >= ROUNDS && largeMs / smallMs < RATIO_MAX) return false;
  }
  return true;
}
