import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { type ApiAnswer, createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
/** Access tokens by role; `stranger` is another tenant's owner. */
const tokens: Record<string, string> = {};
const ids: Record<string, string> = {};
let deviceId = "";
let otherTenantsDevice = "";

const roles = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const;

beforeAll(async () => {
  fixture = await createTestApp();
  for (const role of roles) {
    const { token, user } = await fixture.signIn(role);
    tokens[role] = token;
    ids[role] = user.userId;
  }
  const stranger = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
  tokens.stranger = stranger.token;
  ids.stranger = stranger.user.userId;
  deviceId = (await fixture.createDevice(tokens.TENANT_OWNER as string)).deviceId;
  otherTenantsDevice = (await fixture.createDevice(tokens.stranger)).deviceId;
});
afterAll(() => fixture.stop());

let counter = 0;
const person = (fields: Record<string, unknown> = {}) => ({
  fullName: "Nina New",
  email: `nina${++counter}@plant.example`,
  role: "TENANT_RW",
  inviteDelivery: "MANUAL",
  ...fields,
});
const create = (fields: Record<string, unknown> = {}, as = "TENANT_OWNER") =>
  fixture.call("POST", "/api/users", { token: tokens[as], body: person(fields) });
const read = (userId: string, as = "TENANT_OWNER") =>
  fixture.call("GET", `/api/users/${userId}`, { token: tokens[as] });
const change = (userId: string, body: unknown, as = "TENANT_OWNER") =>
  fixture.call("PATCH", `/api/users/${userId}`, { token: tokens[as], body });

async function createUser(fields: Record<string, unknown> = {}): Promise<string> {
  const answer = await create(fields);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body.userId;
}

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

test("everybody is told what their role allows, so that a client shows nothing else", async () => {
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
  expect(await permissionsIn("host")).toContain("backups:manage");
  expect(await permissionsIn("two")).not.toContain("backups:manage");
});

describe("creating", () => {
  const refused: Array<[string, Record<string, unknown>]> = [
    ["an empty name", { fullName: "" }],
    ["a name of blanks", { fullName: "   " }],
    [
      "a name with a line break, which would end up in a mail's header",
      { fullName: "a\r\nBcc: x@y.example" },
    ],
    ["no address", { email: "nobody" }],
    ["two addresses", { email: "a@b.example,c@d.example" }],
    ["an unknown role", { role: "TENANT_GOD" }],
    ["an unknown delivery", { inviteDelivery: "PIGEON" }],
    ["an unknown status", { status: "ASLEEP" }],
    ["an unknown severity", { notificationSeverities: ["LOUD"] }],
    ["an escalation level out of range", { notificationEscalationLevel: 4 }],
    ["a phone number of letters", { notificationPhone: "call me" }],
    ["a device that there is not", { deviceIds: ["no-such-device"] }],
    ["device ids that are no list", { deviceIds: "all" }],
  ];
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body, before anything of the request is read",
        request: () => ({ method: "POST", path: "/api/users", raw: "{" }),
        status: 401,
        answer: "none",
      },
      ...(["TENANT_RW", "TENANT_READ_ONLY"] as const).map((role) => ({
        name: `${role} may not create users`,
        request: () => ({ method: "POST", path: "/api/users", token: tokens[role], body: person() }),
        status: 403,
        answer: "error" as const,
      })),
      {
        name: "an administrator may not create an owner",
        request: () => ({
          method: "POST",
          path: "/api/users",
          token: tokens.TENANT_ADMIN,
          body: person({ role: "TENANT_OWNER" }),
        }),
        status: 403,
        answer: "error",
      },
      ...["fullName", "email", "role"].map((field) => ({
        name: `without ${field} it is 400 without a body`,
        request: () => ({
          method: "POST",
          path: "/api/users",
          token: tokens.TENANT_OWNER,
          body: person({ [field]: undefined }),
        }),
        status: 400,
        answer: "none" as const,
      })),
      ...refused.map(([subject, fields]) => ({
        name: `${subject} is 400 without a body`,
        request: () => ({
          method: "POST",
          path: "/api/users",
          token: tokens.TENANT_OWNER,
          body: person(fields),
        }),
        status: 400,
        answer: "none" as const,
      })),
      {
        name: "a body that is no JSON is 400 without a body",
        request: () => ({
          method: "POST",
          path: "/api/users",
          token: tokens.TENANT_OWNER,
          raw: "{",
          headers: { "content-type": "application/json" },
        }),
        status: 400,
        answer: "none",
      },
      {
        name: "another tenant's device is as unknown as none",
        request: () => ({
          method: "POST",
          path: "/api/users",
          token: tokens.TENANT_OWNER,
          body: person({ deviceIds: [otherTenantsDevice] }),
        }),
        status: 400,
        answer: "none",
      },
      {
        name: "an address that somebody of another tenant has is 409",
        request: () => ({
          method: "POST",
          path: "/api/users",
          token: tokens.stranger,
          body: person({ email: "USER1@one.example " }),
        }),
        status: 409,
        answer: "error",
      },
    ],
  );

  test("by hand-over it answers what to share, and the password signs in once it is changed", async () => {
    const answer = await create({ email: " Hanna.Hand@Plant.example ", fullName: "Hanna Hand" });
    expect(answer.status).toBe(201);
    const { temporaryPassword, loginUrl, shareText } = answer.body;
    expect(answer.body).toEqual({
      success: true,
      userId: expect.any(String),
      email: "hanna.hand@plant.example",
      fullName: "Hanna Hand",
      loginUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/.*hanna\.hand%40plant\.example$/),
      temporaryPassword: expect.stringMatching(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/),
      inviteDelivery: "MANUAL",
      inviteSent: false,
      shareText: expect.any(String),
    });
    for (const part of [temporaryPassword, loginUrl, "hanna.hand@plant.example", "change the password"])
      expect(shareText).toContain(part);
    expect(shareText.split("\n").length).toBeGreaterThan(3);
    const detail = (await read(answer.body.userId)).body;
    expect(detail).toMatchObject({ hasGlobalDeviceAccess: true, inviteDelivery: "MANUAL", status: "ACTIVE" });
  });

  test("what is granted by name takes the place of access to everything", async () => {
    const userId = await createUser({ deviceIds: [deviceId, deviceId], assetIds: ["press-hall"] });
    expect((await read(userId)).body).toMatchObject({
      hasGlobalDeviceAccess: false,
      deviceIds: [deviceId],
      assetIds: ["press-hall"],
      deviceCount: 1,
      assetCount: 1,
    });
  });

  test("fields that are not to be set are ignored", async () => {
    const userId = await createUser({
      isProtected: true,
      userId: "mine",
      tenantId: ids.stranger,
      deviceCount: 99,
    });
    expect(userId).not.toBe("mine");
    expect((await read(userId)).body).toMatchObject({ isProtected: false, deviceCount: 1 });
    expect((await read(userId, "stranger")).status).toBe(404);
  });

  test("of two at once with the same address one is made", async () => {
    const email = "twice@plant.example";
    const answers = await Promise.all([create({ email }), create({ email }), create({ email })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test("nobody hands out more than they see", async () => {
    const limited = await fixture.signIn("TENANT_ADMIN", { devices: [deviceId] });
    tokens.limited = limited.token;
    const second = (await fixture.createDevice(tokens.TENANT_OWNER as string)).deviceId;
    expect((await create({ hasGlobalDeviceAccess: true }, "limited")).status).toBe(403);
    expect((await create({}, "limited")).status).toBe(403); // would see everything
    expect((await create({ deviceIds: [second] }, "limited")).status).toBe(403);
    expect((await create({ assetIds: ["hall"] }, "limited")).status).toBe(403);
    const answer = await create({ deviceIds: [deviceId] }, "limited");
    expect(answer.status).toBe(201);
    expect((await change(answer.body.userId, { hasGlobalDeviceAccess: true }, "limited")).status).toBe(403);
    expect((await change(ids.TENANT_RW as string, { fullName: "Taken over" }, "limited")).status).toBe(403);
    const invited = await fixture.call("POST", `/api/users/${ids.TENANT_RW}/invite/credentials`, {
      token: limited.token,
    });
    expect(invited.status).toBe(403);
  });
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
          answer: ({ body }: ApiAnswer) => expect(body.role).toBe(role),
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
    const answer = await change(userId, { ...before, ...settings }, "TENANT_READ_ONLY");
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(settings)]);
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
    const answers = await Promise.all([
      demote(first.token, second.user.userId),
      demote(second.token, first.user.userId),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe("signing out", () => {
  const me = (token: string) => fixture.call("GET", "/api/auth/me", { token });

  for (const [subject, body] of Object.entries({
    disabling: { status: "DISABLED" },
    "another role": { role: "TENANT_READ_ONLY" },
  }))
    test(`${subject} ends the user's sessions at once`, async () => {
      const { token, user } = await fixture.signIn("TENANT_RW");
      expect((await change(user.userId, body)).status).toBe(200);
      const answer = await me(token);
      expect([answer.status, answer.text]).toEqual([401, ""]);
    });

  test("who is disabled is told so once the password was right, and gets in again when enabled", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const enter = async () => {
      const { body } = await fixture.call("POST", "/idp/authorize", {
        body: { email: user.email, password: PASSWORD },
      });
      return fixture.call("POST", "/api/auth/exchange", { body: { code: body.code } });
    };
    await change(user.userId, { status: "DISABLED" });
    const refused = await enter();
    expect([refused.status, refused.body.message]).toEqual([
      400,
      "Your user is disabled. Ask an administrator of this site to enable it.",
    ]);
    await change(user.userId, { status: "ACTIVE" });
    expect((await enter()).status).toBe(200);
  });

  test("deleting ends the sessions and frees the address", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    const remove = () => fixture.call("DELETE", `/api/users/${user.userId}`, { token: tokens.TENANT_OWNER });
    expect(await remove()).toMatchObject({ status: 200, body: { success: true } });
    expect((await me(token)).status).toBe(401);
    expect((await remove()).status).toBe(404);
    expect(fixture.app.services.provider.hasAccount(user.email)).toBe(false);
    await createUser({ email: user.email });
  });

  test("a change that is none, or of another field, ends nothing", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    await change(user.userId, { role: "TENANT_RW", status: "ACTIVE", fullName: "Same Role" });
    expect((await me(token)).body).toMatchObject({ fullName: "Same Role" });
  });

  test("a new address signs in with the same password, the old one no longer", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    expect((await change(user.userId, { email: "moved@plant.example" })).status).toBe(200);
    const signIn = (email: string) =>
      fixture.call("POST", "/idp/authorize", { body: { email, password: PASSWORD } });
    expect((await signIn(user.email)).status).toBe(401);
    expect((await signIn("moved@plant.example")).status).toBe(200);
  });

  apiRows(
    () => fixture,
    [
      ...(["TENANT_RW", "TENANT_READ_ONLY"] as const).map((role) => ({
        name: `${role} may not delete users`,
        request: () => ({ method: "DELETE", path: `/api/users/${ids.TENANT_ADMIN}`, token: tokens[role] }),
        status: 403,
        answer: "error" as const,
      })),
      {
        name: "an administrator may not delete an owner",
        request: () => ({
          method: "DELETE",
          path: `/api/users/${ids.TENANT_OWNER}`,
          token: tokens.TENANT_ADMIN,
        }),
        status: 403,
        answer: "error",
      },
      {
        name: "the last owner cannot be deleted",
        request: () => ({
          method: "DELETE",
          path: `/api/users/${ids.TENANT_OWNER}`,
          token: tokens.TENANT_OWNER,
        }),
        status: 409,
        answer: "error",
      },
      {
        name: "nobody deletes themselves",
        request: () => ({
          method: "DELETE",
          path: `/api/users/${ids.TENANT_ADMIN}`,
          token: tokens.TENANT_ADMIN,
        }),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant's user is 404",
        request: () => ({
          method: "DELETE",
          path: `/api/users/${ids.stranger}`,
          token: tokens.TENANT_OWNER,
        }),
        status: 404,
        answer: "error",
      },
    ],
  );
});

