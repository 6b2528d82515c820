import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { apiRows } from "../support/api-rows.ts";
import { PASSWORD } from "../support/test-app.ts";
import { WebSocketClient } from "../support/websocket-client.ts";
import { as, fixture, plain, roles, set, tenantId, useTenants } from "./tenants-fixture.ts";

useTenants();

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
        name: "is not renamed by a user who only writes data",
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
        name: "has the limits of its plan and their usage",
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
      message: "`tenantName` must be the name of the site to be deleted.",
    });
    expect((await fixture.call("DELETE", "/api/tenant", { token: as("TENANT_OWNER") })).status).toBe(400);
    expect((await fixture.call("GET", "/api/tenant/profile", { token: as("TENANT_OWNER") })).status).toBe(
      200,
    );
  });

  test("deletes its users, devices, keys and data, and ends every session at once", async () => {
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

  test("lets other work run between parts of what it has in large numbers", async () => {
    const { token, user } = await fixture.signIn("TENANT_OWNER", { tenant: "busy" });
    const database = new Database(join(fixture.directory, "lineside.db"));
    const insert = database.prepare(
      `INSERT INTO uplink_device_changes (tenant_id, device_id, change, name, device_type, at)
         VALUES (?, 'd', 'deleted', '', '', 0)`,
    );
    database.transaction(() => {
      for (let row = 0; row < 10_000; row++) insert.run(user.tenantId as string);
    })();
    /** Numbers of rows that others saw meanwhile. */
    const seen = new Set<number>();
    const count = "SELECT count(*) AS n FROM uplink_device_changes WHERE tenant_id = ?";
    const counting = setInterval(() => {
      seen.add(database.query<{ n: number }, [string]>(count).get(user.tenantId as string)?.n ?? 0);
    }, 0);
    expect((await remove(token, "busy")).status).toBe(200);
    clearInterval(counting);
    expect(seen.size).toBeGreaterThan(2); // of one transaction, all rows or none would be seen
    expect(database.query(count).get(user.tenantId as string)).toEqual({ n: 0 });
    database.close();
  });

  test("closes connections of devices and streams", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "connected" });
    const device = await fixture.createDevice(token);
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: device.token,
      reconnectPeriod: 0,
    });
    const disconnected = new Promise((resolve) => client.once("close", () => resolve(true)));
    const stream = await WebSocketClient.signIn(fixture.app.url, token);
    await remove(token, "connected");
    expect((await stream.closed).code).toBe(4401);
    expect(await disconnected).toBe(true);
  });

  test("is refused for the gateway's own tenant, whose audit log has the deletion of others", async () => {
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
