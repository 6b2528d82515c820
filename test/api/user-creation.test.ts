import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { PASSWORD } from "../support/test-app.ts";
import {
  change,
  create,
  createUser,
  deviceId,
  fixture,
  ids,
  otherTenantsDevice,
  person,
  read,
  tokens,
  useUsers,
} from "./users-fixture.ts";

useUsers();

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
    const response = await create({ email: " Hanna.Hand@Plant.example ", fullName: "Hanna Hand" });
    expect(response.status).toBe(201);
    const { temporaryPassword, loginUrl, shareText } = response.body;
    expect(response.body).toEqual({
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
    const detail = (await read(response.body.userId)).body;
    expect(detail).toMatchObject({ hasGlobalDeviceAccess: true, inviteDelivery: "MANUAL", status: "ACTIVE" });
  });

  test("devices granted by name replace access to everything", async () => {
    const userId = await createUser({ deviceIds: [deviceId, deviceId], assetIds: ["press-hall"] });
    expect((await read(userId)).body).toMatchObject({
      hasGlobalDeviceAccess: false,
      deviceIds: [deviceId],
      assetIds: ["press-hall"],
      deviceCount: 1,
      assetCount: 1,
    });
  });

  test("read-only fields are ignored", async () => {
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

  test("of two requests with the same address at once one succeeds", async () => {
    const email = "twice@plant.example";
    const responses = await Promise.all([create({ email }), create({ email }), create({ email })]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test("nobody grants more than they see", async () => {
    const limited = await fixture.signIn("TENANT_ADMIN", { devices: [deviceId] });
    tokens.limited = limited.token;
    const second = (await fixture.createDevice(tokens.TENANT_OWNER as string)).deviceId;
    expect((await create({ hasGlobalDeviceAccess: true }, "limited")).status).toBe(403);
    expect((await create({}, "limited")).status).toBe(403); // would see everything
    expect((await create({ deviceIds: [second] }, "limited")).status).toBe(403);
    expect((await create({ assetIds: ["hall"] }, "limited")).status).toBe(403);
    const response = await create({ deviceIds: [deviceId] }, "limited");
    expect(response.status).toBe(201);
    expect((await change(response.body.userId, { hasGlobalDeviceAccess: true }, "limited")).status).toBe(403);
    expect((await change(ids.TENANT_RW as string, { fullName: "Taken over" }, "limited")).status).toBe(403);
    const invited = await fixture.call("POST", `/api/users/${ids.TENANT_RW}/invite/credentials`, {
      token: limited.token,
    });
    expect(invited.status).toBe(403);
  });
});

describe("inviting again", () => {
  const invite = (userId: string, kind: "credentials" | "email", as = "TENANT_OWNER") =>
    fixture.call("POST", `/api/users/${userId}/invite/${kind}`, { token: tokens[as] });

  test("credentials replace the password and sign the user out", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    const response = await invite(user.userId, "credentials");
    expect([response.status, response.body]).toEqual([
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

  test("is refused without permission, for oneself, for a disabled user and for another tenant's", async () => {
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
