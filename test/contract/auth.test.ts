import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { FakeClock } from "../support/fake-clock.ts";
import { PASSWORD } from "../support/test-app.ts";
import { contract, createWorld, nothing } from "./client.ts";
import { boolean, jwt, text, uuid } from "./shapes.ts";

const HOUR_MS = 3_600_000;
const clock = new FakeClock(Date.now());
const world = createWorld({ clock });
const claims = (token: string) =>
  JSON.parse(atob(token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? ""));
const session = { accessToken: jwt, tokenType: "Bearer" };
async function account(): Promise<{ email: string; userId: string }> {
  const { user } = await world.test.signIn("TENANT_RW", { tenant: "plant" });
  return { email: user.email, userId: user.userId };
}
/** The hosted sign-in page for scripts. */
const authorize = (body: Record<string, unknown>) => world.ask("anonymous", "POST /idp/authorize", { body });
async function signIn(email: string, password = PASSWORD): Promise<string> {
  const { body } = await authorize({ email, password });
  return (await world.need("anonymous", "POST /api/auth/exchange", { code: body.code })).accessToken;
}
const me = (token: string) =>
  world.ask("anonymous", "GET /api/auth/me", { headers: { authorization: `Bearer ${token}` } });

describe("exchange", () => {
  contract(world, [
    ["refuses a missing code", "anonymous POST /api/auth/exchange", 400, { body: {} }],
    ["refuses a code that is no text", "anonymous POST /api/auth/exchange", 400, { body: { code: 5 } }],
    [
      "refuses an unknown code",
      "anonymous POST /api/auth/exchange",
      400,
      { body: { code: "nobody-issued-it" } },
    ],
    ["refuses a list as the body", "anonymous POST /api/auth/exchange", 400, { body: [] }],
    [
      "refuses an object as the code",
      "anonymous POST /api/auth/exchange",
      400,
      { body: { code: { toString: 1 } } },
    ],
  ]);

  test("answers a Bearer access token for a code", async () => {
    const { email } = await account();
    const { status, body } = await authorize({ email, password: PASSWORD });
    expect([status, typeof body.code, typeof body.redirectTo]).toEqual([200, "string", "string"]);
    const response = await world.ask("anonymous", "POST /api/auth/exchange", { body: { code: body.code } });
    expect([response.status, response.body.tokenType]).toEqual([200, "Bearer"]);
    expect((await me(response.body.accessToken)).body.email).toBe(email);
  });

  test("takes a code only once", async () => {
    const { email } = await account();
    const { code } = (await authorize({ email, password: PASSWORD })).body;
    const redeem = () => world.ask("anonymous", "POST /api/auth/exchange", { body: { code } });
    expect([(await redeem()).status, (await redeem()).status]).toEqual([200, 400]);
  });

  for (const [seconds, status] of [
    [59, 200],
    [61, 400],
  ] as const)
    test(`answers ${status} for a code that is ${seconds} s old`, async () => {
      const { email } = await account();
      const { code } = (await authorize({ email, password: PASSWORD })).body;
      clock.advance(seconds * 1000);
      expect((await world.ask("anonymous", "POST /api/auth/exchange", { body: { code } })).status).toBe(
        status,
      );
    });

  test("issues tokens of 12 h with the claims sub, tenantId, role, email and sid", async () => {
    const { email, userId } = await account();
    const token = await signIn(email);
    const payload = claims(token);
    expect(payload).toMatchObject({ sub: userId, tenantId: world.ids.rwTenant, role: "TENANT_RW", email });
    expect(typeof payload.sid).toBe("string");
    expect(payload.exp - Math.floor(clock.now() / 1000)).toBeWithin(12 * 3600 - 5, 12 * 3600 + 5);
    expect("imp" in payload).toBe(false);
  });

  for (const [kind, verifier, status] of [
    ["the right verifier", "v".repeat(43), 200],
    ["a wrong verifier", "w".repeat(43), 400],
    ["no verifier", undefined, 400],
  ] as const)
    test(`answers ${status} for a code with a PKCE challenge and ${kind}`, async () => {
      const { email } = await account();
      const codeChallenge = createHash("sha256").update("v".repeat(43)).digest("base64url");
      const { code } = (await authorize({ email, password: PASSWORD, codeChallenge })).body;
      const body = { code, ...(verifier && { codeVerifier: verifier }) };
      expect((await world.ask("anonymous", "POST /api/auth/exchange", { body })).status).toBe(status);
    });
});

