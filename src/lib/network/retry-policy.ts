/** Maps a response to its meaning for a request, and computes the delay before the next attempt. */

const SECOND_MS = 1_000;
const WAIT_MAX_MS = 5 * 60 * SECOND_MS;
/** Max. delay requested by a server that is respected. */
const RETRY_AFTER_MAX_MS = 60 * 60 * SECOND_MS;
/** Age at which a request is given up, measured while the gateway runs. */
export const GIVE_UP_AFTER_MS = 24 * 60 * 60 * SECOND_MS;

/** `target`: the server does not work, so other requests need not be tried now; `request`: perhaps only this one cannot be accepted now. */
export type Verdict = "delivered" | "dead" | { readonly retry: "target" | "request" };

const OF_REQUEST: ReadonlySet<number> = new Set([408, 425, 500, 501, 505, 507, 508]);
const OF_TARGET: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function verdictOf(status: number): Verdict {
  if (status >= 200 && status < 300) return "delivered";
  if (OF_TARGET.has(status)) return { retry: "target" };
  if (OF_REQUEST.has(status) || status >= 500) return { retry: "request" };
  // Sign-in pages of networks redirect temporarily, which passes; a permanent redirect means a wrong address.
  return status >= 300 && status < 400 && status !== 301 && status !== 308 ? { retry: "request" } : "dead";
}

/** Returns a delay that doubles from a second to five minutes by default. Half of it is random, so that many clients do not return simultaneously. */
export function backOffMs(
  failures: number,
  random: () => number,
  { firstMs = SECOND_MS, maxMs = WAIT_MAX_MS } = {},
): number {
  const whole = Math.min(firstMs * 2 ** Math.min(failures - 1, 20), maxMs);
  return Math.round(whole / 2 + (whole / 2) * random());
}

/** Returns the delay of a `Retry-After` header (seconds or a date); 0 without one. */
export function readRetryAfterMs(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS) : 0;
}
