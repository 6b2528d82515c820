import { setImmediate as nextRound } from "node:timers/promises";
import type { AnyElysia } from "elysia";
import type { PeerReader } from "../platform/network/request-arrival.ts";

/** Time of a round of the event loop after which requests of one connection take turns, in ms. */
const FREE_MS = 8;

type Handle = (request: Request) => Response | Promise<Response>;

/**
 * Makes a connection that sends requests without waiting for responses (pipelining) take turns: tens of thousands of short requests may arrive
 * together, and Bun passes them on in one round of the event loop. Bun ends a connection if a request follows one that waits.
 */
export class RequestTurns {
  readonly #now: () => number;
  #startedAt: number | undefined;
  /** Peers with a processed request in this round. */
  readonly #served = new Set<string>();

  /** @param now returns milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Runs before every route of an app. */
  guard(app: AnyElysia): void {
    app.wrap((handle) => {
      const response = handle as unknown as Handle; // Elysia types it as any function
      return (request: Request) => {
        const turn = this.#turn(request, app.server);
        return turn === undefined ? response(request) : turn.then(() => response(request));
      };
    });
  }

  /** Returns undefined for a request that can be answered now. */
  #turn(request: Request, server: PeerReader): Promise<void> | undefined {
    const now = this.#now();
    if (this.#startedAt === undefined) {
      this.#startedAt = now;
      setImmediate(() => {
        this.#startedAt = undefined;
        this.#served.clear();
      });
    }
    if (now - this.#startedAt <= FREE_MS) return undefined;
    const peer = server?.requestIP(request);
    if (!peer) return undefined;
    const connection = `${peer.port} ${peer.address}`;
    if (this.#served.has(connection)) return nextRound();
    this.#served.add(connection);
    return undefined;
  }
}
