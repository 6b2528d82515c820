import { RateMeter } from "../../lib/data/rate-meter.ts";
import { addressGroup } from "../../lib/network/network-address.ts";
import type { Clock } from "../time/clock.ts";

/** Guesses in a burst. Afterwards, one per second. */
export const GUESSES_BURST = 5;
/** Max. seconds that an attempt waits for its turn. */
export const GUESS_WAIT_SECONDS = 10;
/** Max. waiting attempts. */
const WAITING_MAX = 20;
const BUDGETS_MAX = 10_000;

interface Waiting {
  readonly until: number;
  readonly isGone: () => boolean;
  readonly resolve: (mayGuess: boolean) => void;
}

/**
 * Budget of guesses at one password from one address. Attempts beyond it wait, and the next one is chosen at random, so a user who knows the
 * password gets in soon, even if somebody else guesses continuously from the same address.
 */
export class GuessBudget {
  readonly #clock: Pick<Clock, "monotonic" | "schedule">;
  readonly #meter = new RateMeter();
  readonly #waiting: Waiting[] = [];

  constructor(clock: Pick<Clock, "monotonic" | "schedule">) {
    this.#clock = clock;
    this.#meter.perSecond = 1;
    this.#meter.burst = GUESSES_BURST;
  }

  /** Returns whether an attempt can be made now. */
  take(): boolean {
    return this.#waiting.length === 0 && this.#meter.take(this.#clock.monotonic()) === 0;
  }

  /** Returns true if the attempt can be made now, otherwise a promise of whether it can be made at all. */
  wait(isGone: () => boolean): true | Promise<boolean> {
    const now = this.#clock.monotonic();
    if (this.#waiting.length === 0) {
      const waitMs = this.#meter.take(now);
      if (waitMs === 0) return true;
      this.#schedule(waitMs);
    }
    if (this.#waiting.length >= WAITING_MAX) this.#remove()?.resolve(false);
    const until = now + GUESS_WAIT_SECONDS * 1000;
    return new Promise((resolve) => this.#waiting.push({ until, isGone, resolve }));
  }

  #schedule(waitMs: number): void {
    this.#clock.schedule(waitMs, () => this.#serve());
  }

  /** Removes one of the waiting attempts at random. */
  #remove(): Waiting | undefined {
    return this.#waiting.splice(Math.floor(Math.random() * this.#waiting.length), 1)[0];
  }

  #serve(): void {
    const now = this.#clock.monotonic();
    const waiting = this.#waiting.splice(0);
    for (const each of waiting) {
      if (each.isGone() || each.until < now) each.resolve(false);
      else this.#waiting.push(each);
    }
    if (this.#waiting.length === 0) return;
    const waitMs = this.#meter.take(now);
    if (waitMs === 0) this.#remove()?.resolve(true);
    if (this.#waiting.length > 0) this.#schedule(waitMs === 0 ? 1000 : waitMs);
  }
}

/** Limits the size of a map by removing its oldest entries. */
export function evictOldest(map: Map<string, unknown>, max: number): void {
  if (map.size < max) return;
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}

interface Guess {
  readonly credentialId: string;
  readonly address: string;
  readonly canWait: boolean;
  isGone(): boolean;
}

const nameOf = ({ address, credentialId }: Pick<Guess, "address" | "credentialId">): string =>
  `${addressGroup(address)} ${credentialId}`;

/** Budgets of guesses by address and credential. */
export class GuessBudgets {
  readonly #clock: Pick<Clock, "monotonic" | "schedule">;
  readonly #budgets = new Map<string, GuessBudget>();

  constructor(clock: Pick<Clock, "monotonic" | "schedule">) {
    this.#clock = clock;
  }

  /** Returns whether the guess can be made, or a promise of it while the guess waits. */
  take(guess: Guess): boolean | Promise<boolean> {
    const name = nameOf(guess);
    let budget = this.#budgets.get(name);
    if (budget === undefined) {
      evictOldest(this.#budgets, BUDGETS_MAX);
      budget = new GuessBudget(this.#clock);
      this.#budgets.set(name, budget);
    }
    return guess.canWait ? budget.wait(() => guess.isGone()) : budget.take();
  }

  /** Resets the budget after a correct password. */
  forget(guess: Pick<Guess, "address" | "credentialId">): void {
    this.#budgets.delete(nameOf(guess));
  }
}
