import { ParseError, ValidationError } from "elysia";
import {
  DomainError,
  detail,
  type ErrorKind,
  inEnglish,
  invalid,
  notFound,
  unavailableDueTo,
} from "../lib/core/domain-error.ts";
import { messageOf } from "../lib/core/error-message.ts";
import type { Text } from "../lib/texts/text.ts";
import type { Logger } from "../platform/core/log.ts";
import { isUnreadable } from "../platform/database/database-check.ts";
import { refusedWrite } from "../platform/database/storage-failure.ts";
import { BARE_BAD_REQUESTS } from "./openapi/error-responses.ts";
import { securityHeaders } from "./security-headers.ts";
import { statusNames } from "./status-names.ts";
import { describeIssue } from "./validation-message.ts";

const statusOf: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  timed_out: 408,
  conflict: 409,
  outdated: 412,
  too_large: 413,
  unsupported: 415,
  limited: 429,
  exhausted: 403,
  unavailable: 503,
};

export const nothingHere = () => notFound("path.not_found");

/** Returns the error body of the contract, with code and parameters for clients with texts of their own; 401 has no body. */
export function errorResponse(
  status: number,
  { code, params, message }: Text & { readonly message: string },
  addedHeaders: Record<string, string> = {},
): Response {
  // Elysia adds none of its headers to the response of a thrown error.
  const headers = { ...securityHeaders, "cache-control": "no-store", ...addedHeaders };
  if (status === 401)
    return new Response(null, { status, headers: { "www-authenticate": "Bearer", ...headers } });
  const error = statusNames[status] ?? "Error";
  return Response.json({ statusCode: status, error, message, code, params }, { status, headers });
}

/** Returns an error response of this layer, which no module has thrown. */
export const plainError = (
  status: number,
  code:
    | "request.address_invalid"
    | "request.closed"
    | "request.failed"
    | "request.too_large"
    | "request.websocket_required",
  addedHeaders?: Record<string, string>,
): Response => errorResponse(status, { code, params: {}, message: inEnglish(detail(code)) }, addedHeaders);

function domainErrorResponse(error: DomainError): Response {
  const retry =
    error.retryAfterSeconds === undefined ? undefined : { "retry-after": String(error.retryAfterSeconds) };
  return errorResponse(statusOf[error.kind], error, retry);
}

/** Returns the query parameter of a validation error. Elysia reports a number out of range without its name, so it is found by value. */
export function parameterOf(error: unknown, url: string): string | undefined {
  if (!(error instanceof ValidationError) || String(error.type) !== "property" || !URL.canParse(url))
    return undefined;
  const wrong = String(error.valueError?.value);
  const named = [...new URL(url).searchParams].filter(([, value]) => String(Number(value)) === wrong);
  return named.length === 1 ? named[0]?.[0] : undefined;
}

/** Converts an error about a value of the query, the path or the headers. Bodies are checked before (`RequestBodies`). */
function toDomainError(error: ValidationError, parameter: string | undefined): DomainError {
  // Bodies are checked before, and what a query decodes to is reported without its part.
  const where = ["params", "headers", "response"].includes(error.type) ? error.type : "query";
  const issue = error.valueError;
  return issue === undefined
    ? invalid("request.part_invalid", { part: error.type })
    : invalid("request.invalid", describeIssue(issue, parameter ?? where));
}

/** Converts any error of a request to the statuses and bodies of the contract, in one place. */
export function toErrorResponse(
  error: unknown,
  {
    code = "UNKNOWN",
    parameter,
    log,
  }: { code?: string | number; parameter?: string | undefined; log: Logger },
): Response {
  if (error instanceof DomainError) return domainErrorResponse(error);
  if (error instanceof ParseError) {
    // Errors of parse hooks arrive wrapped.
    const { cause } = error;
    return domainErrorResponse(cause instanceof DomainError ? cause : invalid("body.not_well_formed"));
  }
  if (error instanceof ValidationError) {
    const mismatch = toDomainError(error, parameter);
    return error.type === "response"
      ? internalError(new Error(`the response does not fit its schema: ${mismatch.message}`), log)
      : domainErrorResponse(mismatch);
  }
  const refusedByDisk = refusedWrite(error);
  if (refusedByDisk instanceof DomainError) {
    log.error("disk refused a write", {
      reason: refusedByDisk.message,
      cause: messageOf(refusedByDisk.cause),
    });
    return domainErrorResponse(refusedByDisk);
  }
  if (isUnreadable(error)) {
    log.error("a database cannot be read", { error });
    return domainErrorResponse(unavailableDueTo(error, "storage.unreadable"));
  }
  if (code === "NOT_FOUND") return domainErrorResponse(nothingHere());
  // The client has disconnected, so nobody reads this response, and nothing failed here.
  if (error instanceof DOMException && error.name === "AbortError") return plainError(400, "request.closed");
  return internalError(error, log);
}

/** Removes the body of a 400 if the service contract requires it. */
export function withAgreedBody(response: Response, request: Request): Response {
  if (response.status !== 400 || !URL.canParse(request.url)) return response;
  const path = new URL(request.url).pathname.replace(/\/$/, "");
  if (!BARE_BAD_REQUESTS.has(`${request.method} ${path}`)) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-type");
  return new Response(null, { status: 400, headers });
}

function internalError(error: unknown, log: Logger): Response {
  log.error("request failed", { error });
  return plainError(500, "request.failed");
}
