/** Max. cached results. */
const ANSWERS_MAX = 1_000;

/** Caches results until the database changes. Undefined results are not cached. */
export class ChangeCache<Answer> {
  /** Results by key. */
  readonly #answers = new Map<string, Answer>();
  readonly #state: () => string;
  #stateSeen = "";

  /** @param state returns a value that differs after every change by any process */
  constructor(state: () => string) {
    this.#state = state;
  }

  get(question: string, answer: (question: string) => Answer | undefined): Answer | undefined {
    const state = this.#state();
    if (state !== this.#stateSeen || this.#answers.size >= ANSWERS_MAX) this.#answers.clear();
    this.#stateSeen = state;
    const existing = this.#answers.get(question);
    if (existing !== undefined) return existing;
    const created = answer(question);
    if (created !== undefined) this.#answers.set(question, created);
    return created;
  }
}
