import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { forgeTokens, revokedToken } from "../support/forged-tokens.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const owner = {
  email: "Owner@Plant.example",
  password: PASSWORD,
  fullName: "Olga Owner",
  tenantName: "Plant",
};
let secret = "";

beforeAll(async () => {
  fixture = await createTestApp();
  secret = fixture.app.services.setup.createLink();
});
afterAll(() => fixture.stop());

const signIn = (body: unknown) => fixture.call("POST", "/idp/authorize", { body });

describe("the first start", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "a wrong link is 404",
        request: () => ({ method: "GET", path: "/api/setup?token=wrong" }),
        status: 404,
        answer: "error",
      },
      {
        name: "the link is good",
        request: () => ({ method: "GET", path: `/api/setup?token=${secret}` }),
        status: 200,
        answer: ({ body }) => expect(body.valid).toBe(true),
      },
      {
        name: "a short password is 400 and not echoed",
        request: () => ({
          method: "POST",
          path: "/api/setup",
          raw: JSON.stringify({ ...owner, token: secret, password: "short-pw" }),
          headers: json,
        }),
        status: 400,
        answer: (response) => expect(response.text).not.toContain("short-pw"),
      },
      {
        name: "a password that everybody uses is 400",
        request: () => ({
          method: "POST",
          path: "/api/setup",
          body: { ...owner, token: secret, password: "Password123" },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "a wrong link makes no owner",
        request: () => ({ method: "POST", path: "/api/setup", body: { ...owner, token: "wrong" } }),
        status: 404,
        answer: "error",
      },
    ],
  );

  test("of two at once with the same link, one makes the owner", async () => {
    const responses = await Promise.all(
      [1, 2].map((n) =>
        fixture.call("POST", "/api/setup", {
          body: { ...owner, email: `${n}@plant.example`, token: secret },
        }),
      ),
    );
    expect(responses.map((response) => response.status).sort()).toEqual([201, 404]);
    const { provider } = fixture.app.services;
    expect([1, 2].filter((n) => provider.hasAccount(`${n}@plant.example`))).toHaveLength(1);
    owner.email = responses[0]?.status === 201 ? "1@Plant.example" : "2@Plant.example";
  });

  apiRows(
    () => fixture,
    [
      {
        name: "the link works once",
        request: () => ({ method: "GET", path: `/api/setup?token=${secret}` }),
        status: 404,
        answer: "error",
      },
    ],
  );
});