describe("inviting again", () => {
  const invite = (userId: string, kind: "credentials" | "email", as = "TENANT_OWNER") =>
    fixture.call("POST", `/api/users/${userId}/invite/${kind}`, { token: tokens[as] });

  test("credentials replace the password and sign the user out", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    const answer = await invite(user.userId, "credentials");
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({
        success: true,
        passwordReset: true,
        inviteDelivery: "MANUAL",
        inviteSent: false,
        temporaryPassword: expect.any(String),
      }),
    ]);
    expect((await fixture.call("GET", "/api/auth/me", { token })).status).toBe(401);
    const old = await fixture.call("POST", "/idp/authorize", {
      body: { email: user.email, password: PASSWORD },
    });
    expect(old.status).toBe(401);
  });

  test("refused: by who may not, for oneself, for a disabled user, for another tenant's", async () => {
    const disabled = await createUser({ status: "DISABLED" });
    for (const kind of ["credentials", "email"] as const) {
      expect((await invite(disabled, kind)).status).toBe(409);
      expect((await invite(ids.TENANT_ADMIN as string, kind, "TENANT_ADMIN")).status).toBe(403);
      expect((await invite(ids.TENANT_OWNER as string, kind, "TENANT_ADMIN")).status).toBe(403);
      expect((await invite(ids.TENANT_ADMIN as string, kind, "TENANT_RW")).status).toBe(403);
      expect((await invite(ids.stranger as string, kind)).status).toBe(404);
    }
  });
});
