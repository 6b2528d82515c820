import type { Will } from "../../lib/mqtt/packets.ts";
import type { ConnectionTurns, Turn } from "../connection/connection-turns.ts";
import type { Session } from "../session/session.ts";
import type { Principal } from "../topics/principal.ts";
import { TICK_MS } from "../topics/server-time.ts";

interface DueWill {
  readonly principal: Principal;
  readonly will: Will;
}

interface DelayedWill extends DueWill {
  /** Server time in ms. */
  readonly dueAt: number;
}

/**
 * Wills of disconnected clients, until their delay or their session ends (MQTT 5, 3.1.3.2.2). Many clients may disconnect simultaneously, each with
 * a will for hundreds of receivers, so wills share the turns of the event loop with connections.
 */
export class Wills implements Turn {
  readonly #turns: ConnectionTurns;
  readonly #publish: (principal: Principal, will: Will) => void;
  /** Delayed wills by session key. */
  readonly #delayed = new Map<string, DelayedWill>();
  /** Sorted by due time. */
  readonly #due = new Set<DueWill>();

  constructor(turns: ConnectionTurns, publish: (principal: Principal, will: Will) => void) {
    this.#turns = turns;
    this.#publish = publish;
  }

  get isIdle(): boolean {
    return this.#due.size === 0;
  }

  /** Called when a client disconnected without DISCONNECT. */
  left(session: Session, due: DueWill, now: number): void {
    const delayMs = Math.min(due.will.delaySeconds, session.expirySeconds) * 1000;
    if (delayMs === 0) this.#publishInTurn(due);
    else this.#delayed.set(session.key, { ...due, dueAt: now + delayMs + TICK_MS });
  }

  /** Handles the return of a client: a resumed session drops its will, an ended session publishes it immediately. */
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
