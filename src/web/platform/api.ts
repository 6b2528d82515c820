// The one door to the service: adds the bearer token, turns failures into `ApiError`, and sends an ended session to sign-in.
import type {
  Aggregation,
  AttributeEntry,
  DeviceDetail,
  DeviceProfile,
  DeviceRow,
  JsonValue,
  LatestSnapshot,
  Me,
  RangeAnswer,
  Rejection,
  Scope,
} from "../lib/api-types.ts";
import { noteServerTime } from "./now.ts";
import { language } from "./preferences.ts";
import { bearer, hasShareEnded, keepToken, leaveActing, shareToken, startSignIn, token } from "./session.ts";

export class ApiError extends Error {
  constructor(
    /** HTTP status; 0 when no answer came at all. */
    readonly status: number,
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

interface Answer<T> {
  readonly body: T;
  readonly total: number | undefined;
  /** Path of the next page. */
  readonly next: string | undefined;
}

/** A body that is no JSON. */
class RawBody {
  constructor(
    readonly contentType: string,
    readonly content: string | Blob,
  ) {}
}

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  // The language of mails and texts that a request has made is the one that the person has chosen here.
  const headers: Record<string, string> = {
    accept: "application/json, */*",
    "accept-language": language.value,
  };
  if (body !== undefined)
    headers["content-type"] = body instanceof RawBody ? body.contentType : "application/json";
  if (bearer.value) headers.authorization = `Bearer ${bearer.value}`;
  try {
    const response = await fetch(path, {
      method,
      headers,
      ...(body !== undefined && { body: body instanceof RawBody ? body.content : JSON.stringify(body) }),
    });
    noteServerTime(response.headers.get("date"), Date.now());
    return response;
  } catch {
    throw new ApiError(0, "");
  }
}

async function failureOf(response: Response): Promise<ApiError> {
  let message = "";
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null && "message" in body) message = String(body.message);
  } catch {
    // Some failures have no body by contract.
  }
  return new ApiError(response.status, message, Number(response.headers.get("retry-after")) || undefined);
}

/** Sends, and throws unless the answer is a good one. */
async function sendChecked(method: string, path: string, body?: unknown): Promise<Response> {
  const response = await send(method, path, body);
  if (response.status === 401 && shareToken.value) hasShareEnded.value = true;
  else if (response.status === 401 && token.value && !leaveActing()) {
    keepToken(undefined);
    startSignIn(location.pathname + location.search);
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

export async function call<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
  const response = await sendChecked(method, path, body);
  const text = await response.text();
  const total = response.headers.get("x-total-count");
  const next = /<([^<>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  // The server's contract says what each path answers; the console does not validate it a second time.
  const answer = (text ? JSON.parse(text) : undefined) as T;
  return { body: answer, total: total ? Number(total) : undefined, next };
}

/** A file. */
export const load = async (path: string): Promise<Blob> => (await sendChecked("GET", path)).blob();

export const get = async <T>(path: string): Promise<T> => (await call<T>("GET", path)).body;
export const post = async <T>(path: string, body?: unknown): Promise<T> =>
  (await call<T>("POST", path, body)).body;
export const postFile = <T>(path: string, contentType: string, file: Blob): Promise<T> =>
  post<T>(path, new RawBody(contentType, file));
const device = (id: string): string => `/api/devices/${encodeURIComponent(id)}`;

export interface DeviceListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly search?: string;
  readonly deviceType?: string;
  readonly active?: boolean | undefined;
  readonly tag?: string;
  readonly parentDeviceId?: string;
  readonly role?: "DEVICE" | "GATEWAY" | "";
  readonly sort?: string;
}

export interface RangeQuery {
  readonly from: number;
  readonly to: number;
  readonly keys: readonly string[];
  readonly aggregation: Aggregation;
  readonly maxDataPoints: number;
}

export interface DeviceEdit {
  readonly name?: string;
  readonly deviceType?: string;
  readonly label?: string;
  readonly role?: "DEVICE" | "GATEWAY";
  readonly tags?: readonly string[];
  readonly profileId?: string;
  /** Null detaches. */
  readonly parentDeviceId?: string | null;
  /** Null: its name. */
  readonly childName?: string | null;
  /** Null: none. */
  readonly assetId?: string | null;
  /** Null: as the profile says. */
  readonly inactivityTimeoutMs?: number | null;
  /** Null: none. */
  readonly targetDashboardId?: string | null;
  /** The same for all devices of its type, and for those to come. */
  readonly applyToAllOfType?: true;
}

export interface OwnerForm {
  readonly token: string;
  readonly email: string;
  readonly password: string;
  readonly fullName: string;
  readonly tenantName: string;
}

export function queryOf(values: object): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") query.set(key, String(value));
  }
  return query.toString();
}

