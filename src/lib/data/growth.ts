/**
 * Counts additions by key, so that a limit is enforced occasionally. `add` returns true each time the additions reach `max`, and for the first
 * addition of a key, because additions before a restart are unknown.
 */
export class Growth<Key> {
  readonly #max: number;
  readonly #added = new Map<Key, number>();

  constructor(max: number) {
    this.#max = max;
  }

  add(key: Key, amount: number): boolean {
    const added = (this.#added.get(key) ?? this.#max) + amount;
    const isEnough = added >= this.#max;
    this.#added.set(key, isEnough ? 0 : added);
    return isEnough;
  }

  forget(key: Key): void {
    this.#added.delete(key);
  }
}
