import type { Clock } from "../time/clock.ts";

/** Operation that exceeded `SLOW_AFTER_MS`. */
export interface SlowOperation {
  /** Timestamp of its end, in milliseconds. */
  readonly time: number;
  /** Name without identifiers and secrets: "GET /api/devices/:deviceId". */
  readonly name: string;
  readonly durationMs: number;
}

const KEPT = 200;
export const SLOW_AFTER_MS = 1_000;

/** The newest operations that took longer than `SLOW_AFTER_MS`. */
export class SlowOperations {
  readonly #newest: SlowOperation[] = [];
  readonly #startedAt = new WeakMap<object, number>();
  readonly #clock: Pick<Clock, "now" | "monotonic">;

  constructor(clock: Pick<Clock, "now" | "monotonic">) {
    this.#clock = clock;
  }

  /** Records the start of the operation with this key. */
  began(key: object): void {
    this.#startedAt.set(key, this.#clock.monotonic());
  }

  /** Keeps the operation if it exceeded `SLOW_AFTER_MS`. */
  ended(key: object, name: () => string): void {
    const startedAt = this.#startedAt.get(key);
    if (startedAt === undefined) return;
    const durationMs = Math.round(this.#clock.monotonic() - startedAt);
    if (durationMs < SLOW_AFTER_MS) return;
    this.#newest.push({ time: this.#clock.now(), name: name(), durationMs });
    if (this.#newest.length > KEPT) this.#newest.shift();
  }

  /** Returns the operations, the oldest first. */
  list(): readonly SlowOperation[] {
    return this.#newest;
  }
}
