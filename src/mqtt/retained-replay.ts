import type { Subscription } from "../lib/mqtt/packets.ts";
import type { FairQueue, Turn } from "./fair-queue.ts";

/**
 * Retained messages of new subscriptions. Each filter is compared with all retained messages of the tenant: after its share of a turn, the rest waits for
 * the next one.
 */
export class RetainedReplay implements Turn {
  /** Filter → subscription whose retained messages are still to be sent. */
  readonly #pending = new Map<string, Subscription>();
  readonly #fairQueue: FairQueue;
  readonly #send: (subscription: Subscription) => void;

  /** @param send sends the retained messages of a subscription, if the client still has it */
  constructor(fairQueue: FairQueue, send: (subscription: Subscription) => void) {
    this.#fairQueue = fairQueue;
    this.#send = send;
  }

  add(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) this.#pending.set(subscription.topic, subscription);
    // Many connections may subscribe in the same turn: whoever comes after its end waits.
    if (this.#fairQueue.isTurnOver) this.#fairQueue.enqueue(this);
    else this.resume();
  }

  resume(): void {
    for (const [filter, subscription] of this.#pending) {
      this.#pending.delete(filter);
      this.#send(subscription);
      if (!this.#fairQueue.isTurnOver) continue;
      if (this.#pending.size > 0) this.#fairQueue.enqueue(this);
      return;
    }
  }

  stop(): void {
    this.#pending.clear();
    this.#fairQueue.remove(this);
  }
}
