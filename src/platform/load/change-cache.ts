/** Max. cached results. */
const VALUES_MAX = 1_000;

/** Caches results until the database changes. Undefined results are not cached. */
export class ChangeCache<Value> {
  /** Results by key. */
  readonly #values = new Map<string, Value>();
  readonly #state: () => string;
  #stateSeen = "";

  /** @param state returns a value that differs after every change by any process */
  constructor(state: () => string) {
    this.#state = state;
  }

  get(key: string, compute: (key: string) => Value | undefined): Value | undefined {
    const state = this.#state();
    if (state !== this.#stateSeen || this.#values.size >= VALUES_MAX) this.#values.clear();
    this.#stateSeen = state;
    const existing = this.#values.get(key);
    if (existing !== undefined) return existing;
    const computed = compute(key);
    if (computed !== undefined) this.#values.set(key, computed);
    return computed;
  }
}
