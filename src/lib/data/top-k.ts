/** Keeps the numbers with the largest weights, in a heap with the smallest of them as its root. */
export class TopK {
  readonly #max: number;
  readonly #items: number[] = [];
  readonly #weights: number[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** The kept items, unsorted. */
  get items(): readonly number[] {
    return this.#items;
  }

  add(item: number, weight: number): void {
    const size = this.#items.length;
    if (size < this.#max) {
      this.#items.push(item);
      this.#weights.push(weight);
      this.#rise(size);
    } else if (weight > (this.#weights[0] ?? 0)) {
      this.#items[0] = item;
      this.#weights[0] = weight;
      this.#sink();
    }
  }

  #weightAt = (index: number): number => this.#weights[index] ?? Number.POSITIVE_INFINITY;

  #swap(a: number, b: number): void {
    for (const list of [this.#items, this.#weights]) {
      const kept = list[a] as number; // both indices are within the heap
      list[a] = list[b] as number;
      list[b] = kept;
    }
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#weightAt(parent) <= this.#weightAt(index)) return;
      this.#swap(parent, index);
      index = parent;
    }
  }

  #sink(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const smaller = this.#weightAt(left + 1) < this.#weightAt(left) ? left + 1 : left;
      if (this.#weightAt(smaller) >= this.#weightAt(index)) return;
      this.#swap(smaller, index);
      index = smaller;
    }
  }
}
