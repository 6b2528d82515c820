const REPEATS = 15;

async function timeOf(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

/** Returns the median of the times that some work takes, in ms. */
export async function medianMs(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < REPEATS; index++) times.push(await timeOf(work));
  return median(times);
}

const ROUNDS = 4;

/** Returns the medians of two pieces of work in alternating rounds: what else the machine does slows both down. */
export async function mediansByRounds(
  first: () => unknown,
  second: () => unknown,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (let index = 0; index < REPEATS; index++) times[0].push(await timeOf(first));
    for (let index = 0; index < REPEATS; index++) times[1].push(await timeOf(second));
  }
  return [median(times[0]), median(times[1])];
}
