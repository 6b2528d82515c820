import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Role } from "../../src/modules/users/users.types.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { Clock } from "../../src/platform/time/clock.ts";
import { type ApiResponse, createTestApp, type TestApp } from "../support/test-app.ts";
import { problemWith, type Shape } from "./shapes.ts";

/*
 * The black-box client: every row restates one rule of the API contract and asks a running gateway over real sockets. Rows know
 * paths, fields and statuses, and nothing of the code behind them.
 */

/** `stranger` owns another tenant; `limited` is an administrator who is granted the device `granted` alone; a file may sign `flagged` in. */
export type Who = "anonymous" | "owner" | "admin" | "rw" | "reader" | "stranger" | "limited" | "flagged";

export interface RowDetails {
  /** A function is read when the row runs. */
  readonly body?: unknown;
  readonly raw?: string | Uint8Array | undefined;
  readonly headers?: Record<string, string> | (() => Record<string, string>);
  /** The body that is expected; an error status without it must carry the error body, 401 none. */
  readonly is?: Shape;
  readonly check?: (response: ApiResponse) => unknown;
}

/**
 * The rule, the request as `who METHOD /path` (a name in braces is one of the world's ids), the status that it must
 * answer, and what is sent and expected beside.
 */
export type ContractRow = readonly [rule: string, request: string, status: number, details?: RowDetails];

type Sent = Pick<RowDetails, "body" | "raw" | "headers">;

export const nothing = (value: unknown): string | undefined =>
  value === undefined ? undefined : `${JSON.stringify(value)} is a body`;

export interface World {
  readonly test: TestApp;
  readonly ids: Record<string, string>;
  readonly tokens: Record<Who, string | undefined>;
  ask(as: Who, time: string, sent?: Sent): Promise<ApiResponse>;
  /** Asks for something that must succeed; its body. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  need(as: Who, time: string, body?: unknown): Promise<any>;
}

interface WorldOptions {
  readonly clock?: Clock;
  readonly config?: Partial<Config>;
  /** Starts what the settings need, and returns them. */
  readonly lateConfig?: () => Promise<Partial<Config>>;
  /** Creates what the rows of the file share. */
  readonly prepare?: (world: World) => Promise<void>;
}

const users: ReadonlyArray<[Who, Role, string]> = [
  ["owner", "TENANT_OWNER", "plant"],
  ["admin", "TENANT_ADMIN", "plant"],
  ["rw", "TENANT_RW", "plant"],
  ["reader", "TENANT_READ_ONLY", "plant"],
  ["stranger", "TENANT_OWNER", "elsewhere"],
];

/** Starts one gateway for the file, with two tenants, their people and the devices `device`, `granted` and `foreign`. */
export function createWorld(options: WorldOptions = {}): World {
  let app: TestApp;
  const ids: Record<string, string> = {};
  const tokens = {} as Record<Who, string | undefined>;
  const world: World = {
    get test() {
      return app;
    },
    ids,
    tokens,
    ask(as, time, { body, raw, headers } = {}) {
      const [method = "", template = ""] = time.split(" ");
      return app.call(method, fill(template, ids), {
        token: tokens[as],
        body: typeof body === "function" ? body() : body,
        ...(raw === undefined ? {} : { raw }),
        ...(headers === undefined ? {} : { headers: typeof headers === "function" ? headers() : headers }),
      });
    },
    async need(as, time, body) {
      const response = await world.ask(as, time, { body });
      if (response.status >= 300) throw new Error(`${time} answered ${response.status} ${response.text}`);
      return response.body;
    },
  };
  beforeAll(async () => {
    const { clock, config = await options.lateConfig?.() } = options;
    app = await createTestApp({ ...(clock && { clock }), ...(config && { config }), host: "plant" });
    for (const [who, role, tenant] of users) {
      const { token, user } = await app.signIn(role, { tenant });
      tokens[who] = token;
      ids[`${who}User`] = user.userId;
      ids[`${who}Tenant`] = user.tenantId ?? "";
    }
    await createDevices(world);
    const { token, user } = await app.signIn("TENANT_ADMIN", {
      tenant: "plant",
      devices: [ids.granted ?? ""],
    });
    tokens.limited = token;
    ids.limitedUser = user.userId;
    ids.unknown = "01890a5d-ac96-774b-bcce-b302099a8057";
    await options.prepare?.(world);
  });
  afterAll(() => app.stop());
  return world;
}

async function createDevices({ test: app, tokens, ids }: World): Promise<void> {
  for (const [name, owner] of [
    ["device", "rw"],
    ["granted", "rw"],
    ["foreign", "stranger"],
  ] as const) {
    const device = await app.createDevice(tokens[owner] ?? "", { name });
    ids[name] = device.deviceId;
    ids[`${name}Token`] = device.token;
  }
}

function fill(template: string, ids: Record<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`the rows know no id "${name}"`);
    return id;
  });
}

const errorBody = (status: number): Shape => ({
  statusCode: status,
  error: (value) => (typeof value === "string" && value !== "" ? undefined : "error is not a text"),
  message: (value) => (typeof value === "string" && value !== "" ? undefined : "message is not a text"),
});

/** Makes each row a test; they run in their order. */
export function contract(world: World, rows: readonly ContractRow[]): void {
  for (const [rule, request, status, details = {}] of rows)
    test(`${rule} (${request})`, async () => {
      const [as, ...pathParts] = request.split(" ");
      const response = await world.ask(as as Who, pathParts.join(" "), details);
      expect(`${response.status} ${response.status === status ? "" : response.text.slice(0, 300)}`).toBe(
        `${status} `,
      );
      const expected = details.is ?? (status === 401 ? nothing : status >= 400 && errorBody(status));
      if (expected === nothing) expect(response.text).toBe("");
      else if (expected !== false) expect(problemWith(response.body, expected)).toBeUndefined();
      await details.check?.(response);
    });
}

/** Keeps an id of the answer for later rows. */
export const keep =
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  (world: World, name: string, read: (body: any) => string) => (response: ApiResponse) => {
    world.ids[name] = read(response.body);
  };
