import type { Will } from "../lib/mqtt/packets.ts";
import type { Principal } from "./principal.ts";
import { TICK_MS } from "./server-time.ts";
import type { Session } from "./session.ts";

interface DelayedWill {
  readonly principal: Principal;
  readonly will: Will;
  /** Server time, ms. */
  readonly dueAt: number;
}

/** Wills of clients that are gone, until their delay is over or their session ends (MQTT 5, 3.1.3.2.2). */
export class Wills {
  readonly #publish: (principal: Principal, will: Will) => void;
  /** Session key → will. */
  readonly #delayed = new Map<string, DelayedWill>();

  constructor(publish: (principal: Principal, will: Will) => void) {
    this.#publish = publish;
  }

  /** A client went without saying good-bye. */
  left(session: Session, { principal, will }: { principal: Principal; will: Will }, now: number): void {
    const delayMs = Math.min(will.delaySeconds, session.expirySeconds) * 1000;
    if (delayMs === 0) this.#publish(principal, will);
    else this.#delayed.set(session.key, { principal, will, dueAt: now + delayMs + TICK_MS });
  }

  /** Handles a client's return: a session taken up again has no will to publish, one that has ended publishes it immediately. */
  returned(key: string, resumed: boolean): void {
    const delayed = this.#delayed.get(key);
    this.#delayed.delete(key);
    if (delayed !== undefined && !resumed) this.#publish(delayed.principal, delayed.will);
  }

  forget(key: string): void {
    this.#delayed.delete(key);
  }

  tick(now: number): void {
    for (const [key, { principal, will, dueAt }] of this.#delayed) {
      if (dueAt > now) continue;
      this.#delayed.delete(key);
      this.#publish(principal, will);
    }
  }
}
