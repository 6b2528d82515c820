import type { Clock } from "../../platform/time/clock.ts";

/**
 * Steady epoch ms of the alarms: they start at the wall clock's time and then only run forward with monotonic time. They follow the
 * wall clock once more, when a clock that was not set at the start has been set.
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

  /** Follows the wall clock again. Returns by how many ms the time has moved. */
  followWall(): number {
    const shiftMs = this.#clock.now() - this.now();
    this.#wallStart += shiftMs;
    return shiftMs;
  }
}
