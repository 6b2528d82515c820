/** Maps an answer to its meaning for a request, and computes the delay before the next attempt. */

const SECOND_MS = 1_000;
const WAIT_MAX_MS = 5 * 60 * SECOND_MS;
/** However long a server asks for. */
const RETRY_AFTER_MAX_MS = 60 * 60 * SECOND_MS;
/** Age at which a request is given up, on the running clock: nothing is given up while the gateway is off. */
export const GIVE_UP_AFTER_MS = 24 * 60 * 60 * SECOND_MS;

/**
 * `target`: whoever is there does not work, others need not try now; `request`: perhaps only this one cannot be taken now.
 */
export type Verdict = "delivered" | "dead" | { readonly retry: "target" | "request" };

const OF_REQUEST: ReadonlySet<number> = new Set([408, 425, 500, 501, 505, 507, 508]);
const OF_TARGET: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function verdictOf(status: number): Verdict {
  if (status >= 200 && status < 300) return "delivered";
  if (OF_TARGET.has(status)) return { retry: "target" };
  if (OF_REQUEST.has(status) || status >= 500) return { retry: "request" };
  // Sent elsewhere for now is what a sign-in page of a network does, and passes; sent elsewhere for good is a wrong address.
  return status >= 300 && status < 400 && status !== 301 && status !== 308 ? { retry: "request" } : "dead";
}

/** Doubles from a second to five minutes by default; half of it is random, so that many clients do not come back simultaneously. */
export function waitAfter(
  failures: number,
  random: () => number,
  { firstMs = SECOND_MS, maxMs = WAIT_MAX_MS } = {},
): number {
  const whole = Math.min(firstMs * 2 ** Math.min(failures - 1, 20), maxMs);
  return Math.round(whole / 2 + (whole / 2) * random());
}

/** The wait that a `Retry-After` (seconds or a date) asks for; 0 without one. */
export function retryAfter(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS) : 0;
}
