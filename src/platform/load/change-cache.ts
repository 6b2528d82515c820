/** Max. cached results. */
const RESPONSES_MAX = 1_000;

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

  get(question: string, response: (question: string) => Value | undefined): Value | undefined {
    const state = this.#state();
    if (state !== this.#stateSeen || this.#values.size >= RESPONSES_MAX) this.#values.clear();
    this.#stateSeen = state;
    const existing = this.#values.get(question);
    if (existing !== undefined) return existing;
    const created = response(question);
    if (created !== undefined) this.#values.set(question, created);
    return created;
  }
}
