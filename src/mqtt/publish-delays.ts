import type { RateMeter } from "../lib/rate-meter.ts";
import type { Clock } from "../platform/clock.ts";

/** Delays the messages of rate-limited clients, in their order, until the rate of each client allows them. */
export class PublishDelays {
  readonly #clock: Pick<Clock, "monotonic" | "schedule">;
  /** Client → the end of its queue. */
  readonly #queues = new Map<string, Promise<void>>();

  constructor(clock: Pick<Clock, "monotonic" | "schedule">) {
    this.#clock = clock;
  }

  async pass(id: string, limiter: RateMeter): Promise<void> {
    const previous = this.#queues.get(id);
    if (previous === undefined && limiter.take(this.#clock.monotonic()) === 0) return;
    const turn = this.#wait(previous, limiter);
    this.#queues.set(id, turn);
    await turn;
    if (this.#queues.get(id) === turn) this.#queues.delete(id);
  }

  async #wait(previous: Promise<void> | undefined, limiter: RateMeter): Promise<void> {
    await previous;
    for (;;) {
      const waitMs = limiter.take(this.#clock.monotonic());
      if (waitMs === 0) return;
      await new Promise<void>((resolve) => void this.#clock.schedule(waitMs, resolve));
    }
  }
}
