import { invariant } from "../../lib/core/invariant.ts";
import type { ErrorStatus } from "../../modules/api/operation-errors.ts";
import { statusNames } from "../status-names.ts";
import type { Reference, Response, RouteDetail } from "./openapi.types.ts";

const ERROR = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };

/** Descriptions of the shared responses; 401 has no body. */
const descriptions: Record<Exclude<ErrorStatus, 401>, string> = {
  400: "Something in the request is missing or invalid; the message names it.",
  403: "The caller may not do this, or a quota is used up; the message says which.",
  404: "The object does not exist, or the caller cannot see it.",
  408: "Nothing arrived within the given time.",
  409: "The request conflicts with something that exists or is in progress.",
  412: "The object was changed after the version that `If-Match` names.",
  413: "The body or the response is too large.",
  415: "The body is of a type that is not accepted here.",
  426: "This path takes WebSocket connections.",
  429: "Too many requests. `Retry-After` says when to try again.",
  503: "The gateway cannot do this now: it is starting or stopping, its disk is full, or unread responses take up all of the memory for them. `Retry-After` says when to try again.",
};

const retryAfter = {
  "retry-after": { description: "seconds after which to try again", schema: { type: "integer" } },
};

/** Responses without a body: 401, the bare 400 of two operations, and errors of the HTTP parser. */
const withoutBody: Record<string, Response> = {
  Unauthorized: { description: "The credential is missing or not valid. There is no body." },
  RequestHeaderFieldsTooLarge: {
    description: "The request line and headers are too long. There is no body.",
  },
  BareBadRequest: { description: "Something in the request is missing or invalid. There is no body." },
};

const nameOf = (status: number): string => (statusNames[status] ?? "Error").replaceAll(" ", "");

/** Returns `components.responses` of the document. */
export function errorResponses(): Record<string, Response> {
  const responses = Object.entries(descriptions).map(([status, description]): [string, Response] => [
    nameOf(Number(status)),
    {
      description,
      ...(["429", "503"].includes(status) && { headers: retryAfter }),
      content: ERROR,
    },
  ]);
  return { ...Object.fromEntries(responses), ...withoutBody };
}

/** Operations whose 400 has no body by contract. */
export const BARE_BAD_REQUESTS: ReadonlySet<string> = new Set([
  "POST /api/users",
  "POST /api/auth/impersonate",
]);

interface FailingRoute {
  readonly method: string;
  readonly path: string;
  readonly detail: RouteDetail;
  readonly hasInput: boolean;
  readonly takesBody: boolean;
}

/** Returns the errors that every operation of this form can return, and those that its route describes. */
export function errorsOf({
  method,
  path,
  detail,
  hasInput,
  takesBody,
}: FailingRoute): Record<string, Reference> {
  const needsPermission = detail["x-permission"] !== undefined;
  const isDevice = path.startsWith("/api/v1/:deviceToken/");
  const isRead = method === "GET";
  // An unreadable body is refused even if none is needed.
  const statuses = [
    ...(hasInput || isDevice || !isRead ? [400] : []),
    ...(needsPermission ? [401] : []),
    ...(needsPermission || (isDevice && !isRead) ? [403] : []),
    ...(needsPermission && path.includes(":") ? [404] : []),
    ...(isRead && !needsPermission ? [] : [413]),
    ...(takesBody ? [415] : []),
    ...(isDevice ? [429] : []),
    ...(hasInput ? [431] : []),
    ...(isRead && !needsPermission ? [] : [503]),
  ];
  const route = `${method} ${path}`;
  const common = statuses.map((status) => [String(status), refer(status, route)]);
  return { ...Object.fromEntries(common), ...describedErrors(detail, route) };
}

function describedErrors({ errors = {} }: RouteDetail, route: string): Record<string, Reference> {
  const described = Object.entries(errors).map(([status, description]): [string, Reference] => {
    invariant(status === "401" || status in descriptions, `${route} describes known error statuses`);
    return [status, { ...refer(Number(status), route), description }];
  });
  return Object.fromEntries(described);
}

function refer(status: number, route: string): Reference {
  const name = status === 400 && BARE_BAD_REQUESTS.has(route) ? "BareBadRequest" : nameOf(status);
  return { $ref: `#/components/responses/${name}` };
}
