/** Tells, by key, when a number of bytes has been added since it last told: time to look for what has become too much. */
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
