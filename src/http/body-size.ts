/** Bodies that are read before it is known who sends them: codes, names and passwords are short. */
const forAnybody = /^\/+(api\/auth|api\/setup|api\/shared|api\/v1\/provision|idp)(\/|$)/i;
/** Parts of a backup, for a gateway without an owner. */
const archivePart = /^\/+api\/setup\/restore\/archive$/i;
const ANYBODY_BYTES_MAX = 64 * 1024;
/** Lists of devices, history, and what devices and network servers send have limits of their own. */
const large =
  /^\/+(write$|api\/v2\/write$|api\/(devices\/bulk\/(import|validate)$|devices\/[^/]+\/telemetry\/import|v1\/(?!telemetry\/|provision)))/i;
const BYTES_MAX = 1024 * 1024;

const SHORT_BYTES_MAX = 64 * 1024;
const BYTES_PER_SECOND_MIN = 1024;
/** Bun counts no longer times. */
const SECONDS_MAX = 255;

/**
 * Seconds that a body has to arrive, where the idle timeout is too short for it: a large file may come over a slow line. Undefined for short
 * bodies.
 */
export function bodySeconds({ headers }: Pick<Request, "headers">, idleSeconds: number): number | undefined {
  const length = Number(headers.get("content-length") ?? 0);
  if (!(length > SHORT_BYTES_MAX)) return undefined;
  return Math.min(SECONDS_MAX, idleSeconds + Math.ceil(length / BYTES_PER_SECOND_MIN));
}

/**
 * Returns whether the body is too large to be read: megabytes of brackets would keep everybody waiting. A body that does not say how long it is
 * counts as too large.
 */
export function isTooLarge({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  const length = Number(headers.get("content-length") ?? 0);
  const isUnknown = headers.has("transfer-encoding");
  if (length <= ANYBODY_BYTES_MAX && !isUnknown) return false;
  const { pathname } = new URL(url);
  if (forAnybody.test(pathname) && !archivePart.test(pathname))
    return isUnknown || length > ANYBODY_BYTES_MAX;
  if (large.test(pathname)) return false;
  return isUnknown || length > BYTES_MAX;
}