describe("the hosted sign-in", () => {
  test("is a page that needs no script", async () => {
    const { status, headers, text: page } = await world.ask("anonymous", "GET /idp/authorize");
    expect([status, headers.get("content-type")?.split(";")[0]]).toEqual([200, "text/html"]);
    expect(page).toMatch(/<form[^>]+method="?post/i);
    expect(page).toMatch(/<input[^>]+type="?password/i);
    expect(page).not.toMatch(/<script/i);
  });

  test("refuses a wrong password and an unknown account with one answer", async () => {
    const { email } = await account();
    const wrong = await authorize({ email, password: "not the password 1" });
    const unknown = await authorize({ email: "nobody@plant.example", password: "not the password 1" });
    expect(wrong.status).toBeGreaterThanOrEqual(400);
    expect([wrong.status, wrong.text]).toEqual([unknown.status, unknown.text]);
  });

  test("throttles wrong passwords with 429 and Retry-After", async () => {
    const { email } = await account();
    let response = await authorize({ email, password: "wrong password 0" });
    for (let tries = 1; tries < 40 && response.status !== 429; tries++)
      response = await authorize({ email, password: `wrong password ${tries}` });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    clock.leap(HOUR_MS);
  });
});

describe("the current user", () => {
  const who = { userId: uuid, email: text, tenantId: uuid, role: text, onboardingRequired: boolean };
  contract(world, [
    ["answers the user", "owner GET /api/auth/me", 200, { is: { ...who, role: "TENANT_OWNER" } }],
    [
      "answers the role",
      "reader GET /api/auth/me",
      200,
      { is: { ...who, role: "TENANT_READ_ONLY", onboardingRequired: false } },
    ],
  ]);
});

describe("impersonation", () => {
  const time = "POST /api/auth/impersonate";
  const target = () => ({ targetUserId: world.ids.readerUser });
  contract(world, [
    ["400 without a body when targetUserId is missing", `owner ${time}`, 400, { body: {}, is: nothing }],
    ["403 for a read-write user", `rw ${time}`, 403, { body: target }],
    ["403 for a reader", `reader ${time}`, 403, { body: target }],
    [
      "404 for a user of another tenant",
      `owner ${time}`,
      404,
      { body: () => ({ targetUserId: world.ids.strangerUser }) },
    ],
    ["404 for an unknown user", `owner ${time}`, 404, { body: () => ({ targetUserId: world.ids.unknown }) }],
    ["answers a session to an owner", `owner ${time}`, 200, { body: target, is: session }],
    [
      "answers a session of the target, which names the impersonator, to an administrator",
      `admin ${time}`,
      200,
      {
        body: target,
        is: session,
        async check({ body }) {
          expect(claims(body.accessToken)).toMatchObject({
            sub: world.ids.readerUser,
            imp: world.ids.adminUser,
          });
          expect((await me(body.accessToken)).body.role).toBe("TENANT_READ_ONLY");
        },
      },
    ],
  ]);
});

describe("sessions", () => {
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  const expectEnded = async (token: string) => {
    const { status, text: body } = await me(token);
    expect([status, body]).toEqual([401, ""]);
  };

  test("refresh answers a token that works", async () => {
    const token = await signIn((await account()).email);
    const { status, body } = await world.ask("anonymous", "POST /api/auth/refresh", { headers: as(token) });
    expect([status, body.tokenType]).toEqual([200, "Bearer"]);
    expect((await me(body.accessToken)).status).toBe(200);
  });

  test("end by signing out", async () => {
    const token = await signIn((await account()).email);
    const response = await world.ask("anonymous", "POST /api/auth/logout", { headers: as(token) });
    expect(response.status).toBe(200);
    await expectEnded(token);
  });

  for (const [name, body] of [
    ["when the user is disabled", { status: "DISABLED" }],
    ["when the role changes", { role: "TENANT_READ_ONLY" }],
  ] as const)
    test(`end ${name}`, async () => {
      const { email, userId } = await account();
      const token = await signIn(email);
      expect((await world.ask("owner", `PATCH /api/users/${userId}`, { body })).status).toBe(200);
      await expectEnded(token);
    });

  test("end when the user is deleted", async () => {
    const { email, userId } = await account();
    const token = await signIn(email);
    expect((await world.ask("owner", `DELETE /api/users/${userId}`)).body).toEqual({ success: true });
    await expectEnded(token);
  });

  test("end after 12 h", async () => {
    const token = await signIn((await account()).email);
    clock.leap(12 * HOUR_MS - 60_000);
    expect((await me(token)).status).toBe(200);
    clock.advance(120_000);
    await expectEnded(token);
  });
});

describe("passwords", () => {
  const change = async (body: Record<string, unknown>) => {
    const { email } = await account();
    const token = await signIn(email);
    const response = await world.ask("anonymous", "POST /api/auth/password", {
      body: { currentPassword: PASSWORD, ...body },
      headers: { authorization: `Bearer ${token}` },
    });
    return { email, answer: response };
  };

  test("change: the new one signs in, the old one does not", async () => {
    const { email, answer: response } = await change({ newPassword: "eleven blue kettles 9" });
    expect(response.status).toBe(200);
    expect((await authorize({ email, password: PASSWORD })).status).toBeGreaterThanOrEqual(400);
    expect((await me(await signIn(email, "eleven blue kettles 9"))).status).toBe(200);
  });

  for (const [name, newPassword] of [
    ["with fewer than 10 characters", "short 7 x"],
    ["that is common", "1234567890"],
  ])
    test(`refuses one ${name}`, async () => {
      const { answer: response } = await change({ newPassword });
      expect(response.status).toBe(400);
      expect(response.body.statusCode).toBe(400);
    });
});

describe("API keys", () => {
  // The earlier tests moved the clock by more than the life of a session.
  test("are shown once, work as the bearer credential and end when deleted", async () => {
    const { token } = await world.test.signIn("TENANT_OWNER", { tenant: "plant" });
    world.tokens.owner = token;
    const created = await world.need("owner", "POST /api/api-keys", {
      name: "script",
      role: "TENANT_READ_ONLY",
    });
    expect(created.key).toMatch(/^lsk_[\w-]{20,}$/);
    const headers = { authorization: `Bearer ${created.key}` };
    expect((await world.ask("anonymous", "GET /api/devices", { headers })).status).toBe(200);
    const write = await world.ask("anonymous", "POST /api/devices", {
      headers,
      body: { name: "x", deviceType: "y" },
    });
    expect(write.status).toBe(403);
    const listed = await world.ask("owner", "GET /api/api-keys");
    expect(listed.text).not.toContain(created.key);
    world.ids.key = created.apiKeyId ?? created.keyId ?? created.id;
    expect((await world.ask("owner", "DELETE /api/api-keys/{key}")).status).toBe(200);
    expect((await world.ask("anonymous", "GET /api/devices", { headers })).status).toBe(401);
  });
});
