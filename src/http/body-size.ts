/** Where anybody may send bodies that are read before it is known who sends them: codes, names and passwords are short. */
const forAnybody = /^\/+(api\/auth|api\/shared|idp)(\/|$)/i;
const ANYBODY_BYTES_MAX = 64 * 1024;
/** What has limits of its own: files of devices and of history, and what devices send. */
const large = /^\/+api\/(v1\/|devices\/bulk\/|devices\/[^/]+\/telemetry\/import)/i;
const BYTES_MAX = 1024 * 1024;

/**
 * Megabytes of brackets would keep everybody waiting while they are read. A body that does not say how long it is counts as too
 * large.
 */
export function isTooLarge({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  const length = Number(headers.get("content-length") ?? 0);
  const isUnknown = headers.has("transfer-encoding");
  if (length <= ANYBODY_BYTES_MAX && !isUnknown) return false;
  const { pathname } = new URL(url);
  if (large.test(pathname)) return false;
  return isUnknown || length > (forAnybody.test(pathname) ? ANYBODY_BYTES_MAX : BYTES_MAX);
}
