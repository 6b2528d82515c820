import type { Clock } from "../../../platform/time/clock.ts";

/**
 * Monotonic epoch ms of the alarms: starts at the wall clock's time and then follows monotonic time. Follows the wall clock once more when a clock
 * that was unset at startup has been set.
 */
export class AlarmTime {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #monotonicStart: number;
  #wallStart: number;

  constructor(clock: Pick<Clock, "now" | "monotonic">) {
    this.#clock = clock;
    this.#wallStart = clock.now();
    this.#monotonicStart = clock.monotonic();
  }

  now(): number {
    return this.#wallStart + Math.floor(this.#clock.monotonic() - this.#monotonicStart);
  }

  /** Follows the wall clock again. Returns the change in ms. */
  followWall(): number {
    const shiftMs = this.#clock.now() - this.now();
    this.#wallStart += shiftMs;
    return shiftMs;
  }
}
