import type { Clock } from "./clock.ts";

type Resolve<Value> = (value: Value | PromiseLike<Value> | undefined) => void;

/** Callers that wait for an event of a key, each with its own timeout. */
export class Waiters<Key, Value> {
  /** Keyed by key, the longest wait first. */
  readonly #waiting = new Map<Key, Set<Resolve<Value>>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to the next value of the key; undefined after `ms`, or when the caller has gone. */
  wait(key: Key, ms: number, signal?: AbortSignal): Promise<Value | undefined> {
    return new Promise((resolve) => {
      const done: Resolve<Value> = (value) => {
        cancel();
        signal?.removeEventListener("abort", gone);
        const others = this.#waiting.get(key);
        others?.delete(done);
        if (others?.size === 0) this.#waiting.delete(key);
        resolve(value);
      };
      const gone = () => done(undefined);
      const cancel = this.#clock.schedule(ms, gone);
      signal?.addEventListener("abort", gone);
      const waiting = this.#waiting.get(key);
      if (waiting === undefined) this.#waiting.set(key, new Set([done]));
      else waiting.add(done);
      if (signal?.aborted === true) gone();
    });
  }

  /** Returns the longest waiting caller. */
  first(key: Key): Resolve<Value> | undefined {
    const [oldest] = this.#waiting.get(key) ?? [];
    return oldest;
  }

  /** Resolves all waiters of the key; undefined if there is nothing left to wait for. */
  resolveAll(key: Key, value: Value | undefined): void {
    for (const resolve of [...(this.#waiting.get(key) ?? [])]) resolve(value);
  }

  endAll(): void {
    for (const waiting of [...this.#waiting.values()]) for (const resolve of [...waiting]) resolve(undefined);
  }
}
