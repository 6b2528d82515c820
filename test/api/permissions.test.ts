import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type PermissionRule, permissions } from "../../src/modules/identity/permissions.ts";
import { ROLES, type Role, type User } from "../../src/modules/users/users.types.ts";
import { renderPermissions } from "../../src/tools/docs/permissions-doc.ts";
import { type ForgedToken, forgeTokens, revokedToken } from "../support/forged-tokens.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { WebSocketClient } from "../support/websocket-client.ts";

/**
 * Every operation of the API, called with every kind of credential there is; what must come out is read from the table of permissions.
 * That another tenant's ids are 404 and its lists empty, completeness.test.ts shows of every route.
 */
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly permission: string | undefined;
}

/** What nobody needs to be signed in for, each with what guards it instead. */
const open: Record<string, string> = {
  "GET /healthz": "says only that the gateway runs",
  "GET /readyz": "says only whether it serves",
  "POST /api/auth/exchange": "single-use code",
  "POST /api/auth/signup": "closed unless configured, throttled",
  "POST /api/auth/resend-otp": "closed unless configured, throttled",
  "POST /api/auth/verify-otp": "one-time code, throttled",
  "GET /api/branding": "what the sign-in page shows",
  "GET /api/branding/logo": "what the sign-in page shows",
  "GET /api/plans": "what can be signed up for",
  "GET /metrics": "the token of the configuration",
  "GET /api/gateway/backup/downloads/{secret}": "single-use link",
  "GET /api/gateway/support-bundle/local": "a text that was written into the data directory",
  "GET /api/setup": "says only whether there is an owner",
  "POST /api/setup": "single-use link",
  "GET /api/setup/restore": "single-use link",
  "PUT /api/setup/restore/archive": "single-use link",
  "POST /api/setup/restore": "single-use link",
  "GET /api/v1/connectivity/catalog": "where devices connect",
  "GET /api/v1/connectivity/ca.pem": "what devices must trust",
  "POST /write": "the access token of a device",
  "POST /api/v2/write": "the access token of a device",
  "GET /query": "the access token of a device",
  "POST /query": "the access token of a device",
  "GET /ping": "says only which version clients may expect",
  "GET /health": "says only which version clients may expect",
  "POST /api/v1/provision": "key and secret of a profile, throttled",
  "GET /api/ws": "signs in by its first message",
  "POST /api/shared/dashboard": "the token of a link, which opens nothing else",
  "GET /mqtt": "signs in by its first packet",
};

let fixture: TestApp;
const users: Partial<Record<Role, User>> = {};
const keys: Partial<Record<Role, string>> = {};
let newUser: User;
let useless: ForgedToken[];
let operations: Operation[];

/** A token of a session of its own: some of the operations end the one that they are called with. */
async function tokenOf(user: User): Promise<string> {
  const { sessions, identity } = fixture.app.services;
  const { sessionId } = sessions.start(user.userId, { address: "test", userAgent: "" });
  const devices = "all" as const;
  const { accessToken } = await identity.refresh({ ...user, sessionId, devices } as never); // all that it reads
  return accessToken;
}

beforeAll(async () => {
  fixture = await createTestApp({ host: "one" });
  const { services } = fixture.app;
  for (const role of ROLES) {
    const { token, user } = await fixture.signIn(role);
    users[role] = user;
    const owner = role === "TENANT_OWNER" ? token : await tokenOf(users.TENANT_OWNER as User);
    const { body } = await fixture.call("POST", "/api/api-keys", {
      token: owner,
      body: { name: role, role },
    });
    keys[role] = body.key;
  }
  const owner = await tokenOf(users.TENANT_OWNER as User);
  const disabled = await fixture.signIn("TENANT_OWNER");
  await fixture.call("PATCH", `/api/users/${disabled.user.userId}`, {
    token: owner,
    body: { status: "DISABLED" },
  });
  const deleted = await fixture.signIn("TENANT_OWNER");
  await fixture.call("DELETE", `/api/users/${deleted.user.userId}`, { token: owner });
  const created = await fixture.call("POST", "/api/api-keys", {
    token: owner,
    body: { name: "revoked", role: "TENANT_OWNER" },
  });
  await fixture.call("DELETE", `/api/api-keys/${created.body.apiKeyId}`, { token: owner });
  newUser = services.users.create({
    tenantId: null,
    email: "newcomer@nowhere.example",
    fullName: "Newcomer",
    role: "TENANT_OWNER",
    status: "ACTIVE",
    canAcknowledgeAlarms: false,
    hasGlobalDeviceAccess: true,
  });
  useless = [
    ...(await forgeTokens(fixture, owner)),
    await revokedToken(fixture),
    { name: "a disabled user", token: disabled.token },
    { name: "a deleted user", token: deleted.token },
    { name: "a revoked API key", token: created.body.key },
    { name: "an API key that there is not", token: `lsk_${"a".repeat(43)}` },
  ];
  const { body } = await fixture.call("GET", "/docs/json");
  operations = Object.entries(body.paths as Record<string, Record<string, { "x-permission"?: string }>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path.length > 1 ? path.replace(/\/$/, "") : path,
        permission: operation["x-permission"],
      })),
    )
    .filter(({ path }) => path !== "/");
});
afterAll(() => fixture.stop());

