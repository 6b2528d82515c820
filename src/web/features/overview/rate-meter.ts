/** Counts events in one-second slots over the last minute; `rates` is what a bar strip shows, oldest first. */
export class RateMeter {
  readonly #slots: number[] = Array.from({ length: 60 }, () => 0);
  #second = 0;
  /** The second in which counting began; it is not whole. */
  #first = 0;

  add(count: number, nowMs: number): void {
    this.#advance(nowMs);
    const i = this.#second % 60;
    this.#slots[i] = this.#slots[i]! + count;
  }

  rates(nowMs: number): number[] {
    this.#advance(nowMs);
    return Array.from({ length: 60 }, (_, i) => this.#slots[(this.#second + 1 + i) % 60]!);
  }

  /** Mean per second over the last whole seconds, `secondsMax` or as many as were counted; the running one is not over. */
  perSecond(nowMs: number, secondsMax = 10): number {
    const rates = this.rates(nowMs);
    const seconds = Math.min(secondsMax, Math.max(1, this.#second - this.#first - 1));
    const whole = rates.slice(59 - seconds, 59);
    return whole.reduce((a, b) => a + b, 0) / seconds;
  }

  #advance(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (this.#first === 0) this.#first = second;
    const from = Math.max(this.#second + 1, second - 59);
    for (let s = from; s <= second; s++) this.#slots[s % 60] = 0;
    this.#second = Math.max(this.#second, second);
  }
}