describe("signing in", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "the hosted page needs no JavaScript and forbids it",
        request: () => ({
          method: "GET",
          path: "/idp/authorize?redirect_uri=/auth/callback&state=%22%3E%3Cscript%3E",
        }),
        status: 200,
        answer: ({ text, headers }) => {
          expect(text).toContain('action="/idp/authorize"');
          expect(text).not.toContain("<script");
          expect(headers.get("content-security-policy")).toContain("default-src 'none'");
        },
      },
      {
        name: "the page speaks the browser's language",
        request: () => ({
          method: "GET",
          path: "/idp/authorize",
          headers: { "accept-language": "fr, en;q=0.5, de-AT;q=0.8" },
        }),
        status: 200,
        answer: ({ text }) => {
          expect(text).toContain('<html lang="de">');
          expect(text).toContain("Passwort");
        },
      },
      {
        name: "and looks as the console was set to, rather",
        request: () => ({
          method: "GET",
          path: "/idp/authorize?ui_locales=en&theme=dark",
          headers: { "accept-language": "de" },
        }),
        status: 200,
        answer: ({ text }) => {
          expect(text).toContain('<html lang="en" data-theme="dark">');
          expect(text).toContain('name="theme" value="dark"');
        },
      },
      {
        name: "codes are sent nowhere else",
        request: () => ({ method: "GET", path: "/idp/authorize?redirect_uri=https://evil.example/x" }),
        status: 400,
        answer: "error",
      },
      {
        name: "nor to another host without a scheme",
        request: () => ({ method: "GET", path: "/idp/authorize?redirect_uri=//evil.example/x" }),
        status: 400,
        answer: "error",
      },
      {
        name: "nor by a backslash",
        request: () => ({ method: "GET", path: "/idp/authorize?redirect_uri=/%5Cevil.example" }),
        status: 400,
        answer: "error",
      },
      {
        name: "a redirect whose dot segments end at another host is refused",
        request: () => ({ method: "GET", path: "/idp/authorize?redirect_uri=/.//evil.example" }),
        status: 400,
        answer: "error",
      },
      {
        name: "a wrong password is 401",
        request: () => ({
          method: "POST",
          path: "/idp/authorize",
          body: { email: owner.email, password: "something else 9" },
        }),
        status: 401,
        answer: "none",
      },
      {
        name: "an unknown address is 401 just the same",
        request: () => ({
          method: "POST",
          path: "/idp/authorize",
          body: { email: "nobody@plant.example", password: "something else 9" },
        }),
        status: 401,
        answer: "none",
      },
      {
        name: "a missing password is 400",
        request: () => ({ method: "POST", path: "/idp/authorize", body: { email: owner.email } }),
        status: 400,
        answer: "error",
      },
      {
        name: "the form says what is wrong on the page",
        request: () => ({
          method: "POST",
          path: "/idp/authorize",
          raw: "email=a%40b.example&password=x&ui_locales=de&theme=light",
          headers: form,
        }),
        status: 401,
        answer: ({ text }) => {
          expect(text).toContain('role="alert">E-Mail oder Passwort stimmen nicht');
          expect(text).toContain('<html lang="de" data-theme="light">');
        },
      },
      {
        name: "an exchange without a code is 400",
        request: () => ({ method: "POST", path: "/api/auth/exchange", body: {} }),
        status: 400,
        answer: "error",
      },
      {
        name: "an exchange with a code of one's own making is 400",
        request: () => ({ method: "POST", path: "/api/auth/exchange", body: { code: "made-up-code" } }),
        status: 400,
        answer: "error",
      },
    ],
  );

  test("by form: back to the console with a code and the state", async () => {
    const raw = new URLSearchParams({
      email: owner.email,
      password: PASSWORD,
      redirect_uri: "/auth/callback",
      state: "s 1",
    }).toString();
    const response = await fixture.call("POST", "/idp/authorize", { raw, headers: form });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toMatch(/^\/auth\/callback\?code=[\w-]+&state=s\+1$/);
  });

  test("a code works once, and only with the verifier of its challenge", async () => {
    const verifier = "v".repeat(64);
    const challenge = Buffer.from(new Bun.CryptoHasher("sha256").update(verifier).digest()).toString(
      "base64url",
    );
    const first = (await signIn({ email: owner.email, password: PASSWORD, codeChallenge: challenge })).body
      .code;
    expect((await fixture.call("POST", "/api/auth/exchange", { body: { code: first } })).status).toBe(400);
    expect(
      (await fixture.call("POST", "/api/auth/exchange", { body: { code: first, codeVerifier: verifier } }))
        .status,
    ).toBe(400);
    const second = (await signIn({ email: owner.email, password: PASSWORD, codeChallenge: challenge })).body
      .code;
    const { status, body } = await fixture.call("POST", "/api/auth/exchange", {
      body: { code: second, codeVerifier: verifier },
    });
    expect(status).toBe(200);
    expect(body).toEqual({ accessToken: expect.any(String), tokenType: "Bearer" });
  });

  test("a user learns whether the tenant is the gateway's own", async () => {
    const isHostOf = async (token: string) =>
      (await fixture.call("GET", "/api/auth/me", { token })).body.isHost;
    expect(await isHostOf((await fixture.signIn("TENANT_ADMIN", { tenant: "host" })).token)).toBe(true);
    expect(await isHostOf((await fixture.signIn("TENANT_ADMIN", { tenant: "elsewhere" })).token)).toBe(false);
  });

  test("the session, not the token, is the authority", async () => {
    const { code } = (await signIn({ email: owner.email, password: PASSWORD })).body;
    const { accessToken: token } = (await fixture.call("POST", "/api/auth/exchange", { body: { code } }))
      .body;
    const me = await fixture.call("GET", "/api/auth/me", { token });
    expect(me.body).toMatchObject({
      email: owner.email.toLowerCase(),
      role: "TENANT_OWNER",
      onboardingRequired: false,
      tenantId: expect.any(String),
      tenantName: owner.tenantName,
    });
    const { accessToken: fresh } = (await fixture.call("POST", "/api/auth/refresh", { token })).body;
    expect((await fixture.call("POST", "/api/auth/logout", { token })).body).toEqual({ success: true });
    for (const ended of [token, fresh])
      expect((await fixture.call("GET", "/api/auth/me", { token: ended })).status).toBe(401);
  });

  test("forged and foreign tokens are 401 without a body", async () => {
    const { code } = (await signIn({ email: owner.email, password: PASSWORD })).body;
    const { accessToken } = (await fixture.call("POST", "/api/auth/exchange", { body: { code } })).body;
    const forged = [...(await forgeTokens(fixture, accessToken)), await revokedToken(fixture)];
    expect(forged.length).toBeGreaterThan(15);
    for (const { name, token } of forged) {
      const response = await fixture.call("GET", "/api/auth/me", { token });
      expect([name, response.status, response.text]).toEqual([name, 401, ""]);
    }
    expect((await fixture.call("GET", "/api/auth/me", { token: accessToken })).status).toBe(200);
  });

  test("many wrong passwords close the door for a while, and the answer says for how long", async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 12; index++)
      statuses.push(
        (await signIn({ email: "victim@plant.example", password: `wrong ${index} long enough` })).status,
      );
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    const last = await signIn({ email: "victim@plant.example", password: "wrong again, long" });
    expect(last.status).toBe(429);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
