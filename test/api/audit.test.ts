import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { firstEn } from "../../src/web/catalogue/first.en.ts";
import { restEn } from "../../src/web/catalogue/rest.en.ts";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: { token: string; userId: string; email: string };
let reader: string;
let stranger: string;

interface Entry {
  readonly auditId: string;
  readonly at: string;
  readonly actorType: string;
  readonly actorId: string;
  readonly actorName: string;
  readonly action: string;
  readonly outcome: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly targetName?: string;
  readonly address?: string;
  readonly userAgent?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what changed has every shape
  readonly before?: any;
  // biome-ignore lint/suspicious/noExplicitAny: what changed has every shape
  readonly after?: any;
}

async function entries(query = "", token = owner.token): Promise<Entry[]> {
  const { body } = await fixture.call("GET", `/api/audit${query}`, { token });
  return body;
}

const newest = async (query = "") =>
  (await entries(`${query}${query === "" ? "?" : "&"}limit=1`))[0] as Entry;

beforeAll(async () => {
  fixture = await createTestApp();
  const { token, user } = await fixture.signIn("TENANT_OWNER");
  owner = { token, userId: user.userId, email: user.email };
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(() => fixture.stop());

interface Operation {
  readonly "x-permission"?: string;
  readonly "x-audit"?: unknown;
}

/** They change something without a signed-in caller: devices, who signs in, the set-up. */
const withoutCaller =
  /^\/(idp|api\/setup|api\/shared|api\/v1\/(\{deviceToken\}|integrations\/|provision$)|api\/auth\/(exchange|signup|verify-otp|resend-otp))/;

test("every route that changes something says what the audit log keeps of it", async () => {
  const { body } = await fixture.call("GET", "/docs/json");
  const operations = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, ...operation })),
  );
  const changing = operations.filter(
    ({ method, path, "x-permission": permission }) =>
      method !== "get" && !withoutCaller.test(path) && !permission?.endsWith(":read"),
  );
  const named = (found: typeof operations) => found.map(({ method, path }) => `${method} ${path}`);
  expect(changing.length).toBeGreaterThan(20);
  expect(named(changing.filter((operation) => operation["x-audit"] === undefined))).toEqual([]);
  const reading = operations.filter(({ method }) => method === "get");
  expect(named(reading.filter((operation) => operation["x-audit"] !== undefined))).toEqual([]);
});

test("the console has words for everything that is recorded", async () => {
  const { body } = await fixture.call("GET", "/docs/json");
  const operations = Object.values(body.paths as Record<string, Record<string, Operation>>).flatMap(
    Object.values,
  );
  const recorded = operations.flatMap((operation) => {
    const audit = (operation as Operation)["x-audit"] as { action?: string } | undefined;
    return audit?.action === undefined ? [] : [audit.action];
  });
  expect(recorded.length).toBeGreaterThan(20);
  const without = [...recorded, "session.start", "tenant.plan", "user.reset_password"].filter(
    (action) => !Object.hasOwn({ ...firstEn, ...restEn }, `auditAction.${action}`),
  );
  expect(without).toEqual([]);
});