const guarded = () => operations.filter(({ permission }) => permission !== undefined);
const named = ({ method, path }: Operation) => `${method} ${path}`;
const ruleOf = ({ permission }: Operation): PermissionRule =>
  permissions[permission as keyof typeof permissions];

/** With ids of nothing (of oneself where that is the question) and a body that is none: only who may come in hears about that. */
async function statusOf(
  { method, path, permission }: Operation,
  token: string | undefined,
  self = "nothing",
) {
  const isOfSelf = permission === "users:self" || permission === "users:change";
  const filled = path.replace(/\{\w+\}/g, isOfSelf ? self : "nothing");
  const { status, text } = await fixture.call(method, filled, {
    token,
    ...(method === "GET" ? {} : { raw: "{broken", headers: { "content-type": "application/json" } }),
  });
  return { status, text };
}

test("every operation needs a permission, or is known to need none", () => {
  // Below /idp one signs in, throttled step by step; devices have a token in the path, as completeness.test.ts shows.
  // Theirs is the webhook secret, as webhooks.test.ts shows.
  const webhooks = /^\/api\/v1\/integrations\/(generic|lorawan-a|lorawan-b)\//;
  const otherwise = /^\/(idp|api\/v1\/\{deviceToken\})\//;
  const without = operations
    .filter(({ permission, path }) => permission === undefined && !otherwise.test(path))
    .filter(({ path }) => !webhooks.test(path))
    .map(named);
  expect(without.sort()).toEqual(Object.keys(open).sort());
  expect(guarded().length).toBeGreaterThan(45);
  const unknown = guarded().filter(({ permission }) => !Object.hasOwn(permissions, permission ?? ""));
  expect(unknown.map(named)).toEqual([]);
});

test("every permission is needed by an operation", () => {
  const used = new Set(operations.map(({ permission }) => permission));
  expect(Object.keys(permissions).filter((permission) => !used.has(permission))).toEqual([]);
});

describe("a caller without a valid credential", () => {
  test("gets 401 without a body everywhere, before anything of the request is read", async () => {
    const wrong: string[] = [];
    for (const operation of guarded())
      for (const { name, token } of [{ name: "anonymous", token: undefined }, ...useless]) {
        const { status, text } = await statusOf(operation, token);
        if (status !== 401 || text !== "") wrong.push(`${named(operation)} as ${name}: ${status} ${text}`);
      }
    expect(wrong).toEqual([]);
    expect(useless.length).toBeGreaterThan(20);
  });

  test("gets 401 also when the credential is in another place or form", async () => {
    const good = await tokenOf(users.TENANT_OWNER as User);
    const me = (headers: Record<string, string>, query = "") =>
      fixture.call("GET", `/api/auth/me${query}`, { headers });
    expect((await me({ authorization: `bearer ${good}` })).status).toBe(200); // the scheme's case is free (RFC 9110)
    for (const response of [
      await me({ authorization: good }),
      await me({ authorization: `Basic ${good}` }),
      await me({ authorization: `Bearer ${good} ${good}` }),
      await me({ authorization: `Bearer  ${good}x` }),
      await me({ cookie: `token=${good}; authorization=Bearer ${good}` }),
      await me({ "x-authorization": `Bearer ${good}` }),
      await me({}, `?access_token=${good}&token=${good}`),
    ])
      expect([response.status, response.text]).toEqual([401, ""]);
  });
});

/** The close code, or the type of the first message other than an error. */
async function openStream(token: string): Promise<number | string> {
  const client = await WebSocketClient.open(`${fixture.app.url}/api/ws`);
  client.send({ type: "auth", token });
  const response = client.until(({ type }) => type !== "error").then(({ type }) => type);
  const result = await response.catch(async () => (await client.closed).code);
  await client.close();
  return result;
}

describe("streams", () => {
  test("are closed to every invalid credential, and to users without a tenant", async () => {
    const opened = await Promise.all(
      [...useless, { name: "no tenant", token: await tokenOf(newUser) }].map(
        async ({ name, token }) => [name, await openStream(token)] as const,
      ),
    );
    expect(opened.filter(([, response]) => response !== 4401)).toEqual([]);
  });

  test("are open to every role and its API keys", async () => {
    for (const role of ROLES)
      for (const token of [await tokenOf(users[role] as User), keys[role] as string])
        expect([role, await openStream(token)]).toEqual([role, "ready"]);
  });
});

