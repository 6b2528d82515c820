import { ParseError, ValidationError } from "elysia";
import { DomainError, type ErrorKind, notFound } from "../lib/domain-error.ts";
import type { Logger } from "../platform/log.ts";
import { toStorageFailure } from "../platform/storage-failure.ts";
import { bareBadRequests } from "./openapi/error-responses.ts";
import { securityHeaders } from "./security-headers.ts";
import { names as statusNames } from "./status-names.ts";
import { describeIssue } from "./validation-message.ts";

const statusOf: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported: 415,
  limited: 429,
  exhausted: 403,
  unavailable: 503,
};

export const nothingHere = () => notFound("path.not_found", "There is nothing at this path.");

/** The contract's error body; 401 has none. */
export function errorResponse(status: number, message: string, given: Record<string, string> = {}): Response {
  // Elysia adds to a thrown error's answer nothing of what it adds to others.
  const headers = { ...securityHeaders, "cache-control": "no-store", ...given };
  if (status === 401)
    return new Response(null, { status, headers: { "www-authenticate": "Bearer", ...headers } });
  const error = statusNames[status] ?? "Error";
  return Response.json({ statusCode: status, error, message }, { status, headers });
}

function domainErrorResponse(error: DomainError): Response {
  const retry =
    error.retryAfterSeconds === undefined ? undefined : { "retry-after": String(error.retryAfterSeconds) };
  return errorResponse(statusOf[error.kind], error.message, retry);
}

/** A value of the query, the path or the headers that does not fit; bodies are checked before (`RequestBodies`). */
function validationMessage(error: ValidationError): string {
  // Bodies are checked before, and what a query decodes to is reported without its part.
  const where = ["params", "headers", "response"].includes(error.type) ? error.type : "query";
  const issue = error.valueError;
  return issue === undefined ? `${error.type} is not valid` : describeIssue(issue, where);
}

/** Maps everything that a request can end in to the contract's statuses and bodies, once. */
export function toErrorResponse(error: unknown, code: string | number, log: Logger): Response {
  if (error instanceof DomainError) return domainErrorResponse(error);
  if (error instanceof ParseError) {
    // What a parse hook throws arrives wrapped.
    return error.cause instanceof DomainError
      ? domainErrorResponse(error.cause)
      : errorResponse(400, "body is not well-formed");
  }
  if (error instanceof ValidationError)
    return error.type === "response"
      ? internalError(new Error(`the answer does not fit its schema: ${validationMessage(error)}`), log)
      : errorResponse(400, validationMessage(error));
  const refusedByDisk = toStorageFailure(error);
  if (refusedByDisk !== undefined) {
    log.error("the disk refused a write", { error });
    return domainErrorResponse(refusedByDisk);
  }
  if (code === "NOT_FOUND") return domainErrorResponse(nothingHere());
  // The client has left, in the middle of its body or while it was answered: nobody reads this, and nothing failed here.
  if (error instanceof DOMException && error.name === "AbortError")
    return errorResponse(400, "The connection was closed.");
  return internalError(error, log);
}

/** The same answer as it may leave: a 400 of these operations says nothing. */
export function withAgreedBody(answer: Response, request: Request): Response {
  if (answer.status !== 400 || !URL.canParse(request.url)) return answer;
  const path = new URL(request.url).pathname.replace(/\/$/, "");
  if (!bareBadRequests.has(`${request.method} ${path}`)) return answer;
  const headers = new Headers(answer.headers);
  headers.delete("content-type");
  return new Response(null, { status: 400, headers });
}

function internalError(error: unknown, log: Logger): Response {
  log.error("request failed", { error });
  return errorResponse(500, "Something went wrong inside Lineside; the log has the details.");
}
