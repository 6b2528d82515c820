/** Default burst, as a duration of the rate. A fleet that reports every minute stays below it. */
const BURST_MS = 10_000;

/**
 * Limits an average rate per second and its burst (by default, ten seconds of the rate; generic cell rate algorithm, ITU-T I.371). Its state is one
 * number. Without a limit, it only counts.
 */
export class RateMeter {
  #perSecond: number | null = null;
  /** Monotonic time up to which the rate is used up. */
  #spentUntil = Number.NEGATIVE_INFINITY;
  /** Cost of one message, in ms of the rate. */
  #costMs = 0;
  #burst: number | null = null;
  #burstMs = BURST_MS;
  isLimited = false;
  /** Passed amount, in the unit of the rate. */
  passed = 0;
  /** Number of refusals. */
  refused = 0;

  get perSecond(): number | null {
    return this.#perSecond;
  }

  /** Sets the rate, at least 1; null for no limit. Used tokens remain used. */
  set perSecond(limit: number | null) {
    this.#perSecond = limit;
    this.#costMs = limit === null ? 0 : 1000 / limit;
    this.burst = this.#burst;
    this.isLimited = limit !== null;
  }

  get burst(): number | null {
    return this.#burst;
  }

  /** Sets the size of a burst, at least 1; null for ten seconds of the rate. */
  set burst(count: number | null) {
    this.#burst = count;
    this.#burstMs = count === null ? BURST_MS : count * this.#costMs;
  }

  /**
   * Returns 0 and counts `amount` if it may pass, otherwise the ms to wait. An amount larger than the burst passes if nothing else is used. `now` is
   * monotonic.
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

  /** Works like `take`, without counting. */
  waitMs(now: number, amount = 1): number {
    const spent = Math.max(this.#spentUntil, now);
    return Math.max(0, spent + Math.min(this.#costMs * amount, this.#burstMs) - now - this.#burstMs);
  }

  /** Lets `amount` pass like `take`. @throws the error of the limit with the ms to wait */
  ensure(now: number, amount: number, limitError: (perSecond: number, waitMs: number) => Error): void {
    const waitMs = this.take(now, amount);
    if (waitMs > 0) throw limitError(this.#perSecond ?? 0, waitMs);
  }

  /** Counts an amount that has already passed, even beyond the rate. Following amounts wait for it. */
  spend(now: number, amount: number): void {
    this.#spentUntil = Math.max(this.#spentUntil, now) + this.#costMs * amount;
    this.passed += amount;
  }
}