describe.each([...ROLES])("%s", (role) => {
  const expectTable = async (token: (operation: Operation) => Promise<string>, isPerson: boolean) => {
    const self = users[role]?.userId;
    const wrong: string[] = [];
    for (const operation of guarded()) {
      const rule = ruleOf(operation);
      // A key is nobody: it has no user of its own to read.
      const needsSelf =
        operation.permission === "users:self" &&
        !permissions["users:read"].roles.some((candidate) => candidate === role);
      // A key for writing has what the owner who made it has.
      const isAcknowledger = !isPerson && role !== "TENANT_READ_ONLY";
      const isCovered =
        rule.roles.includes(role) || rule.orSelf === true || (rule.orAcknowledger === true && isAcknowledger);
      const may = isCovered && (isPerson || (rule.needsPerson !== true && !needsSelf));
      const { status, text } = await statusOf(operation, await token(operation), self);
      const came = status !== 403 && status !== 401 && status < 500;
      const isExpected = came || (JSON.parse(text) as { statusCode: number }).statusCode === status;
      if (came !== may || !isExpected) wrong.push(`${named(operation)}: ${status} ${text}`);
    }
    expect(wrong).toEqual([]);
  };

  test("comes in where the table says so, and gets 403 elsewhere", async () => {
    const user = users[role] as User;
    const lasting = await tokenOf(user);
    await expectTable(
      async ({ permission }) => (permission === "session:use" ? tokenOf(user) : lasting),
      true,
    );
  });

  test("as an API key comes in where the table says so, and nowhere that is for people", async () => {
    await expectTable(async () => keys[role] as string, false);
  });
});

test("a user who may change only the own user gets 403 for another, before the body is read", async () => {
  const token = await tokenOf(users.TENANT_READ_ONLY as User);
  for (const userId of [users.TENANT_OWNER?.userId, "nothing"]) {
    const request = { token, raw: "{broken", headers: { "content-type": "application/json" } };
    expect((await fixture.call("PATCH", `/api/users/${userId}`, request)).status).toBe(403);
  }
});

test("a user who may acknowledge alarms may handle them and put devices into maintenance", async () => {
  const { token, user } = await fixture.signIn("TENANT_READ_ONLY");
  const handled = guarded().filter((operation) => ruleOf(operation).orAcknowledger === true);
  expect(handled.length).toBeGreaterThan(5);
  const statuses = async () =>
    new Set(await Promise.all(handled.map(async (operation) => (await statusOf(operation, token)).status)));
  expect(await statuses()).toEqual(new Set([403]));
  const owner = await tokenOf(users.TENANT_OWNER as User);
  const body = { canAcknowledgeAlarms: true };
  await fixture.call("PATCH", `/api/users/${user.userId}`, { token: owner, body });
  expect(await statuses()).not.toContain(403);
});

test("a user without a tenant may only create one", async () => {
  const wrong: string[] = [];
  for (const operation of guarded()) {
    const { status } = await statusOf(operation, await tokenOf(newUser));
    if ((status !== 403) !== (ruleOf(operation).isBeforeTenant === true))
      wrong.push(`${named(operation)}: ${status}`);
  }
  expect(wrong).toEqual([]);
});

test("a role that is taken away is gone with the next call", async () => {
  const owner = await tokenOf(users.TENANT_OWNER as User);
  const { token, user } = await fixture.signIn("TENANT_ADMIN");
  expect((await fixture.call("GET", "/api/audit", { token })).status).toBe(200);
  await fixture.call("PATCH", `/api/users/${user.userId}`, { token: owner, body: { role: "TENANT_RW" } });
  expect((await fixture.call("GET", "/api/audit", { token })).status).toBe(401); // signed out, to sign in anew
});

describe("the table", () => {
  const rules = Object.entries(permissions) as [string, PermissionRule][];

  test("gives nobody more than a higher role has", () => {
    const order = [...ROLES].reverse();
    for (const [permission, rule] of rules)
      for (const [index, role] of order.entries())
        if (rule.roles.includes(role))
          expect([permission, order.slice(index).filter((higher) => !rule.roles.includes(higher))]).toEqual([
            permission,
            [],
          ]);
  });

  test("lets who only reads change nothing but what is their own", () => {
    const of = (role: Role) => rules.filter(([, rule]) => rule.roles.includes(role)).map(([name]) => name);
    const reader = of("TENANT_READ_ONLY").filter((name) => !name.endsWith(":read"));
    expect(reader.sort()).toEqual(["dashboards:choose", "notifications:test", "session:use", "users:self"]);
    const writer = of("TENANT_RW").filter((name) => !of("TENANT_READ_ONLY").includes(name));
    expect(writer.filter((name) => !name.endsWith(":write"))).toEqual(["dashboards:share"]);
    const others = rules.filter(([, { orSelf, orAcknowledger }]) => orSelf || orAcknowledger);
    expect(others.map(([name]) => name)).toEqual(["alarms:handle", "maintenance:write", "users:change"]);
  });

  test("is what docs/permissions.md says", async () => {
    const text = await Bun.file(join(import.meta.dir, "..", "..", "docs", "permissions.md")).text();
    expect(text).toBe(renderPermissions());
    for (const [permission] of rules) expect(text).toContain(`\`${permission}\``);
  });
});
