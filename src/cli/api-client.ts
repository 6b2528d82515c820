import { StartupError } from "../platform/startup-error.ts";

/** A running Lineside as a command sees it: signed in, by the same API that everybody uses. */
export interface ApiClient {
  readonly url: string;
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: unknown): Promise<Answer>;
  /** The device of that name and type, made when there is none. */
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

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw new StartupError(`Nothing answers at ${new URL(url).origin}; is Lineside running there?`, {
      cause,
    });
  }
}

async function read<Answer>(response: Response): Promise<Answer> {
  if (response.ok) return (await response.json()) as Answer; // our own API, described by its types
  const text = await response.text();
  const message = /"message":"([^"]*)"/.exec(text)?.[1] ?? response.statusText;
  throw new StartupError(`${new URL(response.url).pathname} answered ${response.status}: ${message}`);
}

const json = { "content-type": "application/json" };

async function signIn(url: string, email: string, password: string): Promise<string> {
  const authorized = await request(`${url}/idp/authorize`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ email, password }),
  });
  if (authorized.status === 401) throw new StartupError("E-mail or password is wrong.");
  const { code } = await read<{ code: string }>(authorized);
  const exchanged = await request(`${url}/api/auth/exchange`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ code }),
  });
  return (await read<{ accessToken: string }>(exchanged)).accessToken;
}

/** @throws StartupError with a sentence for the person at the terminal. */
export async function connectApi(options: {
  url: string;
  email: string;
  password: string;
}): Promise<ApiClient> {
  const url = options.url.replace(/\/$/, "");
  const token = await signIn(url, options.email, options.password);
  const headers = { authorization: `Bearer ${token}` };
  const get = async <Answer>(path: string) => read<Answer>(await request(url + path, { headers }));
  const post = async <Answer>(path: string, body: unknown) =>
    read<Answer>(
      await request(url + path, {
        method: "POST",
        headers: { ...headers, ...json },
        body: JSON.stringify(body),
      }),
    );
  return {
    url,
    get,
    post,
    async ensureDevice(device) {
      const query = new URLSearchParams({ search: device.name, deviceType: device.deviceType });
      const found = await get<ConnectedDevice[]>(`/api/devices?${query}`);
      const known = found.find((candidate) => candidate.name === device.name);
      return known === undefined
        ? post<ConnectedDevice>("/api/devices", device)
        : get<ConnectedDevice>(`/api/devices/${known.deviceId}`);
    },
  };
}
