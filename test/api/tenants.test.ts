import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

const roles = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const;
type Role = (typeof roles)[number];

let fixture: TestApp;
const tokens: Partial<Record<Role, string>> = {};
/** On a plan without whitelabeling. */
let plain: { token: string; tenantId: string };
let stranger: string;
let tenantId: string;

beforeAll(async () => {
  fixture = await createTestApp();
  for (const role of roles) {
    const { token, user } = await fixture.signIn(role);
    tokens[role] = token;
    tenantId = user.tenantId as string;
  }
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  const signedIn = await fixture.signIn("TENANT_OWNER", { tenant: "plain", plan: "basic" });
  plain = { token: signedIn.token, tenantId: signedIn.user.tenantId as string };
});
afterAll(() => fixture.stop());

const as = (role: Role) => tokens[role] as string;
const set = (token: string | undefined, body: unknown) => ({
  method: "POST",
  path: "/api/tenant-attributes",
  token,
  body,
});

describe("tenant attributes", () => {
  const value = { theme: { primary: "#123456" }, list: [1, "2", null], text: "ü" };
  apiRows(
    () => fixture,
    [
      ...(["/api/tenant-attributes", "/api/tenant-attributes/none", "/api/tenant/profile"] as const).map(
        (path) => ({
          name: `GET ${path} without a credential is 401 without a body`,
          request: () => ({ method: "GET", path }),
          status: 401,
          answer: "none" as const,
        }),
      ),
      {
        name: "POST without a credential is 401 without a body, whatever it holds",
        request: () => set(undefined, {}),
        status: 401,
        answer: "none",
      },
      {
        name: "DELETE without a credential is 401 without a body",
        request: () => ({ method: "DELETE", path: "/api/tenant-attributes/logo" }),
        status: 401,
        answer: "none",
      },
      ...(["TENANT_RW", "TENANT_READ_ONLY"] as const).flatMap((role) => [
        {
          name: `POST by ${role} is 403`,
          request: () => set(as(role), { key: "logo", value }),
          status: 403,
          answer: "error" as const,
        },
        {
          name: `DELETE by ${role} is 403`,
          request: () => ({ method: "DELETE", path: "/api/tenant-attributes/logo", token: as(role) }),
          status: 403,
          answer: "error" as const,
        },
      ]),
      {
        name: "POST on a plan without whitelabeling is 403, and says so",
        request: () => set(plain.token, { key: "logo", value }),
        status: 403,
        answer: ({ body }) =>
          expect(body).toEqual({
            statusCode: 403,
            error: "Forbidden",
            message: "The plan of this site does not include whitelabeling.",
            code: "plan.whitelabel",
            params: {},
          }),
      },
      {
        name: "POST without a key is 400",
        request: () => set(as("TENANT_OWNER"), { value }),
        status: 400,
        answer: "error",
      },
      {
        name: "POST with an empty key is 400",
        request: () => set(as("TENANT_OWNER"), { key: "", value }),
        status: 400,
        answer: "error",
      },
      {
        name: "POST without a value is 400",
        request: () => set(as("TENANT_OWNER"), { key: "logo" }),
        status: 400,
        answer: "error",
      },
      ...(
        [
          ["a list", [1]],
          ["a text", "x"],
          ["null", null],
          ["a number", 1],
        ] as const
      ).map(([subject, bad]) => ({
        name: `POST with ${subject} for a value is 400`,
        request: () => set(as("TENANT_OWNER"), { key: "logo", value: bad }),
        status: 400,
        answer: "error" as const,
      })),
      {
        name: "POST with a value that is too large is 400",
        request: () => set(as("TENANT_OWNER"), { key: "logo", value: { large: "x".repeat(256 * 1024) } }),
        status: 400,
        answer: "error",
      },
      {
        name: "POST with a body that is no JSON is 400",
        request: () => ({
          ...set(as("TENANT_OWNER"), undefined),
          raw: "{key",
          headers: { "content-type": "application/json" },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "GET of an unknown key is 404",
        request: () => ({ method: "GET", path: "/api/tenant-attributes/nothing", token: as("TENANT_OWNER") }),
        status: 404,
        answer: "error",
      },
      {
        name: "DELETE of an unknown key is 404",
        request: () => ({
          method: "DELETE",
          path: "/api/tenant-attributes/nothing",
          token: as("TENANT_OWNER"),
        }),
        status: 404,
        answer: "error",
      },
      ...(["TENANT_OWNER", "TENANT_ADMIN"] as const).map((role) => ({
        name: `POST by ${role} answers the attribute`,
        request: () => set(as(role), { key: `of ${role}`, value }),
        status: 200,
        answer: ({ body }: { body: unknown }) =>
          expect(body).toEqual({
            key: `of ${role}`,
            value,
            updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          }),
      })),
      ...roles.flatMap((role) => [
        {
          name: `GET by ${role} lists them by key`,
          request: () => ({ method: "GET", path: "/api/tenant-attributes", token: as(role) }),
          status: 200,
          answer: ({ body }: { body: Array<{ key: string; value: unknown }> }) => {
            expect(body.map(({ key }) => key)).toEqual(["of TENANT_ADMIN", "of TENANT_OWNER"]);
            expect(body[0]?.value).toEqual(value);
          },
        },
        {
          name: `GET of one by ${role} answers it`,
          request: () => ({
            method: "GET",
            path: "/api/tenant-attributes/of%20TENANT_OWNER",
            token: as(role),
          }),
          status: 200,
          answer: ({ body }: { body: unknown }) =>
            expect(body).toMatchObject({ key: "of TENANT_OWNER", value }),
        },
      ]),
      {
        name: "another tenant has none of them",
        request: () => ({ method: "GET", path: "/api/tenant-attributes", token: stranger }),
        status: 200,
        answer: ({ text }) => expect(text).toBe("[]"),
      },
      {
        name: "POST again takes the place of the value as a whole",
        request: () => set(as("TENANT_OWNER"), { key: "of TENANT_ADMIN", value: { other: 1 } }),
        status: 200,
        answer: ({ body }) => expect(body.value).toEqual({ other: 1 }),
      },
      {
        name: "DELETE by TENANT_ADMIN answers success",
        request: () => ({
          method: "DELETE",
          path: "/api/tenant-attributes/of%20TENANT_ADMIN",
          token: as("TENANT_ADMIN"),
        }),
        status: 200,
        answer: ({ text }) => expect(text).toBe('{"success":true}'),
      },
    ],
  );

  test("that a better plan left can be deleted on a plan without whitelabeling", async () => {
    const { services } = fixture.app;
    services.tenantAttributes.set(tenantId as never, "moved", {}); // on the better plan
    const { value: kept } = services.tenantAttributes.get(tenantId as never, "moved");
    expect(kept).toEqual({});
    const path = "/api/tenant-attributes/moved";
    await fixture.call("DELETE", path, { token: as("TENANT_OWNER") });
    expect((await fixture.call("DELETE", path, { token: plain.token })).status).toBe(404); // not 403
  });

  test("keep a key named __proto__, within a value and as the key itself", async () => {
    const raw = '{"key":"__proto__","value":{"__proto__":{"x":1},"constructor":2}}';
    const answer = await fixture.call("POST", "/api/tenant-attributes", {
      token: as("TENANT_OWNER"),
      raw,
      headers: { "content-type": "application/json" },
    });
    expect(answer.text).toContain('"value":{"__proto__":{"x":1},"constructor":2}');
    const read = await fixture.call("GET", "/api/tenant-attributes/__proto__", { token: as("TENANT_OWNER") });
    expect(read.text).toContain('"__proto__":{"x":1}');
  });

  test("end at a hundred, and one that is there is still changed", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "many" });
    for (let index = 0; index < 100; index++)
      expect(
        (await fixture.call("POST", "/api/tenant-attributes", set(token, { key: `k${index}`, value: {} })))
          .status,
      ).toBe(200);
    expect(
      (await fixture.call("POST", "/api/tenant-attributes", set(token, { key: "more", value: {} }))).status,
    ).toBe(409);
    expect(
      (await fixture.call("POST", "/api/tenant-attributes", set(token, { key: "k7", value: {} }))).status,
    ).toBe(200);
  });

  test("are written into the audit log as they were and are", async () => {
    await fixture.call(
      "POST",
      "/api/tenant-attributes",
      set(as("TENANT_OWNER"), { key: "motto", value: { en: "a" } }),
    );
    await fixture.call(
      "POST",
      "/api/tenant-attributes",
      set(as("TENANT_OWNER"), { key: "motto", value: { en: "b" } }),
    );
    const { body } = await fixture.call("GET", "/api/audit?action=tenant_attribute.set&limit=1", {
      token: as("TENANT_OWNER"),
    });
    expect(body[0]).toMatchObject({ targetId: "motto", before: { en: "a" }, after: { en: "b" } });
  });
});

