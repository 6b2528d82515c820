/**
 * Caches results until the database changes or the event loop turns, because simultaneous requests ask the same. Changes of other processes are
 * visible in the next turn.
 */
export class TurnCache<Value> {
  /** Results of this turn by key. */
  readonly #values = new Map<string, Value>();
  readonly #changes: () => number;
  #changesSeen = 0;

  /** @param changes returns a number that increases with every change */
  constructor(changes: () => number) {
    this.#changes = changes;
  }

  get(key: string, compute: (key: string) => Value): Value {
    const changes = this.#changes();
    if (changes !== this.#changesSeen) this.#values.clear();
    this.#changesSeen = changes;
    const existing = this.#values.get(key);
    if (existing !== undefined) return existing;
    if (this.#values.size === 0) setImmediate(() => this.#values.clear());
    const computed = compute(key);
    this.#values.set(key, computed);
    return computed;
  }
}
