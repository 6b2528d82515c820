interface Waiting<T> {
  readonly items: T[];
  /** Virtual time of the key: the processor time that it has used. */
  at: number;
}

/**
 * Turns by time used: of the keys that wait, the one that has used least is next, so that who sends much, or runs long, waits for
 * himself. A key's own are served in order. Who was away has saved nothing up: a key begins where the one that was served last stands.
 */
export class ScriptQueue<T> {
  readonly #perKeyMax: number;
  readonly #max: number;
  /** Keyed by key; none is empty. */
  readonly #waiting = new Map<string, Waiting<T>>();
  /** Keys that have used more than the one that was served last, and do not wait. */
  readonly #ahead = new Map<string, number>();
  #now = 0;
  #size = 0;

  constructor(limits: { perKeyMax: number; max: number }) {
    this.#perKeyMax = limits.perKeyMax;
    this.#max = limits.max;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns `false` if there is no room. */
  add(key: string, item: T): boolean {
    const own = this.#waiting.get(key);
    if (this.#size >= this.#max || (own?.items.length ?? 0) >= this.#perKeyMax) return false;
    if (own) own.items.push(item);
    else this.#waiting.set(key, { items: [item], at: Math.max(this.#now, this.#ahead.get(key) ?? 0) });
    this.#size++;
    return true;
  }

  /** Returns whose turn it is; of those that have used the same, who waits longest. */
  take(): T | undefined {
    let next: [string, Waiting<T>] | undefined;
    for (const candidate of this.#waiting)
      if (next === undefined || candidate[1].at < next[1].at) next = candidate;
    if (next === undefined) return undefined;
    const [key, own] = next;
    const item = own.items.shift();
    this.#size--;
    this.#now = own.at;
    this.#waiting.delete(key);
    if (own.items.length > 0) this.#waiting.set(key, own);
    else this.#ahead.set(key, own.at);
    return item;
  }

  /** Adds the cost of a run to the key's time. */
  charge(key: string, ms: number): void {
    const own = this.#waiting.get(key);
    if (own) own.at += ms;
    else this.#ahead.set(key, (this.#ahead.get(key) ?? this.#now) + ms);
    for (const [existing, timeMs] of this.#ahead) if (timeMs <= this.#now) this.#ahead.delete(existing);
  }
}