describe("an entry", () => {
  test("says who changed what, from what to what, when and from where", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { name: "Boiler", label: "old" });
    await fixture.call("PATCH", `/api/devices/${deviceId}`, {
      token: owner.token,
      body: { label: "new" },
      headers: { "user-agent": "a browser" },
    });
    const [changed, created] = await entries("?limit=2");
    expect(changed).toEqual({
      auditId: expect.any(String),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      actorType: "USER",
      actorId: owner.userId,
      actorName: owner.email,
      action: "device.update",
      outcome: "SUCCESS",
      targetType: "device",
      targetId: deviceId,
      targetName: "Boiler",
      address: "127.0.0.1",
      userAgent: "a browser",
      before: { label: "old" },
      after: { label: "new" },
    });
    expect(created).toMatchObject({
      action: "device.create",
      targetId: deviceId,
      after: { name: "Boiler", label: "old" },
    });
    expect(created).not.toHaveProperty("before");
    expect(Object.values(created?.after)).not.toContain(null);
  });

  test("of something deleted keeps what it was", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { name: "Scrap" });
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner.token });
    const entry = await newest();
    expect(entry).toMatchObject({ action: "device.delete", targetName: "Scrap", before: { name: "Scrap" } });
    expect(entry).not.toHaveProperty("after");
  });

  test("never holds a password, token or key", async () => {
    const { deviceId, token } = await fixture.createDevice(owner.token);
    const rotated = await fixture.call("POST", `/api/devices/${deviceId}/credentials/rotate`, {
      token: owner.token,
    });
    const invited = await fixture.call("POST", "/api/users", {
      token: owner.token,
      body: { fullName: "Ida", email: "ida@one.example", role: "TENANT_RW", inviteDelivery: "MANUAL" },
    });
    const key = await fixture.call("POST", "/api/api-keys", {
      token: owner.token,
      body: { name: "script", role: "TENANT_RW" },
    });
    const { text } = await fixture.call("GET", "/api/audit/export?format=ndjson", { token: owner.token });
    expect(text).toContain("api_key.create");
    expect(text).toContain("device.rotate_token");
    for (const secret of [
      token,
      rotated.body.token,
      invited.body.temporaryPassword,
      key.body.key,
      PASSWORD,
    ]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(text).not.toContain(secret);
    }
  });

  test("of attributes has the values of those that were set", async () => {
    const { deviceId } = await fixture.createDevice(owner.token);
    const set = (attributes: unknown) =>
      fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
        token: owner.token,
        body: { scope: "SHARED", attributes },
      });
    await set({ target: 20, untouched: 1 });
    await set({ target: 21 });
    expect(await newest()).toMatchObject({
      action: "attributes.set",
      targetId: deviceId,
      before: { target: 20 },
      after: { target: 21 },
    });
    await fixture.call("DELETE", `/api/devices/${deviceId}/attributes/SHARED/target`, { token: owner.token });
    expect(await newest()).toMatchObject({ action: "attributes.delete", before: { target: 21 } });
  });

  test("of deleted telemetry has keys and range", async () => {
    const { deviceId } = await fixture.createDevice(owner.token);
    await fixture.call("DELETE", `/api/devices/${deviceId}/telemetry?keys=a,b&from=1000&to=2000`, {
      token: owner.token,
    });
    expect(await newest()).toMatchObject({
      action: "telemetry.delete",
      targetId: deviceId,
      after: { keys: "a,b", from: "1000", to: "2000" },
    });
  });

  test("of an API key's doing names the key", async () => {
    const { body: key } = await fixture.call("POST", "/api/api-keys", {
      token: owner.token,
      body: { name: "night shift script", role: "TENANT_RW" },
    });
    await fixture.call("POST", "/api/devices", {
      token: key.key,
      body: { name: "made by a key", deviceType: "sensor" },
    });
    expect(await newest()).toMatchObject({
      actorType: "API_KEY",
      actorId: key.apiKeyId,
      actorName: "night shift script",
      action: "device.create",
    });
  });

  test("is written of what the caller may not, once a minute", async () => {
    const { deviceId } = await fixture.createDevice(owner.token);
    for (let attempt = 0; attempt < 3; attempt++)
      await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: reader });
    const refused = await entries(`?targetId=${deviceId}&outcome=REFUSED`);
    expect(refused).toMatchObject([{ action: "device.delete", outcome: "REFUSED", actorType: "USER" }]);
  });

  test("is not written of what failed for another reason, nor of what was only read", async () => {
    const before = await newest();
    await fixture.call("POST", "/api/devices", { token: owner.token, body: { name: "" } });
    await fixture.call("PATCH", "/api/devices/nothing", { token: owner.token, body: { label: "x" } });
    await fixture.call("GET", "/api/devices", { token: owner.token });
    expect((await newest()).auditId).toBe(before.auditId);
  });

  test("of a large change says that it was large, and what fields there were", async () => {
    const { deviceId } = await fixture.createDevice(owner.token);
    await fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
      token: owner.token,
      body: { scope: "SHARED", attributes: { large: "x".repeat(20_000) } },
    });
    expect(await newest()).toMatchObject({ after: { truncated: true, fields: ["large"] } });
  });

  test("of a change made twice at once is there twice", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { label: "0" });
    const labels = ["1", "2", "3", "4"];
    await Promise.all(
      labels.map((label) =>
        fixture.call("PATCH", `/api/devices/${deviceId}`, { token: owner.token, body: { label } }),
      ),
    );
    const written = await entries(`?targetId=${deviceId}&action=device.update`);
    expect(written.map(({ after }) => after.label).sort()).toEqual(labels);
  });
});

