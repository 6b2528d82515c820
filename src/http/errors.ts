import { ParseError, ValidationError } from "elysia";
import { DomainError, type ErrorKind } from "../lib/domain-error.ts";
import type { Logger } from "../platform/log.ts";
import { toStorageFailure } from "../platform/storage-failure.ts";
import { securityHeaders } from "./security-headers.ts";

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

const nameOf: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** The contract's error body; 401 has none. */
export function errorResponse(status: number, message: string, given: Record<string, string> = {}): Response {
  // Elysia adds to a thrown error's answer nothing of what it adds to others.
  const headers = { ...securityHeaders, "cache-control": "no-store", ...given };
  if (status === 401)
    return new Response(null, { status, headers: { "www-authenticate": "Bearer", ...headers } });
  const error = nameOf[status] ?? "Error";
  return Response.json({ statusCode: status, error, message }, { status, headers });
}

function domainErrorResponse(error: DomainError): Response {
  const retry =
    error.retryAfterSeconds === undefined ? undefined : { "retry-after": String(error.retryAfterSeconds) };
  return errorResponse(statusOf[error.kind], error.message, retry);
}

interface SchemaPart {
  readonly type?: string;
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly SchemaPart[];
  readonly description?: string;
}

/** What a schema takes, in words: `a whole number from 1 to 10000, or null`. */
function describeSchema(schema: SchemaPart): string {
  const parts = (schema.anyOf ?? []).filter(({ type }) => !(type === "string" && isNumeric(schema)));
  if (parts.length > 0) return [...new Set(parts.map(describeSchema))].join(" or ");
  if (schema.const !== undefined) return String(schema.const);
  const noun = schema.type === "integer" ? "a whole number" : `${schema.type ?? "another value"}`;
  const from = schema.minimum === undefined ? "" : ` from ${schema.minimum}`;
  const to = schema.maximum === undefined ? "" : ` to ${schema.maximum}`;
  return noun + from + to;
}

/** Numbers come as a union of the number and its text. */
const isNumeric = ({ anyOf = [] }: SchemaPart): boolean =>
  anyOf.some(({ type }) => type === "integer" || type === "number");

/** Names the field and the rule, never the value that was sent. */
function validationMessage(error: ValidationError): string {
  const first = error.all.find((issue) => issue !== undefined && "path" in issue);
  const where = ["query", "params", "headers"].includes(error.type) ? `${error.type} ` : "";
  if (first === undefined || !("path" in first)) return `${error.type} is not valid`;
  const field = first.path.replace(/^\//, "").replaceAll("/", ".");
  const schema: SchemaPart = "schema" in first ? (first.schema as SchemaPart) : {}; // what our own schemas are made of
  const rule = schema.description === undefined ? "" : ` (${schema.description})`;
  if (field !== "" && "value" in first && first.value === undefined)
    return `${where}${field}: is required${rule}`;
  const message =
    schema.anyOf === undefined
      ? first.message.replace(/^Expected/, "expected")
      : `expected ${describeSchema(schema)}`;
  return field === "" ? `${where || "a value: "}${message}${rule}` : `${where}${field}: ${message}${rule}`;
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
      ? internalError(error, log)
      : errorResponse(400, validationMessage(error));
  const refusedByDisk = toStorageFailure(error);
  if (refusedByDisk !== undefined) {
    log.error("the disk refused a write", { error });
    return domainErrorResponse(refusedByDisk);
  }
  if (code === "NOT_FOUND") return errorResponse(404, "There is nothing at this path.");
  return internalError(error, log);
}

/** Operations whose 400 the contract gives no body, whatever was wrong. */
const bareBadRequests: ReadonlySet<string> = new Set(["POST /api/users", "POST /api/auth/impersonate"]);

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
