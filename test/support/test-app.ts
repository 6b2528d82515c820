import { appendFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../../src/app.ts";
import type { ApiDocument } from "../../src/http/api-docs.ts";
import type { DeviceId } from "../../src/lib/core/ids.ts";
import { createPasswordHasher, type PasswordHasher } from "../../src/modules/identity/provider/password.ts";
import type { Role, User } from "../../src/modules/users/users.types.ts";
import { type Config, defaultConfig } from "../../src/platform/config/config.ts";
import type { ReadOnlyCheck, ReadSpace } from "../../src/platform/files/disk-guard.ts";
import type { Clock } from "../../src/platform/time/clock.ts";
import { ApiContract } from "./api-document.ts";

export const PASSWORD = "a long enough password 7";

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: test assertions look into answers of every shape
  readonly body: any;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly headers?: Record<string, string>;
}

/** The real composition root on free ports and a temporary directory; only the clock may be replaced. */
export interface TestApp {
  readonly app: App;
  readonly directory: string;
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>;
  /**
   * A user of a tenant (made on first use of its name) and an access token of a session of that user. The tenant `host`, or the one that
   * the options name, is that of the gateway's own people.
   */
  signIn(
    role: Role,
    options?: { tenant?: string; plan?: string; devices?: readonly string[]; tenantId?: string },
  ): Promise<{ token: string; user: User }>;
  createDevice(token: string, fields?: Record<string, unknown>): Promise<{ deviceId: string; token: string }>;
  stop(): Promise<void>;
}

/** A hash takes 30 ms of processor time, and there are more than a thousand sign-ins: that of their password is computed once. */
let knownHash: Promise<string> | undefined;
function createTestHasher(): PasswordHasher {
  const hasher = createPasswordHasher();
  return {
    ...hasher,
    hash(password, urgency) {
      if (password !== PASSWORD) return hasher.hash(password, urgency);
      knownHash ??= createPasswordHasher().hash(PASSWORD); // one of its own is never busy
      return knownHash;
    },
  };
}

/** File to which answers are added as lines `{operationId, status, body}`: see `src/tools/docs/response-examples.ts`. */
const RESPONSES_FILE = process.env.RESPONSES_FILE;

/** The same for every app of a test file: routes do not depend on settings. */
let contract: ApiContract | undefined;

/** Undefined where the document is only for users who are signed in. */
async function contractOf(url: string): Promise<ApiContract | undefined> {
  const response = await fetch(`${url}/docs/json`);
  return response.ok ? new ApiContract((await response.json()) as ApiDocument) : undefined;
}

export async function createTestApp(
  options: {
    clock?: Clock;
    readSpace?: ReadSpace;
    isReadOnly?: ReadOnlyCheck;
    config?: Partial<Config>;
    directory?: string;
    host?: string;
  } = {},
): Promise<TestApp> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "lineside-test-")));
  const config = defaultConfig({
    data: directory,
    http_port: 0,
    mqtt_port: 0,
    https_port: 0,
    mqtt_tls_port: 0,
    http_host: "127.0.0.1",
    mqtt_host: "127.0.0.1",
    ...options.config,
  });
  const app = createApp(config, {
    hasher: createTestHasher(),
    ...(options.clock && { clock: options.clock }),
    ...(options.readSpace && { readSpace: options.readSpace }),
    ...(options.isReadOnly && { isReadOnly: options.isReadOnly }),
  });
  await app.start();
  // Nothing passes requests on from a public address.
  const { port } = app.http.server ?? {};
  const base = config.public_url === undefined || port === undefined ? app.url : `http://127.0.0.1:${port}`;
  const tenants = new Map<string, string>();
  let counter = 0;

  async function call(
    method: string,
    path: string,
    { token, body, raw, headers = {} }: CallOptions = {},
  ): Promise<ApiResponse> {
    const response = await fetch(`${base}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(raw !== undefined
        ? { body: raw as BodyInit }
        : body === undefined
          ? {}
          : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    contract ??= await contractOf(base);
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const parsed: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
    const problem = contract?.problemOf({
      method,
      path,
      status: response.status,
      contentType: response.headers.get("content-type"),
      body: parsed,
    });
    if (problem !== undefined) throw new Error(problem);
    if (RESPONSES_FILE !== undefined && response.ok && parsed !== undefined)
      appendFileSync(
        RESPONSES_FILE,
        `${JSON.stringify({ operationId: contract?.operationIdOf(method, path), status: response.status, body: parsed })}\n`,
      );
    if (response.ok && body !== undefined && headers["content-type"] === undefined) {
      const undocumented = contract?.requestProblemOf({
        method,
        path,
        body: JSON.parse(JSON.stringify(body)),
      });
      if (undocumented !== undefined) throw new Error(undocumented);
    }
    return { status: response.status, headers: response.headers, text, body: parsed };
  }

  async function signIn(
    role: Role,
    {
      tenant = "one",
      plan = "onprem",
      devices,
      tenantId: earlier,
    }: {
      tenant?: string;
      plan?: string;
      devices?: readonly string[];
      /** A tenant that an earlier run in the same directory has created. */
      tenantId?: string;
    } = {},
  ) {
    const { services } = app;
    if (earlier !== undefined) tenants.set(tenant, earlier);
    const existingTenant = services.tenants
      .list()
      .find((candidate) => candidate.tenantId === tenants.get(tenant));
    const { tenantId } =
      existingTenant ??
      services.tenants.create(tenant, plan, { isHost: tenant === (options.host ?? "host") });
    tenants.set(tenant, tenantId);
    const email = `user${++counter}@${tenant}.example`;
    const user = services.users.create({
      tenantId,
      email,
      fullName: role,
      role,
      status: "ACTIVE",
      canAcknowledgeAlarms: false,
      hasGlobalDeviceAccess: devices === undefined,
    });
    for (const deviceId of devices ?? []) services.users.grantDevice(user.userId, deviceId as DeviceId);
    await services.provider.saveAccount(email, PASSWORD);
    // The password is not checked: hashing it once more would double the time of a sign-in.
    const session = services.sessions.start(user.userId, { address: "local", userAgent: "" });
    const { accessToken } = await services.identity.refresh(session);
    return { token: accessToken, user };
  }

  async function createDevice(token: string, fields: Record<string, unknown> = {}) {
    const answer = await call("POST", "/api/devices", {
      token,
      body: { name: `device ${++counter}`, deviceType: "sensor", ...fields },
    });
    if (answer.status !== 201) throw new Error(`creating a device answered ${answer.status} ${answer.text}`);
    return { deviceId: answer.body.deviceId as string, token: answer.body.credentials.token as string };
  }

  return {
    app,
    directory,
    call,
    signIn,
    createDevice,
    async stop() {
      await app.stop();
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}
