/** Takeovers within `TAKEOVER_WINDOW_MS` that are listed: a client that reconnects takes over its own lost connection now and then. */
const LISTED_FROM = 3;
export const TAKEOVER_WINDOW_MS = 5 * 60_000;
/** Number of devices and sessions that are remembered; beyond it the one whose newest takeover is oldest is forgotten. */
const REMEMBERED_MAX = 1_000;
const TIMES_MAX = 100;

/** Counts connections that were ended by another one of the same device or session: clients that share a token end each other for ever. */
export class Takeovers {
  /** Times of the newest takeovers, by device or session; the one with the newest takeover last. */
  readonly #times = new Map<string, number[]>();

  /** Adds a takeover. Returns how many there were in the window, or `undefined` while they are too few to be listed. */
  add(key: string, now: number): number | undefined {
    const times = (this.#times.get(key) ?? []).filter((time) => now - time < TAKEOVER_WINDOW_MS);
    times.push(now);
    this.#times.delete(key);
    this.#times.set(key, times.slice(-TIMES_MAX));
    const [oldest] = this.#times.keys();
    if (this.#times.size > REMEMBERED_MAX && oldest !== undefined) this.#times.delete(oldest);
    return times.length >= LISTED_FROM ? times.length : undefined;
  }
}
