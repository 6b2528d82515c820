import type { Will } from "../lib/mqtt/packets.ts";
import type { ConnectionTurns, Turn } from "./connection-turns.ts";
import type { Principal } from "./principal.ts";
import { TICK_MS } from "./server-time.ts";
import type { Session } from "./session.ts";

interface DueWill {
  readonly principal: Principal;
  readonly will: Will;
}

interface DelayedWill extends DueWill {
  /** Server time, ms. */
  readonly dueAt: number;
}

/**
 * Wills of clients that are gone, until their delay is over or their session ends (MQTT 5, 3.1.3.2.2). Many clients may go at the same time, each with
 * a will for hundreds of receivers: they share the turns of the event loop with the connections.
 */
export class Wills implements Turn {
  readonly #turns: ConnectionTurns;
  readonly #publish: (principal: Principal, will: Will) => void;
  /** Session key → will. */
  readonly #delayed = new Map<string, DelayedWill>();
  /** In the order in which they became due. */
  readonly #due = new Set<DueWill>();

  constructor(turns: ConnectionTurns, publish: (principal: Principal, will: Will) => void) {
    this.#turns = turns;
    this.#publish = publish;
  }

  get isIdle(): boolean {
    return this.#due.size === 0;
  }

  /** A client went without saying good-bye. */
  left(session: Session, due: DueWill, now: number): void {
    const delayMs = Math.min(due.will.delaySeconds, session.expirySeconds) * 1000;
    if (delayMs === 0) this.#publishInTurn(due);
    else this.#delayed.set(session.key, { ...due, dueAt: now + delayMs + TICK_MS });
  }

  /** Handles a client's return: a session taken up again has no will to publish, one that has ended publishes it immediately. */
  returned(key: string, resumed: boolean): void {
    const delayed = this.#delayed.get(key);
    this.#delayed.delete(key);
    if (delayed !== undefined && !resumed) this.#publishInTurn(delayed);
  }

  forget(key: string): void {
    this.#delayed.delete(key);
  }

  tick(now: number): void {
    for (const [key, delayed] of this.#delayed) {
      if (delayed.dueAt > now) continue;
      this.#delayed.delete(key);
      this.#publishInTurn(delayed);
    }
  }

  resume(): void {
    for (const due of this.#due) {
      if (this.#turns.isTurnOver) {
        this.#turns.enqueue(this);
        return;
      }
      this.#due.delete(due);
      this.#publish(due.principal, due.will);
    }
  }

  #publishInTurn(due: DueWill): void {
    this.#due.add(due);
    if (this.#due.size === 1) this.resume();
  }
}
