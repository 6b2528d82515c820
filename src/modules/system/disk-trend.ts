import { DAY_MS, HOUR_MS } from "../../lib/core/units.ts";

/** Min. observed time in ms for an estimate in days. */
const SPAN_MS_MIN = 6 * HOUR_MS;
export const SPAN_MS_MAX = 7 * DAY_MS;
const INTERVAL_MS = 10 * 60_000;
/** Max. estimated days; beyond that, the disk is not filling up. */
const DAYS_MAX = 3_650;

/** Free bytes of the disk over the last days, and the estimated time until it is full. */
export class DiskTrend {
  #samples: { time: number; free: number }[] = [];

  /** Adds a sample; `time` is monotonic, in ms. Samples closer together than ten minutes replace one another. */
  add(time: number, free: number): void {
    const last = this.#samples.at(-1);
    const first = this.#samples.at(-2);
    if (last !== undefined && first !== undefined && last.time - first.time < INTERVAL_MS)
      this.#samples.pop();
    this.#samples.push({ time, free });
    this.#samples = this.#samples.filter((sample) => time - sample.time <= SPAN_MS_MAX);
  }

  /** Prepends the samples of earlier runs, in order. Their times are converted to the monotonic clock. */
  seed(samples: readonly { readonly time: number; readonly free: number }[]): void {
    const later = this.#samples;
    this.#samples = [];
    for (const { time, free } of [...samples, ...later]) this.add(time, free);
  }

  /** Returns the days until the disk is full at the mean rate so far; undefined if unknown, or if the disk is not filling up. */
  daysUntilFull(): number | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.time - first.time < SPAN_MS_MIN) return undefined;
    const bytesPerMs = (first.free - last.free) / (last.time - first.time);
    const days = last.free / bytesPerMs / DAY_MS;
    return bytesPerMs > 0 && days < DAYS_MAX ? days : undefined;
  }
}
