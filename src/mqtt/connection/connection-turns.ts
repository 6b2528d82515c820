import type { Clock } from "../../platform/time/clock.ts";

/** Time that all connections together may take per turn of the event loop. */
const TURN_MS = 8;

/** Connection with more work than one turn allows. */
export interface Turn {
  /** Undefined before the sign-in, and for work of the server. */
  readonly tenantId?: string | undefined;
  resume(): void;
}

/**
 * Shares the event loop among connections. A connection with much expensive work (pipelines, alarm rules, attributes, requests, commands) continues
 * in a later turn. Tenants take turns, and so do the connections of a tenant, so that other clients are served in between.
 */
export class ConnectionTurns {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Waiting work and the round in which it was interrupted, by tenant; the first tenant is next. */
  readonly #waiting = new Map<string, Map<Turn, number>>();
  #round = 0;
  #startedAt = 0;
  #isRunning = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** True when this turn's time is used up: a connection with more work must stop and call `enqueue`. */
  get isTurnOver(): boolean {
    this.#begin();
    return this.#clock.monotonic() - this.#startedAt >= TURN_MS;
  }

  enqueue(worker: Turn): void {
    const owner = worker.tenantId ?? "";
    const own = this.#waiting.get(owner) ?? new Map<Turn, number>();
    this.#waiting.set(owner, own.set(worker, this.#round));
    this.#begin();
  }

  remove(worker: Turn): void {
    for (const [owner, own] of this.#waiting)
      if (own.delete(worker) && own.size === 0) this.#waiting.delete(owner);
  }

  #begin(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#startedAt = this.#clock.monotonic();
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isRunning = false;
    if (this.#waiting.size === 0) return;
    this.#begin();
    this.#round++;
    // At least one per turn, so that nobody waits forever.
    for (let next = this.#shift(); next !== undefined; next = this.#shift()) {
      next.resume();
      if (this.isTurnOver) return;
    }
  }

  /** Removes and returns the next work that was interrupted in an earlier round. */
  #shift(): Turn | undefined {
    for (const [owner, own] of this.#waiting)
      for (const [worker, round] of own) {
        if (round === this.#round) break;
        own.delete(worker);
        this.#waiting.delete(owner);
        if (own.size > 0) this.#waiting.set(owner, own); // behind the others
        return worker;
      }
    return undefined;
  }
}
