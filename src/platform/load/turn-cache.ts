/**
 * Caches results until the database changes or the event loop turns, because simultaneous requests ask the same. Changes of other processes are
 * visible in the next turn.
 */
export class TurnCache<Answer> {
  /** Results of this turn by key. */
  readonly #answers = new Map<string, Answer>();
  readonly #changes: () => number;
  #changesSeen = 0;

  /** @param changes returns a number that increases with every change */
  constructor(changes: () => number) {
    this.#changes = changes;
  }

  get(question: string, answer: (question: string) => Answer): Answer {
    const changes = this.#changes();
    if (changes !== this.#changesSeen) this.#answers.clear();
    this.#changesSeen = changes;
    const existing = this.#answers.get(question);
    if (existing !== undefined) return existing;
    if (this.#answers.size === 0) setImmediate(() => this.#answers.clear());
    const created = answer(question);
    this.#answers.set(question, created);
    return created;
  }
}
