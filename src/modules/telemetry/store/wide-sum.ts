/** Makes the largest doubles so small that any number of them can be added. */
const SCALE = 2 ** -200;

/** What of a sum would go beyond the range of doubles on the way, although the result may not. Nearly always nothing. */
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
