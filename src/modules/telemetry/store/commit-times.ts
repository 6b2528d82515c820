/** Durations of the newest commits, for percentiles. */
export class CommitTimes {
  readonly #ms = new Float64Array(1024);
  #count = 0;

  add(ms: number): void {
    this.#ms[this.#count++ % this.#ms.length] = ms;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns a percentile; `share` is between 0 and 1. 0 if no commit was timed. */
  percentile(share: number): number {
    const kept = this.#ms.slice(0, Math.min(this.#count, this.#ms.length)).sort();
    return kept[Math.min(kept.length - 1, Math.floor(kept.length * share))] ?? 0;
  }
}
