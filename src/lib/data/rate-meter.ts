/** Default burst: the amount that the rate allows in this time. A fleet that reports every minute stays below it. */
const BURST_MS = 10_000;

/**
 * Limits an average rate per second and its burst (ten seconds' worth unless told otherwise; generic cell rate algorithm, ITU-T I.371): one
 * number is all it remembers, and without a limit it only counts.
 */
export class RateMeter {
  #perSecond: number | null = null;
  /** Monotonic time up to which the rate is spent. */
  #spentUntil = Number.NEGATIVE_INFINITY;
  /** Cost of one message, in ms of the rate. */
  #costMs = 0;
  #burst: number | null = null;
  #burstMs = BURST_MS;
  isLimited = false;
  /** Amount that has passed, in the unit of the rate. */
  passed = 0;
  /** Number of times that something was refused. */
  refused = 0;

  get perSecond(): number | null {
    return this.#perSecond;
  }

  /** Sets the rate, from 1; null for no limit. The tokens that were spent stay spent. */
  set perSecond(limit: number | null) {
    this.#perSecond = limit;
    this.#costMs = limit === null ? 0 : 1000 / limit;
    this.burst = this.#burst;
    this.isLimited = limit !== null;
  }

  get burst(): number | null {
    return this.#burst;
  }

  /** Size of a burst, from 1; null for ten seconds' worth. */
  set burst(count: number | null) {
    this.#burst = count;
    this.#burstMs = count === null ? BURST_MS : count * this.#costMs;
  }

  /**
   * 0: `amount` more may pass, and is counted; else after how many ms it may. An amount larger than the burst passes
   * when nothing else is spent. `now` is monotonic.
   */
  take(now: number, amount = 1): number {
    const waitMs = this.waitMs(now, amount);
    if (waitMs > 0) {
      this.refused++;
      return waitMs;
    }
    this.#spentUntil = Math.max(this.#spentUntil, now) + this.#costMs * amount;
    this.passed += amount;
    return 0;
  }

  /** Like `take`, without counting. */
  waitMs(now: number, amount = 1): number {
    const spent = Math.max(this.#spentUntil, now);
    return Math.max(0, spent + Math.min(this.#costMs * amount, this.#burstMs) - now - this.#burstMs);
  }

  /** Lets `amount` more pass, like `take`. @throws the error of the limit with the ms after which it may pass */
  ensure(now: number, amount: number, limitError: (perSecond: number, waitMs: number) => Error): void {
    const waitMs = this.take(now, amount);
    if (waitMs > 0) throw limitError(this.#perSecond ?? 0, waitMs);
  }

  /** Counts what has passed already, also beyond the rate: what comes next waits for it. */
  spend(now: number, amount: number): void {
    this.#spentUntil = Math.max(this.#spentUntil, now) + this.#costMs * amount;
    this.passed += amount;
  }
}