describe("signing in", () => {
  const attempt = (email: string, password: string) =>
    fixture.call("POST", "/idp/authorize", {
      body: { email, password },
      headers: { "user-agent": "a browser" },
    });

  test("stands in the log, with the address that it came from", async () => {
    const { body } = await attempt(owner.email, PASSWORD);
    await fixture.call("POST", "/api/auth/exchange", {
      body: { code: body.code },
      headers: { "user-agent": "a browser" },
    });
    expect(await newest("?action=session.start")).toMatchObject({
      outcome: "SUCCESS",
      actorType: "USER",
      actorName: owner.email,
      address: "127.0.0.1",
      userAgent: "a browser",
    });
  });

  test("with a wrong password stands there as failed, once a minute, and without the password", async () => {
    for (const password of ["wrong but long enough", "wrong again, long enough"])
      await attempt(owner.email, password);
    const failed = await entries("?outcome=FAILED");
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({
      action: "session.start",
      actorType: "ANONYMOUS",
      actorName: owner.email,
      targetType: "user",
      targetId: owner.userId,
      address: "127.0.0.1",
    });
    expect(JSON.stringify(failed)).not.toContain("long enough");
  });

  test("a password that is replaced without signing in stands there", async () => {
    const secret = fixture.app.services.provider.createResetSecret(owner.email);
    const other = "another long password 8";
    await fixture.app.services.account.resetPassword(secret ?? "", other, "en");
    const { body } = await attempt(owner.email, other);
    const signedIn = await fixture.call("POST", "/api/auth/exchange", { body: { code: body.code } });
    owner = { ...owner, token: signedIn.body.accessToken }; // the reset has ended the session
    expect(await newest("?action=password.change")).toMatchObject({
      actorName: owner.email,
      targetId: owner.userId,
    });
  });

  test("as somebody unknown is shown to no tenant but the gateway's own", async () => {
    await attempt("nobody@elsewhere.example", "wrong but long enough");
    expect(JSON.stringify(await entries("?limit=1000"))).not.toContain("nobody@elsewhere.example");
    const scope = { devices: "all" as const, isDevice: () => false, includesStrangers: true };
    const { tenantId } = fixture.app.services.users.findByEmail(owner.email) ?? {};
    const { items } = await fixture.app.services.audit.list(
      { ...scope, tenantId: tenantId as never },
      { search: "nobody@elsewhere" },
      { limit: 10 },
    );
    expect(items).toMatchObject([{ tenantId: null, outcome: "FAILED", targetId: null }]);
  });
});

test("the first owner of a gateway stands in its log", async () => {
  const fresh = await createTestApp();
  const { services } = fresh.app;
  const first = { email: "first@plant.example", password: PASSWORD, fullName: "First", tenantName: "Plant" };
  const token = services.setup.createLink();
  const answer = await fresh.call("POST", "/api/setup", { body: { ...first, token } });
  expect(answer.status).toBeLessThan(300);
  const { tenantId } = services.users.findByEmail(first.email) ?? {};
  const scope = {
    tenantId: tenantId as never,
    devices: "all" as const,
    isDevice: () => false,
    includesStrangers: false,
  };
  const { items } = await services.audit.list(scope, {}, { limit: 10 });
  expect(items.at(-1)).toMatchObject({
    action: "user.create",
    actorName: first.email,
    targetName: "First",
  });
  expect(JSON.stringify(items)).not.toContain(PASSWORD);
  await fresh.stop();
});

