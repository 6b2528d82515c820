import type { Clock } from "../../platform/time/clock.ts";
import { untilSharedWake } from "../../platform/time/periodic.ts";

/** Interval of deadline checks (ms). Times in between are early by at most this much. */
export const TICK_MS = 250;
/** Interval of deadline checks without connections: only sessions and delayed wills have deadlines then, in seconds. */
const RESTING_TICK_MS = 1_000;

/** Monotonic ms, advanced by at most two ticks at a time, so that a stalled process expires nothing. */
export class ServerTime {
  now = 0;
  readonly #clock: Clock;
  readonly #isResting: () => boolean;
  #tickMs = TICK_MS;
  #lastTick = 0;
  #onTick: () => void = () => undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, isResting: () => boolean) {
    this.#clock = clock;
    this.#isResting = isResting;
  }

  start(onTick: () => void): void {
    this.#onTick = onTick;
    this.#lastTick = this.#clock.monotonic();
    this.#tickLater();
  }

  /** Updates the time for a new connection, so that its deadlines count from now instead of the last tick of an idle server. */
  wake(): void {
    if (this.#tickMs === TICK_MS || this.#cancel === undefined) return;
    this.#cancel();
    this.#advance();
    this.#tickLater(TICK_MS);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #advance(): void {
    const monotonic = this.#clock.monotonic();
    this.now += Math.min(monotonic - this.#lastTick, 2 * this.#tickMs);
    this.#lastTick = monotonic;
  }

  #tickLater(ms = this.#isResting() ? RESTING_TICK_MS : TICK_MS): void {
    this.#tickMs = ms;
    const inMs = ms === TICK_MS ? ms : untilSharedWake(this.#clock, ms);
    this.#cancel = this.#clock.schedule(inMs, () => {
      this.#advance();
      this.#tickLater();
      this.#onTick();
    });
  }
}