export const api = {
  me: () => get<Me>("/api/auth/me"),
  logout: () => post<unknown>("/api/auth/logout"),
  exchange: (code: string, codeVerifier: string) =>
    post<{ accessToken: string }>("/api/auth/exchange", { code, codeVerifier }),
  authorize: (body: { email: string; password: string; redirectUri: string; codeChallenge: string }) =>
    post<{ code: string }>("/idp/authorize", body),
  onboard: (tenantName: string) => post<Me>("/api/auth/onboarding", { tenantName }),
  setupState: (setupToken: string) =>
    get<{ valid: boolean }>(`/api/setup?token=${encodeURIComponent(setupToken)}`),
  setup: (form: OwnerForm) => post<unknown>("/api/setup", form),

  async devices(query: DeviceListQuery): Promise<{ rows: DeviceRow[]; total: number }> {
    const answer = await call<DeviceRow[]>("GET", `/api/devices?${queryOf(query)}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  deviceTypes: () => get<{ deviceType: string; count: number }[]>("/api/devices/types?limit=10000"),
  profiles: () => get<DeviceProfile[]>("/api/device-profiles?limit=10000"),
  device: (id: string) => get<DeviceDetail>(device(id)),
  createDevice: (body: DeviceEdit) => post<DeviceDetail>("/api/devices", body),
  updateDevice: async (id: string, body: DeviceEdit) =>
    (await call<DeviceDetail>("PATCH", device(id), body)).body,
  deleteDevice: (id: string) => call<unknown>("DELETE", device(id)),
  rejections: (id: string) => get<Rejection[]>(`${device(id)}/rejections`),

  latest: (id: string) => get<LatestSnapshot>(`${device(id)}/telemetry/latest`),
  /** Of all devices of the site. */
  siteKeys: async () =>
    (await get<{ key: string }[]>("/api/telemetry/keys?limit=10000")).map(({ key }) => key),
  keys: (id: string) => get<{ key: string }[]>(`${device(id)}/keys?limit=10000`),
  async range(id: string, query: RangeQuery): Promise<RangeAnswer["data"][number]["series"]> {
    const path = `${device(id)}/telemetry/range?${queryOf({ ...query, keys: query.keys.join(",") })}`;
    return (await get<RangeAnswer>(path)).data[0]?.series ?? [];
  },

  exportHistory: (id: string, query: { format: "csv" | "ndjson"; from?: number; to?: number }) =>
    load(`${device(id)}/telemetry/export?${queryOf(query)}`),
  importHistory: (
    id: string,
    query: { format: "csv" | "ndjson"; decimal?: "point" | "comma"; timezone?: string },
    text: string,
  ) =>
    post<{ points: number; failed: number; errors: { row: number; message: string }[] }>(
      `${device(id)}/telemetry/import?${queryOf(query)}`,
      new RawBody(query.format === "csv" ? "text/csv" : "application/x-ndjson", text),
    ),

  attributes: (id: string, scope: Scope) =>
    get<AttributeEntry[]>(`${device(id)}/attributes?scope=${scope}&limit=10000`),
  setAttributes: (id: string, scope: Scope, attributes: Record<string, JsonValue>) =>
    post<unknown>(`${device(id)}/attributes`, { scope, attributes }),
  deleteAttribute: (id: string, scope: Scope, key: string) =>
    call<unknown>("DELETE", `${device(id)}/attributes/${scope}/${encodeURIComponent(key)}`),

  catalog: () =>
    get<{ transports: { id: string; name: string; url: string }[] }>("/api/v1/connectivity/catalog"),
};
