import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import type { ApiResponse } from "../support/test-app.ts";
import {
  change,
  createUser,
  deviceId,
  fixture,
  ids,
  read,
  roles,
  tokens,
  useUsers,
} from "./users-fixture.ts";

useUsers();

describe("listing", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "GET", path: "/api/users" }),
        status: 401,
        answer: "none",
      },
      ...(["TENANT_RW", "TENANT_READ_ONLY"] as const).map((role) => ({
        name: `${role} may not list users`,
        request: () => ({ method: "GET", path: "/api/users", token: tokens[role] }),
        status: 403,
        answer: "error" as const,
      })),
      {
        name: "another tenant sees only its own",
        request: () => ({ method: "GET", path: "/api/users", token: tokens.stranger }),
        status: 200,
        answer: ({ body }) =>
          expect(body.map((user: { userId: string }) => user.userId)).toEqual([ids.stranger]),
      },
      {
        name: "a sort by a field that there is not is 400",
        request: () => ({ method: "GET", path: "/api/users?sort=password", token: tokens.TENANT_OWNER }),
        status: 400,
        answer: "error",
      },
      {
        name: "an administrator sees every field of each user and the total",
        request: () => ({ method: "GET", path: "/api/users?sort=role", token: tokens.TENANT_ADMIN }),
        status: 200,
        answer: ({ body, headers }) => {
          expect(headers.get("x-total-count")).toBe("4");
          expect(body.map((user: { role: string }) => user.role)).toEqual([...roles]);
          expect(body[0]).toEqual({
            userId: ids.TENANT_OWNER,
            fullName: "TENANT_OWNER",
            email: expect.stringContaining("@one.example"),
            role: "TENANT_OWNER",
            status: "ACTIVE",
            isProtected: true,
            notificationsEmailEnabled: true,
            notificationsMessagingEnabled: false,
            notificationPhone: "",
            notificationEscalationLevel: 1,
            notificationSeverities: ["WARNING", "MINOR", "MAJOR", "CRITICAL"],
            notifyOnAlarmCreated: true,
            notifyOnAlarmEscalated: true,
            notifyOnAlarmCleared: false,
            canAcknowledgeAlarms: false,
            hasGlobalAssetAccess: false,
            hasGlobalDeviceAccess: true,
            assetIds: [],
            deviceIds: [],
            assetCount: 0,
            deviceCount: 1,
            emailConfirmed: true,
            inviteDelivery: "MANUAL",
            createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
            updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          });
          expect(body[1].isProtected).toBe(false);
        },
      },
      {
        name: "a page says where the next one is",
        request: () => ({
          method: "GET",
          path: "/api/users?sort=-role&limit=1&offset=1",
          token: tokens.TENANT_OWNER,
        }),
        status: 200,
        answer: ({ body, headers }) => {
          expect(body.map((user: { role: string }) => user.role)).toEqual(["TENANT_RW"]);
          expect(headers.get("link")).toBe('</api/users?sort=-role&limit=1&offset=2>; rel="next"');
        },
      },
      {
        name: "a search finds parts of names and addresses, whatever the case, and takes % as a character",
        request: () => ({ method: "GET", path: "/api/users?search=read_only", token: tokens.TENANT_OWNER }),
        status: 200,
        answer: ({ body }) => expect(body).toHaveLength(1),
      },
      {
        name: "a search for a wildcard finds nobody",
        request: () => ({ method: "GET", path: "/api/users?search=%25", token: tokens.TENANT_OWNER }),
        status: 200,
        answer: ({ body, headers }) =>
          expect([body, headers.get("x-total-count")] as unknown[]).toEqual([[], "0"]),
      },
      {
        name: "filters by role and status",
        request: () => ({
          method: "GET",
          path: "/api/users?role=TENANT_ADMIN&status=ACTIVE",
          token: tokens.TENANT_OWNER,
        }),
        status: 200,
        answer: ({ body }) =>
          expect(body.map((user: { userId: string }) => user.userId)).toEqual([ids.TENANT_ADMIN]),
      },
    ],
  );
});

test("permissions of a session are those of the role", async () => {
  const allowed = async (role: string): Promise<string[]> =>
    (await fixture.call("GET", "/api/auth/me", { token: tokens[role] })).body.permissions;
  const [owner, admin, writer, reader] = await Promise.all(roles.map(allowed));
  expect(owner).toEqual(expect.arrayContaining(["users:write", "api-keys:manage", "outbox:manage"]));
  expect(admin).toEqual(expect.arrayContaining(["users:write", "api-keys:manage"]));
  expect(admin).not.toContain("outbox:manage");
  expect(writer).toEqual(expect.arrayContaining(["devices:write", "users:change"]));
  expect(writer).not.toContain("users:read");
  expect(reader).toEqual(expect.arrayContaining(["devices:read", "users:change"]));
  expect(reader).not.toContain("devices:write");
});

test("only owners of the gateway's own tenant may manage the gateway", async () => {
  const permissionsIn = async (tenant: string): Promise<string[]> => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant });
    return (await fixture.call("GET", "/api/auth/me", { token })).body.permissions;
  };
  expect(await permissionsIn("host")).toContain("gateway:manage");
  expect(await permissionsIn("two")).not.toContain("gateway:manage");
});

