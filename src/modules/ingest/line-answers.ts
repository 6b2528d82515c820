import type { DomainError, ErrorKind } from "../../lib/domain-error.ts";

/*
 * Refusals that clients of InfluxDB understand: those of version 1 read `error`, those of version 2 `code` and `message`. The status tells a
 * client whether it sends the lines again, so whatever does not change by itself is a 400.
 */

interface Answer {
  readonly status: number;
  /** Code of version 2. */
  readonly code: string;
}

const answers: Partial<Record<ErrorKind, Answer>> = {
  unauthenticated: { status: 401, code: "unauthorized" },
  too_large: { status: 413, code: "request too large" },
  unsupported: { status: 415, code: "invalid" },
  limited: { status: 429, code: "too many requests" },
  unavailable: { status: 503, code: "unavailable" },
};
const invalidAnswer: Answer = { status: 400, code: "invalid" };

const answerOf = ({ kind }: DomainError): Answer => answers[kind] ?? invalidAnswer;

export function lineRefusal(error: DomainError, version: 1 | 2): Response {
  const { status, code } = answerOf(error);
  const { message, params, retryAfterSeconds } = error;
  const headers = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-influxdb-error": message.replace(/[^ -~]/g, "?"),
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
  if (status === 401)
    return new Response(null, {
      status,
      headers: { ...headers, "www-authenticate": 'Basic realm="Lineside"' },
    });
  const body = version === 1 ? { error: message, code: error.code } : { error: error.code, code };
  return Response.json({ statusCode: status, message, params, ...body }, { status, headers });
}

/** Returns the token of a request, wherever one of the versions has it; empty if there is none. */
export function lineToken({ headers }: Pick<Request, "headers">, password = ""): string {
  const [, scheme = "", credential = ""] = /^(\w+) +(\S+) *$/.exec(headers.get("authorization") ?? "") ?? [];
  if (/^(token|bearer)$/i.test(scheme)) return credential;
  if (!/^basic$/i.test(scheme)) return password;
  const decoded = Buffer.from(credential, "base64").toString();
  return decoded.slice(decoded.indexOf(":") + 1);
}
