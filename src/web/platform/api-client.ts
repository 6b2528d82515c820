// The only HTTP client: adds the bearer token, turns failures into `ApiError`, and redirects to sign-in if the session has ended.
import { signal } from "@preact/signals";
import type { Text } from "../../lib/texts/text.ts";
import { currentPath, withBase } from "./base.ts";
import { noteServerTime } from "./now.ts";
import { language } from "./preferences.ts";
import { bearer, hasShareEnded, keepToken, leaveActing, shareToken, startSignIn, token } from "./session.ts";

export class ApiError extends Error {
  constructor(
    /** HTTP status; 0 if there was no response. */
    readonly status: number,
    message: string,
    readonly retryAfterSeconds?: number,
    /** The meaning of `message`; absent if the response has no body. */
    readonly text?: Text,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Number of writes that the gateway failed to do: a reason to ask for its health. */
export const failedWrites = signal(0);

interface ApiResponse<T> {
  readonly body: T;
  readonly total: number | undefined;
  /** Path of the next page. */
  readonly next: string | undefined;
}

/** A body that is not JSON. */
class RawBody {
  constructor(
    readonly contentType: string,
    readonly content: string | Blob,
  ) {}
}

export const LOGOUT_PATH = "/api/auth/logout";
const requests = new AbortController();

/**
 * Aborts the requests in progress and allows no more, except the request that ends the session: others would be refused, with errors in the
 * browser's log. The page is left afterwards.
 */
export const endRequests = (): void => requests.abort();

async function send(method: string, path: string, body?: unknown, version?: string): Promise<Response> {
  const isLogout = path === LOGOUT_PATH;
  if (requests.signal.aborted && !isLogout) return new Promise(() => undefined);
  // Emails and texts that a request causes are in the user's language.
  const headers: Record<string, string> = {
    accept: "application/json, */*",
    "accept-language": language.value,
  };
  if (body !== undefined)
    headers["content-type"] = body instanceof RawBody ? body.contentType : "application/json";
  if (version !== undefined) headers["if-match"] = `"${version}"`;
  if (bearer.value) headers.authorization = `Bearer ${bearer.value}`;
  try {
    const response = await fetch(withBase(path), {
      method,
      headers,
      ...(!isLogout && { signal: requests.signal }),
      ...(body !== undefined && { body: body instanceof RawBody ? body.content : JSON.stringify(body) }),
    });
    noteServerTime(response.headers.get("date"), Date.now());
    return response;
  } catch {
    if (requests.signal.aborted && !isLogout) return new Promise(() => undefined);
    throw new ApiError(0, "");
  }
}

/** Body of an error response; all fields are optional. */
type ErrorBody = Partial<Text & { readonly message: string }> | null;

async function failureOf(response: Response): Promise<ApiError> {
  // Some failures have no body by contract.
  const body: ErrorBody = await response.json().catch(() => null);
  const { message = "", code, params = {} } = body ?? {};
  const retryAfterSeconds = Number(response.headers.get("retry-after")) || undefined;
  return new ApiError(
    response.status,
    message,
    retryAfterSeconds,
    code === undefined ? undefined : { code, params },
  );
}

/** Sends a request, and throws unless the response is successful. */
async function sendChecked(
  method: string,
  path: string,
  body?: unknown,
  version?: string,
): Promise<Response> {
  const response = await send(method, path, body, version);
  if (response.status === 401 && shareToken.value) hasShareEnded.value = true;
  else if (response.status === 401 && token.value && !leaveActing()) {
    keepToken(undefined);
    startSignIn(currentPath());
  }
  if (response.status >= 500 && method !== "GET") failedWrites.value++;
  if (!response.ok) throw await failureOf(response);
  return response;
}

export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  version?: string,
): Promise<ApiResponse<T>> {
  const response = await sendChecked(method, path, body, version);
  const text = await response.text();
  const total = response.headers.get("x-total-count");
  const next = /<([^<>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  // The API's contract defines the body of each path; the console does not validate it.
  const parsed = (text ? JSON.parse(text) : undefined) as T;
  return { body: parsed, total: total ? Number(total) : undefined, next };
}

/** Loads a file. */
export const load = async (path: string): Promise<Blob> => (await sendChecked("GET", path)).blob();

/** Returns the body of a response whatever its status, for addresses whose failures are results too. */
export const readAny = async <T>(path: string): Promise<T> => (await send("GET", path)).json();

export const get = async <T>(path: string): Promise<T> => (await call<T>("GET", path)).body;
/** @param version the `updatedAt` that the change is based on; 412 if there is a newer one */
export const post = async <T>(path: string, body?: unknown, version?: string): Promise<T> =>
  (await call<T>("POST", path, body, version)).body;
/** @param version as for `post` */
export const patch = async <T>(path: string, body: unknown, version?: string): Promise<T> =>
  (await call<T>("PATCH", path, body, version)).body;
export const put = async <T>(path: string, body: unknown): Promise<T> =>
  (await call<T>("PUT", path, body)).body;
export const remove = async <T = unknown>(path: string, body?: unknown): Promise<T> =>
  (await call<T>("DELETE", path, body)).body;

interface Page<Row> {
  readonly rows: readonly Row[];
  /** Number of all matches; `rows` may contain only the first of them. */
  readonly total: number;
}

export async function getPage<Row>(path: string, query: object): Promise<Page<Row>> {
  const { body, total } = await call<Row[]>("GET", `${path}?${queryOf(query)}`);
  return { rows: body, total: total ?? body.length };
}

export const postFile = <T>(path: string, contentType: string, content: string | Blob): Promise<T> =>
  post<T>(path, new RawBody(contentType, content));

export const putFile = <T>(path: string, contentType: string, content: string | Blob): Promise<T> =>
  put<T>(path, new RawBody(contentType, content));

export function queryOf(values: object): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") query.set(key, String(value));
  }
  return query.toString();
}
