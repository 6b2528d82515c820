/** Counts added bytes by key. `add` returns true, and starts again from 0, each time they reach `bytesMax`: time to trim. */
export class Growth<Key> {
  readonly #bytesMax: number;
  readonly #added = new Map<Key, number>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(key: Key, bytes: number): boolean {
    const added = (this.#added.get(key) ?? 0) + bytes;
    const isEnough = added >= this.#bytesMax;
    this.#added.set(key, isEnough ? 0 : added);
    return isEnough;
  }

  forget(key: Key): void {
    this.#added.delete(key);
  }
}
