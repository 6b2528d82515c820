/**
 * Turns, by key: who sends much waits for himself and not others for him. A key's own are served in order.
 */
export class ScriptQueue<T> {
  readonly #perKeyMax: number;
  readonly #max: number;
  /** By key, in the order of their turns; none is empty. */
  readonly #waiting = new Map<string, T[]>();
  #size = 0;

  constructor(limits: { perKeyMax: number; max: number }) {
    this.#perKeyMax = limits.perKeyMax;
    this.#max = limits.max;
  }

  get size(): number {
    return this.#size;
  }

  /** False where there is no room. */
  add(key: string, item: T): boolean {
    const own = this.#waiting.get(key);
    if (this.#size >= this.#max || (own?.length ?? 0) >= this.#perKeyMax) return false;
    if (own) own.push(item);
    else this.#waiting.set(key, [item]);
    this.#size++;
    return true;
  }

  /** Whose turn it is. */
  take(): T | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [key, own] = first;
    const item = own.shift();
    this.#size--;
    this.#waiting.delete(key);
    if (own.length > 0) this.#waiting.set(key, own);
    return item;
  }
}