describe("the tenant", () => {
  apiRows(
    () => fixture,
    [
      ...roles.map((role) => ({
        name: `has a profile for ${role}`,
        request: () => ({ method: "GET", path: "/api/tenant/profile", token: as(role) }),
        status: 200,
        answer: ({ body }: { body: unknown }) =>
          expect(body).toEqual({ tenantId, tenantName: "one", planName: "onprem", whitelabelEnabled: true }),
      })),
      {
        name: "says that its plan has no whitelabeling",
        request: () => ({ method: "GET", path: "/api/tenant/profile", token: plain.token }),
        status: 200,
        answer: ({ body }) => expect(body).toMatchObject({ planName: "basic", whitelabelEnabled: false }),
      },
      {
        name: "is not renamed by who only writes data",
        request: () => ({
          method: "PATCH",
          path: "/api/tenant/profile",
          token: as("TENANT_RW"),
          body: { tenantName: "x" },
        }),
        status: 403,
        answer: "error",
      },
      {
        name: "is not renamed to nothing",
        request: () => ({
          method: "PATCH",
          path: "/api/tenant/profile",
          token: as("TENANT_ADMIN"),
          body: { tenantName: "  " },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "is renamed by an administrator, and takes no better plan",
        request: () => ({
          method: "PATCH",
          path: "/api/tenant/profile",
          token: plain.token,
          body: { tenantName: " Plant 7 ", planName: "onprem", whitelabelEnabled: true },
        }),
        status: 200,
        answer: ({ body }) =>
          expect(body).toEqual({
            tenantId: plain.tenantId,
            tenantName: "Plant 7",
            planName: "basic",
            whitelabelEnabled: false,
          }),
      },
      {
        name: "says what its plan allows and what is used of it",
        request: () => ({ method: "GET", path: "/api/tenant/usage", token: plain.token }),
        status: 200,
        answer: ({ body }) =>
          expect(body).toEqual({
            isHost: false,
            plan: {
              id: "basic",
              name: "Basic",
              whitelabelEnabled: false,
              limits: expect.objectContaining({
                devices: 100,
                users: 10,
                retentionDays: 365,
                messagesPerSecond: 100,
                auditEntries: 20_000,
              }),
            },
            usage: expect.objectContaining({
              devices: 0,
              users: 1,
              messagesPerSecond: 0,
              messagesRefusedPerMinute: 0,
              auditEntries: expect.any(Number),
            }),
            quotas: expect.objectContaining({ auditEntries: 20_000 }),
          }),
      },
    ],
  );
});

describe("deleting a tenant", () => {
  const remove = (token: string, tenantName: string) =>
    fixture.call("DELETE", "/api/tenant", { token, body: { tenantName } });

  test("is for owners, and takes the tenant's name", async () => {
    expect((await remove(as("TENANT_ADMIN"), "one")).status).toBe(403);
    expect((await remove(as("TENANT_OWNER"), "One")).body).toMatchObject({
      statusCode: 400,
      message: "tenantName: must be the name of the site to be deleted",
    });
    expect((await fixture.call("DELETE", "/api/tenant", { token: as("TENANT_OWNER") })).status).toBe(400);
    expect((await fixture.call("GET", "/api/tenant/profile", { token: as("TENANT_OWNER") })).status).toBe(
      200,
    );
  });

  test("takes its people, devices, keys and data with it, and ends every way in at once", async () => {
    const { token, user } = await fixture.signIn("TENANT_OWNER", { tenant: "gone" });
    const device = await fixture.createDevice(token, { name: "gone too" });
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
    await fixture.call("POST", "/api/tenant-attributes", set(token, { key: "logo", value: {} }));
    const { body: key } = await fixture.call("POST", "/api/api-keys", {
      token,
      body: { name: "key", role: "TENANT_RW" },
    });
    expect((await fixture.call("GET", "/api/devices", { token: key.key })).status).toBe(200);
    const { services } = fixture.app;
    const points = async () => (await services.store.stats()).points;
    const before = await points();
    expect((await remove(token, "gone")).text).toBe('{"success":true}');
    for (const credential of [token, key.key])
      expect((await fixture.call("GET", "/api/devices", { token: credential })).status).toBe(401);
    expect((await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 2 } })).status).toBe(
      400,
    );
    expect(services.provider.hasAccount(user.email)).toBe(false);
    expect(services.users.findByEmail(user.email)).toBeUndefined();
    expect(services.tenants.find(user.tenantId as never)).toBeUndefined();
    expect(await points()).toBe(before - 1);
    const again = services.tenants.create("again", "onprem"); // and the gateway goes on
    expect(services.tenants.find(again.tenantId)).toBeDefined();
  });

  test("ends what is connected: devices and streams", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "connected" });
    const device = await fixture.createDevice(token);
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: device.token,
      reconnectPeriod: 0,
    });
    const disconnected = new Promise((resolve) => client.once("close", () => resolve(true)));
    const socket = new WebSocket(`${fixture.app.url.replace(/^http/, "ws")}/api/ws`);
    const closed = new Promise((resolve) => {
      socket.onclose = ({ code }) => resolve(code);
    });
    await new Promise((resolve) => {
      socket.onopen = () => socket.send(JSON.stringify({ type: "auth", token }));
      socket.onmessage = resolve;
    });
    await remove(token, "connected");
    expect(await closed).toBe(4401);
    expect(await disconnected).toBe(true);
  });

  test("is not possible for the tenant of the gateway's own people; they are told of the others", async () => {
    const { services } = fixture.app;
    const host = { email: "host@plant.example", fullName: "Host", tenantName: "Plant" };
    const users = services.users.count();
    expect(users).toBeGreaterThan(0);
    const tenant = services.tenants.create("Plant", "onprem", { isHost: true });
    services.users.create({
      tenantId: tenant.tenantId,
      email: host.email,
      fullName: host.fullName,
      role: "TENANT_OWNER",
      status: "ACTIVE",
      canAcknowledgeAlarms: true,
      hasGlobalDeviceAccess: true,
    });
    await services.provider.saveAccount(host.email, PASSWORD);
    const { code } = await services.provider.signIn({
      email: host.email,
      password: PASSWORD,
      address: "test",
    });
    const { accessToken } = await services.identity.exchange(code, undefined);
    const refused = await remove(accessToken, "Plant");
    expect(refused.status).toBe(409);
    const guest = await fixture.signIn("TENANT_OWNER", { tenant: "guest" });
    await remove(guest.token, "guest");
    const { body } = await fixture.call("GET", "/api/audit?action=tenant.delete", { token: accessToken });
    expect(body[0]).toMatchObject({
      actorName: guest.user.email,
      targetId: guest.user.tenantId,
      targetName: "guest",
      before: { name: "guest", planName: "onprem" },
    });
  });
});
