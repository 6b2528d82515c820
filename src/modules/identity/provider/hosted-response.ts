import type { DomainError, ErrorKind } from "../../../lib/core/domain-error.ts";

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

const statusOf: Partial<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limited: 429,
  unavailable: 503,
};

/** Returns a hosted page, with the status that the API would return for the same error. */
export function hostedResponse(page: string, error?: DomainError): Response {
  const retry =
    error?.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) };
  const status = error === undefined ? 200 : (statusOf[error.kind] ?? 400);
  return new Response(page, { status, headers: { ...headers, ...retry } });
}

export const redirectResponse = (location: string, cookie: string | undefined): Response =>
  new Response(null, {
    status: 303,
    headers: { location, "cache-control": "no-store", ...(cookie !== undefined && { "set-cookie": cookie }) },
  });