describe("reading and changing", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "another tenant's user is 404",
        request: () => ({
          method: "PATCH",
          path: `/api/users/${ids.stranger}`,
          token: tokens.TENANT_OWNER,
          body: { fullName: "x" },
        }),
        status: 404,
        answer: "error",
      },
      {
        name: "an invalid change is 400 with the field named",
        request: () => ({
          method: "PATCH",
          path: `/api/users/${ids.TENANT_RW}`,
          token: tokens.TENANT_OWNER,
          body: { role: "TENANT_GOD" },
        }),
        status: 400,
        answer: ({ body }) => expect(body.message).toContain("role"),
      },
      ...(["TENANT_RW", "TENANT_READ_ONLY"] as const).flatMap((role) => [
        {
          name: `${role} may not read others`,
          request: () => ({ method: "GET", path: `/api/users/${ids.TENANT_ADMIN}`, token: tokens[role] }),
          status: 403,
          answer: "error" as const,
        },
        {
          name: `${role} may not change others`,
          request: () => ({
            method: "PATCH",
            path: `/api/users/${ids.TENANT_ADMIN}`,
            token: tokens[role],
            body: { fullName: "x" },
          }),
          status: 403,
          answer: "error" as const,
        },
        ...Object.entries({
          role: "TENANT_OWNER",
          status: "DISABLED",
          email: "other@plant.example",
          canAcknowledgeAlarms: true,
          hasGlobalDeviceAccess: false,
          deviceIds: ["x"],
        }).map(([field, value]) => ({
          name: `${role} may not change ${field} of themselves`,
          request: () => ({
            method: "PATCH",
            path: `/api/users/${ids[role]}`,
            token: tokens[role],
            body: { [field]: value },
          }),
          status: 403,
          answer: "error" as const,
        })),
        {
          name: `${role} may read themselves`,
          request: () => ({ method: "GET", path: `/api/users/${ids[role]}`, token: tokens[role] }),
          status: 200,
          answer: ({ body }: ApiResponse) => expect(body.role).toBe(role),
        },
      ]),
      {
        name: "an administrator may not change an owner",
        request: () => ({
          method: "PATCH",
          path: `/api/users/${ids.TENANT_OWNER}`,
          token: tokens.TENANT_ADMIN,
          body: { fullName: "x" },
        }),
        status: 403,
        answer: "error",
      },
      {
        name: "an administrator may not make an owner",
        request: () => ({
          method: "PATCH",
          path: `/api/users/${ids.TENANT_RW}`,
          token: tokens.TENANT_ADMIN,
          body: { role: "TENANT_OWNER" },
        }),
        status: 403,
        answer: "error",
      },
      {
        name: "an administrator may not make themselves an owner",
        request: () => ({
          method: "PATCH",
          path: `/api/users/${ids.TENANT_ADMIN}`,
          token: tokens.TENANT_ADMIN,
          body: { role: "TENANT_OWNER" },
        }),
        status: 403,
        answer: "error",
      },
      ...[{ role: "TENANT_ADMIN" }, { status: "DISABLED" }].map((body) => ({
        name: `the last owner cannot set ${JSON.stringify(body)}`,
        request: () => ({
          method: "PATCH",
          path: `/api/users/${ids.TENANT_OWNER}`,
          token: tokens.TENANT_OWNER,
          body,
        }),
        status: 409,
        answer: "error" as const,
      })),
      {
        name: "an address that another user has is 409",
        request: () => ({
          method: "PATCH",
          path: `/api/users/${ids.TENANT_RW}`,
          token: tokens.TENANT_OWNER,
          body: { email: "user5@two.example" },
        }),
        status: 409,
        answer: "error",
      },
    ],
  );

  test("everybody sets their own name and how they want to hear of alarms, and unchanged fields do not count", async () => {
    const userId = ids.TENANT_READ_ONLY as string;
    const settings = {
      fullName: "Rita Reader",
      notificationsEmailEnabled: false,
      notificationsMessagingEnabled: true,
      notificationPhone: "+49 170 1234567",
      notificationEscalationLevel: 3,
      notificationSeverities: ["CRITICAL", "INDETERMINATE"],
      notifyOnAlarmCreated: false,
      notifyOnAlarmEscalated: false,
      notifyOnAlarmCleared: true,
    };
    const before = (await read(userId)).body;
    const response = await change(userId, { ...before, ...settings }, "TENANT_READ_ONLY");
    expect([response.status, response.body]).toEqual([200, expect.objectContaining(settings)]);
    expect((await read(userId)).body).toMatchObject(settings);
  });

  test("every writable field is kept", async () => {
    const userId = await createUser();
    const fields = {
      fullName: "Nora Nextname",
      email: "nora@plant.example",
      role: "TENANT_READ_ONLY",
      status: "DISABLED",
      canAcknowledgeAlarms: true,
      hasGlobalDeviceAccess: false,
      hasGlobalAssetAccess: true,
      deviceIds: [deviceId],
      assetIds: ["hall 1", "hall 2"],
      inviteDelivery: "EMAIL",
      notificationsEmailEnabled: false,
    };
    expect((await change(userId, fields)).body).toMatchObject(fields);
    expect((await read(userId)).body).toMatchObject(fields);
  });

  test("of two owners one may step down, and not both at once", async () => {
    const { tenantId } = fixture.app.services.tenants.create("three", "onprem");
    expect(tenantId).toBeString();
    const first = await fixture.signIn("TENANT_OWNER", { tenant: "owners" });
    const second = await fixture.signIn("TENANT_OWNER", { tenant: "owners" });
    const demote = (token: string, userId: string) =>
      fixture.call("PATCH", `/api/users/${userId}`, { token, body: { role: "TENANT_ADMIN" } });
    const responses = await Promise.all([
      demote(first.token, second.user.userId),
      demote(second.token, first.user.userId),
    ]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
