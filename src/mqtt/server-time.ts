import type { Clock } from "../platform/time/clock.ts";

/** Deadlines are looked at this often (ms); times taken in between are early by up to as much. */
export const TICK_MS = 250;

/** Monotonic ms, advanced a tick at a time and never by more than two: a stalled process expires nobody. */
export class ServerTime {
  now = 0;
  readonly #clock: Clock;
  #lastTick = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(onTick: () => void): void {
    this.#lastTick = this.#clock.monotonic();
    this.#tickLater(onTick);
  }

  stop(): void {
    this.#cancel?.();
  }

  #tickLater(onTick: () => void): void {
    this.#cancel = this.#clock.schedule(TICK_MS, () => {
      const monotonic = this.#clock.monotonic();
      this.now += Math.min(monotonic - this.#lastTick, 2 * TICK_MS);
      this.#lastTick = monotonic;
      this.#tickLater(onTick);
      onTick();
    });
  }
}
