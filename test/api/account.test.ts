import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

const HOUR_MS = 3_600_000;
const NEW_PASSWORD = "seven green bottles 42";
const clock = new FakeClock();
let fixture: TestApp;
let owner: Awaited<ReturnType<TestApp["signIn"]>>;

beforeAll(async () => {
  fixture = await createTestApp({ clock });
  owner = await fixture.signIn("TENANT_OWNER");
});
afterAll(() => fixture.stop());

const signInAgain = async (email: string, password = PASSWORD): Promise<string> => {
  const { body } = await fixture.call("POST", "/idp/authorize", { body: { email, password } });
  return (await fixture.call("POST", "/api/auth/exchange", { body: { code: body.code } })).body.accessToken;
};
const meStatus = async (token: string) => (await fixture.call("GET", "/api/auth/me", { token })).status;
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

describe("changing the password", () => {
  const change = (token: string | undefined, body: unknown) =>
    fixture.call("POST", "/api/auth/password", { token, body });

  apiRows(
    () => fixture,
    [
      {
        name: "without a credential is 401 without a body",
        request: () => ({ method: "POST", path: "/api/auth/password", body: {} }),
        status: 401,
        answer: "none",
      },
      {
        name: "without a new one is 400",
        request: () => ({
          method: "POST",
          path: "/api/auth/password",
          token: owner.token,
          body: { currentPassword: PASSWORD },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "with a wrong current one is 400",
        request: () => ({
          method: "POST",
          path: "/api/auth/password",
          token: owner.token,
          body: { currentPassword: "not this one 123", newPassword: NEW_PASSWORD },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "to a weak one is 400",
        request: () => ({
          method: "POST",
          path: "/api/auth/password",
          token: owner.token,
          body: { currentPassword: PASSWORD, newPassword: "Password123" },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "to the same one is 400",
        request: () => ({
          method: "POST",
          path: "/api/auth/password",
          token: owner.token,
          body: { currentPassword: PASSWORD, newPassword: PASSWORD },
        }),
        status: 400,
        answer: "error",
      },
    ],
  );

  test("signs the user out everywhere else, and tells by mail", async () => {
    const { token, user } = await fixture.signIn("TENANT_READ_ONLY");
    const elsewhere = await signInAgain(user.email);
    const response = await change(token, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    expect([response.status, response.body]).toEqual([200, { success: true }]);
    expect([await meStatus(token), await meStatus(elsewhere)]).toEqual([200, 401]);
    expect(await meStatus(await signInAgain(user.email, NEW_PASSWORD))).toBe(200);
    const outbox = await fixture.call("GET", `/api/outbox?search=${user.email}`, { token: owner.token });
    expect(outbox.body[0]).toMatchObject({ subject: "Your Lineside password was changed" });
  });

  test("a stolen session does not become a way to guess it", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    const statuses: number[] = [];
    for (let index = 0; index < 8; index++)
      statuses.push(
        (await change(token, { currentPassword: `wrong ${index} 12345`, newPassword: NEW_PASSWORD })).status,
      );
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429, 429]);
    const right = await change(token, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    expect([right.status, Number(right.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(await meStatus(await signInAgain(user.email))).toBe(200); // signing in is another door
    clock.leap(HOUR_MS);
    expect((await change(token, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })).status).toBe(200);
  });

  test("of two changes at once, one is refused", async () => {
    const { token } = await fixture.signIn("TENANT_RW");
    const responses = await Promise.all(
      ["the one password 1", "the other password 2"].map((newPassword) =>
        change(token, { currentPassword: PASSWORD, newPassword }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe("sessions", () => {
  test("are listed with where they came from, the own one marked", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    const { body } = await fixture.call("POST", "/idp/authorize", {
      body: { email: user.email, password: PASSWORD },
    });
    await fixture.call("POST", "/api/auth/exchange", {
      body: { code: body.code },
      headers: { "user-agent": "Tablet 1.0" },
    });
    const list = (await fixture.call("GET", "/api/auth/sessions", { token })).body;
    expect(list).toHaveLength(2);
    const tablet = list.find((session: { isCurrent: boolean }) => !session.isCurrent);
    expect(tablet).toEqual({
      sessionId: expect.any(String),
      isCurrent: false,
      address: "127.0.0.1",
      userAgent: "Tablet 1.0",
      createdAt: new Date(clock.now()).toISOString(),
      lastUsedAt: new Date(clock.now()).toISOString(),
      expiresAt: new Date(clock.now() + 30 * 24 * HOUR_MS).toISOString(),
    });
  });

  test("say when they were used as the clock on the wall has it, also after it was set", async () => {
    const { token } = await fixture.signIn("TENANT_RW");
    clock.jump(365 * 24 * HOUR_MS);
    const [session] = (await fixture.call("GET", "/api/auth/sessions", { token })).body;
    expect(session.lastUsedAt).toBe(new Date(clock.now()).toISOString());
    clock.jump(-365 * 24 * HOUR_MS);
  });

  test("can be ended one by one, only by their own user", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    const other = await signInAgain(user.email);
    const list = (await fixture.call("GET", "/api/auth/sessions", { token })).body;
    const { sessionId } = list.find((session: { isCurrent: boolean }) => !session.isCurrent);
    const path = `/api/auth/sessions/${sessionId}`;
    expect((await fixture.call("DELETE", path, { token: owner.token })).status).toBe(404);
    expect(await meStatus(other)).toBe(200);
    expect((await fixture.call("DELETE", path, { token })).body).toEqual({ success: true });
    expect([await meStatus(other), await meStatus(token)]).toEqual([401, 200]);
    expect((await fixture.call("DELETE", path, { token })).status).toBe(404);
  });

  test("can be ended all at once, but for the own one", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    const others = [await signInAgain(user.email), await signInAgain(user.email)];
    const response = await fixture.call("DELETE", "/api/auth/sessions", { token });
    expect(response.body).toEqual({ success: true, ended: 2 });
    for (const other of others) expect(await meStatus(other)).toBe(401);
    expect(await meStatus(token)).toBe(200);
  });

  test("end at once when the user is disabled, is deleted or gets another role", async () => {
    const ends = [
      (path: string) => fixture.call("PATCH", path, { token: owner.token, body: { status: "DISABLED" } }),
      (path: string) => fixture.call("PATCH", path, { token: owner.token, body: { role: "TENANT_ADMIN" } }),
      (path: string) => fixture.call("DELETE", path, { token: owner.token }),
    ];
    for (const end of ends) {
      const { token, user } = await fixture.signIn("TENANT_RW");
      expect((await end(`/api/users/${user.userId}`)).status).toBe(200);
      const refused = await fixture.call("GET", "/api/auth/me", { token });
      expect([refused.status, refused.text]).toEqual([401, ""]);
    }
  });
});

describe("acting as somebody else", () => {
  const impersonate = (token: string | undefined, body: unknown) =>
    fixture.call("POST", "/api/auth/impersonate", { token, body });

  apiRows(
    () => fixture,
    [
      {
        name: "without a credential is 401 without a body",
        request: () => ({ method: "POST", path: "/api/auth/impersonate", body: { targetUserId: "x" } }),
        status: 401,
        answer: "none",
      },
      {
        name: "without targetUserId is 400 without a body",
        request: () => ({ method: "POST", path: "/api/auth/impersonate", token: owner.token, body: {} }),
        status: 400,
        answer: "none",
      },
      {
        name: "with a body that is no JSON is 400 without a body",
        request: () => ({
          method: "POST",
          path: "/api/auth/impersonate",
          token: owner.token,
          raw: "{",
          headers: { "content-type": "application/json" },
        }),
        status: 400,
        answer: "none",
      },
      {
        name: "an unknown user is 404",
        request: () => ({
          method: "POST",
          path: "/api/auth/impersonate",
          token: owner.token,
          body: { targetUserId: "01900000-0000-7000-8000-000000000000" },
        }),
        status: 404,
        answer: "error",
      },
      {
        name: "oneself is 409",
        request: () => ({
          method: "POST",
          path: "/api/auth/impersonate",
          token: owner.token,
          body: { targetUserId: owner.user.userId },
        }),
        status: 409,
        answer: "error",
      },
    ],
  );

  test("goes down and sideways in role, never up, and only for owners and administrators", async () => {
    const roles = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const;
    for (const [rank, role] of roles.entries()) {
      const { token } = await fixture.signIn(role);
      for (const [targetRank, targetRole] of roles.entries()) {
        const user = fixture.app.services.users.create({
          tenantId: owner.user.tenantId,
          email: `${role}-${targetRole}@one.example`,
          fullName: targetRole,
          role: targetRole,
        });
        const { status } = await impersonate(token, { targetUserId: user.userId });
        const isAllowed = rank <= 1 && targetRank >= rank;
        expect(`${role} as ${targetRole}: ${status}`).toBe(
          `${role} as ${targetRole}: ${isAllowed ? 200 : 403}`,
        );
      }
    }
  });

  test("a user of another tenant is 404, a disabled one 409", async () => {
    const { user: foreign } = await fixture.signIn("TENANT_RW", { tenant: "two" });
    expect((await impersonate(owner.token, { targetUserId: foreign.userId })).status).toBe(404);
    const { user } = await fixture.signIn("TENANT_RW");
    const path = `/api/users/${user.userId}`;
    await fixture.call("PATCH", path, { token: owner.token, body: { status: "DISABLED" } });
    expect((await impersonate(owner.token, { targetUserId: user.userId })).status).toBe(409);
  });

  test("has the rights of that user, and everybody can see who really acts", async () => {
    const { user } = await fixture.signIn("TENANT_READ_ONLY");
    const response = await impersonate(owner.token, { targetUserId: user.userId });
    expect([response.status, response.body]).toEqual([
      200,
      { accessToken: expect.any(String), tokenType: "Bearer" },
    ]);
    const token = response.body.accessToken;
    expect(claimsOf(token)).toMatchObject({ sub: user.userId, imp: owner.user.userId });
    expect((await fixture.call("GET", "/api/auth/me", { token })).body).toMatchObject({
      userId: user.userId,
      role: "TENANT_READ_ONLY",
      impersonator: { userId: owner.user.userId, email: owner.user.email },
    });
    const create = { name: "x", deviceType: "x" };
    expect((await fixture.call("POST", "/api/devices", { token, body: create })).status).toBe(403);
    const refreshed = await fixture.call("POST", "/api/auth/refresh", { token });
    expect(claimsOf(refreshed.body.accessToken).imp).toBe(owner.user.userId);
    const list = (await fixture.call("GET", "/api/audit?action=user.impersonate", { token: owner.token }))
      .body;
    expect(list[0]).toMatchObject({
      action: "user.impersonate",
      targetType: "user",
      targetId: user.userId,
      targetName: user.fullName,
    });
  });

  test("what is done is in the audit log under both names", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const token = (await impersonate(owner.token, { targetUserId: user.userId })).body.accessToken;
    const { deviceId } = await fixture.createDevice(token);
    const path = `/api/audit?action=device.create&targetId=${deviceId}`;
    const [entry] = (await fixture.call("GET", path, { token: owner.token })).body;
    expect(entry).toMatchObject({
      actorId: user.userId,
      impersonatorId: owner.user.userId,
      impersonatorName: owner.user.email,
    });
  });

  test("sees no device that either of the two does not see", async () => {
    const [first, second, third] = await Promise.all(
      ["a", "b", "c"].map((name) => fixture.createDevice(owner.token, { name })),
    );
    const ids = [first, second, third].map((device) => device?.deviceId ?? "");
    const admin = await fixture.signIn("TENANT_ADMIN", { devices: ids.slice(0, 2) });
    const target = await fixture.signIn("TENANT_RW", { devices: ids.slice(1) });
    const everything = await fixture.signIn("TENANT_RW");
    const visibleTo = async (targetUserId: string) => {
      const token = (await impersonate(admin.token, { targetUserId })).body.accessToken;
      const { body } = await fixture.call("GET", "/api/devices", { token });
      return body.map(({ deviceId }: { deviceId: string }) => deviceId).sort();
    };
    expect(await visibleTo(target.user.userId)).toEqual(ids.slice(1, 2));
    expect(await visibleTo(everything.user.userId)).toEqual(ids.slice(0, 2).sort());
  });

  test("cannot be stacked, and the account of the user stays theirs", async () => {
    const { user } = await fixture.signIn("TENANT_ADMIN");
    const { user: other } = await fixture.signIn("TENANT_RW");
    const token = (await impersonate(owner.token, { targetUserId: user.userId })).body.accessToken;
    expect((await impersonate(token, { targetUserId: other.userId })).status).toBe(403);
    const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const calls: Array<[string, string, unknown?]> = [
      ["POST", "/api/auth/password", passwords],
      ["POST", "/api/auth/second-factor", { password: PASSWORD }],
      ["POST", "/api/auth/second-factor/confirm", { code: "123456" }],
      ["POST", "/api/auth/second-factor/recovery-codes", { password: PASSWORD }],
      ["POST", "/api/auth/second-factor/disable", { password: PASSWORD }],
      ["GET", "/api/auth/sessions"],
      ["DELETE", "/api/auth/sessions"],
      ["DELETE", "/api/auth/sessions/x"],
    ];
    for (const [method, path, body] of calls)
      expect([path, (await fixture.call(method, path, { token, body })).status]).toEqual([path, 403]);
  });

  test("the user sees it among the own sessions and can end it", async () => {
    const target = await fixture.signIn("TENANT_RW");
    const token = (await impersonate(owner.token, { targetUserId: target.user.userId })).body.accessToken;
    const list = (await fixture.call("GET", "/api/auth/sessions", { token: target.token })).body;
    const { sessionId } = list.find(
      (session: { impersonatedBy?: string }) => session.impersonatedBy === owner.user.email,
    );
    await fixture.call("DELETE", `/api/auth/sessions/${sessionId}`, { token: target.token });
    expect([await meStatus(token), await meStatus(owner.token)]).toEqual([401, 200]);
  });

  test("ends with the own session, by signing out of either, and with the role that allowed it", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const act = async (token: string) =>
      (await impersonate(token, { targetUserId: user.userId })).body.accessToken as string;

    const first = await fixture.signIn("TENANT_ADMIN");
    const [text, two] = [await act(first.token), await act(first.token)];
    await fixture.call("POST", "/api/auth/logout", { token: text });
    expect([await meStatus(text), await meStatus(two), await meStatus(first.token)]).toEqual([401, 200, 200]);
    await fixture.call("POST", "/api/auth/logout", { token: first.token });
    expect(await meStatus(two)).toBe(401);

    for (const body of [{ role: "TENANT_RW" }, { status: "DISABLED" }]) {
      const admin = await fixture.signIn("TENANT_ADMIN");
      const acting = await act(admin.token);
      await fixture.call("PATCH", `/api/users/${admin.user.userId}`, { token: owner.token, body });
      expect(await meStatus(acting)).toBe(401);
    }
  });

  test("is nothing for an API key", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const key = await fixture.call("POST", "/api/api-keys", {
      token: owner.token,
      body: { name: "script", role: "TENANT_ADMIN" },
    });
    expect((await impersonate(key.body.key, { targetUserId: user.userId })).status).toBe(403);
  });
});
