import type { Clock } from "../platform/time/clock.ts";
import { untilSharedWake } from "../platform/time/periodic.ts";

/** Deadlines are looked at this often (ms); times taken in between are early by up to as much. */
export const TICK_MS = 250;
/** The same without a connection: only sessions and delayed wills have deadlines then, in seconds. */
const RESTING_TICK_MS = 1_000;

/** Monotonic ms, advanced a tick at a time and never by more than two: a stalled process expires nobody. */
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

  /** For a new connection: its deadlines count from now, not from the last tick of a resting server. */
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
