import { unavailable } from "../../lib/core/domain-error.ts";
import type { RateMeter } from "../../lib/data/rate-meter.ts";
import type { Clock } from "../../platform/time/clock.ts";

/** Max. waiting messages of one client over all of its connections: ended connections leave messages behind. */
const waitingMax = { messages: 20_000, bytes: 16 * 1024 * 1024 };

/** Messages that wait for the rate of a client. */
interface Queue {
  /** Resolves when the last message has passed. */
  end: Promise<void>;
  messages: number;
  bytes: number;
}

/** Delays the messages of rate-limited clients, in their order, until the rate of each client allows them. */
export class PublishDelays {
  readonly #clock: Pick<Clock, "monotonic" | "schedule">;
  /** Queues by limiter, which is replaced when the rate changes. */
  readonly #queues = new Map<RateMeter, Queue>();

  constructor(clock: Pick<Clock, "monotonic" | "schedule">) {
    this.#clock = clock;
  }

  /**
   * Returns undefined if a message of this size may pass now; otherwise resolves when it may.
   * @throws DomainError `unavailable` if too much waits, so that the client must send it again
   */
  pass(limiter: RateMeter, bytes: number): Promise<void> | undefined {
    const waiting = this.#queues.get(limiter);
    if (waiting === undefined && limiter.take(this.#clock.monotonic()) === 0) return undefined;
    const queue = waiting ?? { end: Promise.resolve(), messages: 0, bytes: 0 };
    if (queue.messages >= waitingMax.messages || queue.bytes + bytes > waitingMax.bytes)
      throw unavailable("mqtt.rate_queue_full");
    this.#queues.set(limiter, queue);
    queue.messages++;
    queue.bytes += bytes;
    queue.end = this.#wait(queue.end, limiter).then(() => {
      queue.messages--;
      queue.bytes -= bytes;
      if (queue.messages === 0) this.#queues.delete(limiter);
    });
    return queue.end;
  }

  async #wait(previous: Promise<void>, limiter: RateMeter): Promise<void> {
    await previous;
    for (;;) {
      const waitMs = limiter.take(this.#clock.monotonic());
      if (waitMs === 0) return;
      await new Promise<void>((resolve) => void this.#clock.schedule(waitMs, resolve));
    }
  }
}
