/** Scales the largest doubles down so that any number of them can be added. */
const SCALE = 2 ** -200;

/** Part of a sum beyond the range of doubles, although the mean may be within it. Nearly always 0. */
export class WideSum {
  /** In units of `1 / SCALE`. */
  #scaled = 0;

  add(value: number): void {
    this.#scaled += value * SCALE;
  }

  /** Returns `(sum + what was added) / count`. */
  over(sum: number, count: number): number {
    if (this.#scaled === 0) return sum / count;
    return (this.#scaled + sum * SCALE) / count / SCALE;
  }

  clear(): void {
    this.#scaled = 0;
  }
}
