/** Answers that are kept. */
const ANSWERS_MAX = 1_000;

/** Remembers answers that depend on a database until anything in it changes. What is not there is asked for again. */
export class ChangeCache<Answer> {
  /** Answers by what was asked. */
  readonly #answers = new Map<string, Answer>();
  readonly #state: () => string;
  #stateSeen = "";

  /** @param state differs from what it was after every change, of whatever process. */
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
