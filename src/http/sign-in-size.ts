/** Where anybody may send bodies that are read before it is known who sends them. */
const forAnybody = /^\/+(api\/auth|idp)(\/|$)/i;
const BYTES_MAX = 64 * 1024;

/**
 * Codes, names and passwords are short; megabytes of brackets would keep everybody waiting while they are read. A body that does not say
 * how long it is counts as too large.
 */
export function isTooLargeToSignIn({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  if (!forAnybody.test(new URL(url).pathname)) return false;
  if (headers.has("transfer-encoding")) return true;
  return Number(headers.get("content-length") ?? 0) > BYTES_MAX;
}
