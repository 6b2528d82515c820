import { renderIn, type TextLanguage } from "../lib/texts/catalogues.ts";
import type { Text } from "../lib/texts/text.ts";
import { StartupError } from "../platform/process/startup-error.ts";
import type { Credentials } from "./arguments.ts";
import type { GatewayEndpoint } from "./gateway-url.ts";
import { terminalLanguage } from "./terminal-language.ts";

/** Client of a running gateway for commands, signed in to the public API. */
export interface ApiClient {
  readonly url: string;
  get<Result>(path: string): Promise<Result>;
  post<Result>(path: string, body: unknown): Promise<Result>;
  put<Result>(path: string, body: unknown): Promise<Result>;
  patch<Result>(path: string, body: unknown): Promise<Result>;
  delete(path: string): Promise<void>;
  /** Sends text of another content type. Waits and repeats the request while the gateway is unreachable or accepts no data. */
  postText<Result>(path: string, contentType: string, body: string): Promise<Result>;
  /** Returns the body of a response as a stream. */
  stream(path: string): Promise<AsyncIterable<Uint8Array>>;
  /** Returns the device with this name and type, and creates it if it does not exist. */
  ensureDevice(device: NewDevice): Promise<ConnectedDevice>;
}

export interface NewDevice {
  readonly name: string;
  readonly deviceType: string;
  readonly label?: string;
  readonly tags?: readonly string[];
  readonly role?: "DEVICE" | "GATEWAY";
  readonly parentDeviceId?: string;
}

export interface ConnectedDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly credentials: { readonly token: string };
}

/** Sends a request to a gateway. */
export type SendRequest = (url: string, init: RequestInit) => Promise<Response>;

/** Refusal of a request by the gateway. */
export class ApiError extends StartupError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const requestOver =
  ({ tls }: GatewayEndpoint): SendRequest =>
  async (url, init) => {
    try {
      return await fetch(url, { ...init, ...(tls && { tls }) });
    } catch (cause) {
      throw new StartupError(
        `Nothing answers at ${new URL(url).origin}. Start Lineside, or name its address (--url) or data directory (--data).`,
        { cause },
      );
    }
  };

/** Body of an error response. Older gateways send only the message. */
interface ErrorBody extends Partial<Text> {
  readonly message?: string;
}

/** Returns the error of the gateway in the language of the terminal; in English for codes unknown to this version. */
export function errorText({ code, params = {}, message }: ErrorBody, language: TextLanguage): string {
  const text = code === undefined ? undefined : renderIn(language, { code, params });
  return text === undefined || text === code ? (message ?? code ?? "") : text;
}

async function read<Result>(response: Response, url: string): Promise<Result> {
  if (response.ok) return (await response.json()) as Result; // our own API, described by its types
  const body = (await response.json().catch(() => null)) as ErrorBody | null;
  const said = body === null ? response.statusText : errorText(body, terminalLanguage());
  throw new ApiError(`${new URL(url).pathname} answered ${response.status}: ${said}`, response.status);
}

/** Delays between attempts of a repeated request: in total enough for a restart of the gateway, or for making room on a disk. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000];

/** Repeats `send` while the gateway does not respond or its storage accepts no writes (503). The request must be idempotent. */
async function persist(send: () => Promise<Response>): Promise<Response> {
  for (const delayMs of RETRY_DELAYS_MS) {
    const response = await send().catch((error: unknown) => {
      if (!(error instanceof StartupError)) throw error;
      return undefined;
    });
    if (response !== undefined && response.status !== 503) return response;
    await response?.body?.cancel();
    console.error(
      response === undefined
        ? "the gateway does not answer; waiting …"
        : "the gateway takes no data just now; waiting …",
    );
    await Bun.sleep(delayMs);
  }
  return send();
}

const json = { "content-type": "application/json" };

async function signIn(request: SendRequest, url: string, credentials: Credentials): Promise<string> {
  if ("key" in credentials) {
    const { key } = credentials;
    const path = `${url}/api/auth/me`;
    const account = await request(path, { headers: { authorization: `Bearer ${key}` } });
    if (account.status === 401)
      throw new StartupError(
        "The API key is wrong, expired or revoked. Create one with lineside apikey create.",
      );
    await read(account, path);
    return key;
  }
  const { email, password, otp } = credentials;
  const authorizing = `${url}/idp/authorize`;
  const authorized = await request(authorizing, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ email, password, ...(otp !== undefined && { otp }) }),
  });
  if (authorized.status === 401)
    throw new StartupError(
      otp === undefined
        ? "The email address or the password is wrong. If a second factor is on, add --otp."
        : "The email address, the password or --otp is wrong. A code is valid for 30 seconds.",
    );
  const { code } = await read<{ code: string }>(authorized, authorizing);
  const exchanging = `${url}/api/auth/exchange`;
  const exchanged = await request(exchanging, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ code }),
  });
  return (await read<{ accessToken: string }>(exchanged, exchanging)).accessToken;
}

/** @throws StartupError with a sentence for the user at the terminal */
export async function connectApi(credentials: Credentials): Promise<ApiClient> {
  const url = credentials.url.replace(/\/$/, "");
  const request = requestOver(credentials);
  return createApiClient({ url, request, token: await signIn(request, url, credentials) });
}

/** Creates the client of a signed-in user. */
export function createApiClient(of: { url: string; request: SendRequest; token: string }): ApiClient {
  const { url, request, token } = of;
  const headers = { authorization: `Bearer ${token}` };
  const get = async <Result>(path: string) =>
    read<Result>(await request(url + path, { headers }), url + path);
  const send =
    (method: "POST" | "PATCH" | "PUT") =>
    async <Result>(path: string, body: unknown) =>
      read<Result>(
        await request(url + path, {
          method,
          headers: { ...headers, ...json },
          body: JSON.stringify(body),
        }),
        url + path,
      );
  const post = send("POST");
  return {
    url,
    get,
    post,
    put: send("PUT"),
    patch: send("PATCH"),
    async delete(path) {
      await read(await request(url + path, { method: "DELETE", headers }), url + path);
    },
    async stream(path) {
      const response = await request(url + path, { headers });
      if (!response.ok || response.body === null)
        throw new StartupError(
          `${path} could not be read (status ${response.status}). Check that the gateway is running, then try again.`,
        );
      return response.body;
    },
    async postText<Result>(path: string, contentType: string, body: string) {
      const init = { method: "POST", headers: { ...headers, "content-type": contentType }, body };
      return read<Result>(await persist(() => request(url + path, init)), url + path);
    },
    async ensureDevice(device) {
      const query = new URLSearchParams({ search: device.name, deviceType: device.deviceType });
      const found = await get<ConnectedDevice[]>(`/api/devices?${query}`);
      const existing = found.find((candidate) => candidate.name === device.name);
      return existing === undefined
        ? post<ConnectedDevice>("/api/devices", device)
        : get<ConnectedDevice>(`/api/devices/${existing.deviceId}`);
    },
  };
}
