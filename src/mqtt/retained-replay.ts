import type { Subscription } from "../lib/mqtt/packets.ts";
import type { ConnectionTurns, Turn } from "./connection-turns.ts";

/**
 * Retained messages of new subscriptions. Each filter is compared with all retained messages of the tenant: after its share of a turn, the rest waits for
 * the next one.
 */
export class RetainedReplay implements Turn {
  /** Filter → subscription whose retained messages are still to be sent. */
  readonly #pending = new Map<string, Subscription>();
  readonly #connectionTurns: ConnectionTurns;
  readonly #send: (subscription: Subscription) => void;

  /** @param send sends the retained messages of a subscription, if the client still has it */
  constructor(connectionTurns: ConnectionTurns, send: (subscription: Subscription) => void) {
    this.#connectionTurns = connectionTurns;
    this.#send = send;
  }

  add(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) this.#pending.set(subscription.topic, subscription);
    // Many connections may subscribe in the same turn: whoever comes after its end waits.
    if (this.#connectionTurns.isTurnOver) this.#connectionTurns.enqueue(this);
    else this.resume();
  }

  resume(): void {
    for (const [filter, subscription] of this.#pending) {
      this.#pending.delete(filter);
      this.#send(subscription);
      if (!this.#connectionTurns.isTurnOver) continue;
      if (this.#pending.size > 0) this.#connectionTurns.enqueue(this);
      return;
    }
  }

  stop(): void {
    this.#pending.clear();
    this.#connectionTurns.remove(this);
  }
}