describe("the log is read", () => {
  apiRows(
    () => fixture,
    [
      ...["/api/audit", "/api/audit/actions", "/api/audit/export"].flatMap((path) => [
        {
          name: `${path}: not by anybody who is not signed in`,
          request: () => ({ method: "GET", path }),
          status: 401,
          answer: "none" as const,
        },
        {
          name: `${path}: not by somebody who only reads data`,
          request: () => ({ method: "GET", path, token: reader }),
          status: 403,
          answer: "error" as const,
        },
      ]),
      {
        name: "a time that is none is refused",
        request: () => ({ method: "GET", path: "/api/audit?from=yesterday", token: owner.token }),
        status: 400,
        answer: "error",
      },
      {
        name: "a cursor that is none is refused",
        request: () => ({ method: "GET", path: "/api/audit?cursor=x", token: owner.token }),
        status: 400,
        answer: "error",
      },
      {
        name: "an outcome that is none is refused",
        request: () => ({ method: "GET", path: "/api/audit?outcome=MAYBE", token: owner.token }),
        status: 400,
        answer: "error",
      },
      {
        name: "an unknown entry is 404",
        request: () => ({ method: "GET", path: "/api/audit/nothing", token: owner.token }),
        status: 404,
        answer: "error",
      },
    ],
  );

  test("by administrators too, but not by those who write data", async () => {
    const admin = (await fixture.signIn("TENANT_ADMIN")).token;
    const writer = (await fixture.signIn("TENANT_RW")).token;
    const statuses = await Promise.all(
      [admin, writer].map(async (token) => (await fixture.call("GET", "/api/audit", { token })).status),
    );
    expect(statuses).toEqual([200, 403]);
  });

  test("one by one", async () => {
    const entry = await newest();
    const { body } = await fixture.call("GET", `/api/audit/${entry.auditId}`, { token: owner.token });
    expect(body).toEqual(entry);
  });

  test("never by another tenant", async () => {
    await fixture.createDevice(owner.token, { name: "kept apart" });
    const { auditId } = await newest();
    const read = await fixture.call("GET", `/api/audit/${auditId}`, { token: stranger });
    expect(read.status).toBe(404);
    const list = await fixture.call("GET", "/api/audit?limit=1000", { token: stranger });
    expect(list.text).not.toContain("kept apart");
    const exported = await fixture.call("GET", "/api/audit/export", { token: stranger });
    expect(exported.text).not.toContain("kept apart");
  });

  test("without the entries about devices that the reader may not see", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { name: "not granted" });
    const { deviceId: granted } = await fixture.createDevice(owner.token, { name: "granted to the admin" });
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted] });
    const seen = await fixture.call("GET", "/api/audit?limit=1000", { token });
    expect(seen.text).toContain(granted);
    expect(seen.text).not.toContain(deviceId);
    expect(seen.headers.get("x-total-count")).toBe(String(seen.body.length));
  });

  test("without the devices and assets that others were granted and the reader may not see", async () => {
    const { deviceId: hidden } = await fixture.createDevice(owner.token, { assetId: "secret hall" });
    const { deviceId: granted } = await fixture.createDevice(owner.token);
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted] });
    const { user } = await fixture.signIn("TENANT_RW", { devices: [] });
    const grants = { hasGlobalDeviceAccess: false, deviceIds: [hidden, granted] };
    await fixture.call("PATCH", `/api/users/${user.userId}`, {
      token: owner.token,
      body: { ...grants, assetIds: ["secret hall"] },
    });
    const { auditId } = await newest("?action=user.update");
    const apiAnswer = await fixture.call("POST", "/api/api-keys", {
      token: owner.token,
      body: { name: "of two", role: "TENANT_RW", ...grants },
    });
    await fixture.call("DELETE", `/api/api-keys/${apiAnswer.body.apiKeyId}`, { token: owner.token });
    const exported = "/api/audit/export?format=";
    for (const path of [
      "/api/audit?limit=1000",
      `/api/audit/${auditId}`,
      `${exported}csv`,
      `${exported}ndjson`,
    ]) {
      const seen = await fixture.call("GET", path, { token });
      expect([seen.status, seen.text]).toEqual([200, expect.stringContaining(granted)]);
      expect(seen.text).not.toContain(hidden);
      expect(seen.text).not.toContain("secret hall");
      expect((await fixture.call("GET", path, { token: owner.token })).text).toContain(hidden);
    }
  });

  test("without the ids of hidden devices in what other entries say", async () => {
    const { deviceId: hidden } = await fixture.createDevice(owner.token);
    const { deviceId: granted } = await fixture.createDevice(owner.token);
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted] });
    const post = async (path: string, body: unknown) => {
      const answer = await fixture.call("POST", path, { token: owner.token, body });
      expect([path, answer.status]).toEqual([path, 201]);
    };
    await post("/api/data-pipelines", {
      name: "of both",
      scope: { deviceIds: [hidden, granted] },
      steps: [],
    });
    await post("/api/rule-chains", {
      name: "of both",
      type: "data_generator",
      enabled: true,
      status: "draft",
      config: { deviceIds: [hidden, granted], intervalSeconds: 1, metrics: [{ key: "a", min: 0, max: 1 }] },
    });
    await post("/api/dashboards", {
      name: "of both",
      aliases: [{ id: "a", name: "a", type: "deviceList", deviceIds: [hidden, granted] }],
      configuration: { note: `see ${hidden}` },
    });
    for (const path of ["/api/audit?limit=1000", "/api/audit/export?format=ndjson"]) {
      const seen = await fixture.call("GET", path, { token });
      expect(seen.text).toContain("of both");
      expect(seen.text).toContain(granted);
      expect(seen.text).not.toContain(hidden);
    }
  });

  test("page by page, each entry once, also while more come in", async () => {
    for (let index = 0; index < 5; index++) await fixture.createDevice(owner.token);
    const total = (await entries("?limit=1000")).length;
    const seen: string[] = [];
    let path: string | undefined = "/api/audit?limit=3";
    while (path !== undefined) {
      const page = await fixture.call("GET", path, { token: owner.token });
      for (const { auditId } of page.body as Entry[]) seen.push(auditId);
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
      if (seen.length === 3) await fixture.createDevice(owner.token);
    }
    expect(seen.length).toBe(total);
    expect(new Set(seen).size).toBe(total);
  });

  test("by action, kind, person, target, words and time", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { name: "Zentrifuge" });
    const actions = async (query: string) => new Set((await entries(query)).map(({ action }) => action));
    expect(await actions("?action=device.create")).toEqual(new Set(["device.create"]));
    expect([...(await actions("?action=attributes.&limit=1000"))].sort()).toEqual([
      "attributes.delete",
      "attributes.set",
    ]);
    const own = await entries(`?actorId=${owner.userId}&limit=1000`);
    expect(new Set(own.map(({ actorId }) => actorId))).toEqual(new Set([owner.userId]));
    expect((await entries(`?targetId=${deviceId}`)).length).toBe(1);
    expect((await entries("?search=zentri")).map(({ targetId }) => targetId)).toEqual([deviceId]);
    const { at } = await newest();
    expect((await entries(`?from=${encodeURIComponent(at)}`)).length).toBeGreaterThan(0);
    expect(await entries(`?from=${Date.parse(at) + 60_000}`)).toEqual([]);
    expect(await entries("?to=2001-01-01T00:00:00Z")).toEqual([]);
    const { body } = await fixture.call("GET", "/api/audit/actions", { token: owner.token });
    expect(body).toContain("device.create");
    expect(body).toEqual([...body].sort());
  });

  test("as CSV that no spreadsheet executes, and as NDJSON", async () => {
    await fixture.createDevice(owner.token, { name: '=HYPERLINK("http://evil.example")' });
    const csv = await fixture.call("GET", "/api/audit/export?search=hyperlink", { token: owner.token });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
    const [head, row] = csv.text.split("\r\n");
    expect(head).toBe(
      "at,outcome,action,actorType,actorName,actorId,impersonatorName,targetType,targetName,targetId,address,userAgent,before,after",
    );
    expect(row).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    const ndjson = await fixture.call("GET", "/api/audit/export?format=ndjson&search=hyperlink", {
      token: owner.token,
    });
    const lines = ndjson.text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(["device.create"]);
  });

  test("whole, however long it is", async () => {
    const { services } = fixture.app;
    const { user } = await fixture.signIn("TENANT_OWNER", { tenant: "long" });
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "long" });
    for (let index = 0; index < 1_203; index++)
      services.audit.record({
        tenantId: user.tenantId,
        actor: { type: "USER", id: user.userId, name: user.email },
        action: "device.update",
        outcome: "SUCCESS",
        target: { type: "profile", id: String(index) },
      });
    const { text } = await fixture.call("GET", "/api/audit/export?format=ndjson&action=device.update", {
      token,
    });
    const ids = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).targetId);
    expect(ids).toEqual(Array.from({ length: 1_203 }, (_, index) => String(1_202 - index)));
  });
});
