import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: Awaited<ReturnType<TestApp["signIn"]>>;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = await fixture.signIn("TENANT_OWNER");
});
afterAll(() => fixture.stop());

const authorize = async (more: Record<string, string> = {}) =>
  (
    await fixture.call("POST", "/idp/authorize", {
      body: { email: owner.user.email, password: PASSWORD, ...more },
    })
  ).body.code as string;
const exchange = (body: Record<string, string>) => fixture.call("POST", "/api/auth/exchange", { body });

test("a code that was asked for without a challenge is refused together with a verifier", async () => {
  const code = await authorize();
  expect((await exchange({ code, codeVerifier: "v".repeat(64) })).status).toBe(400);
  expect((await exchange({ code })).status).toBe(400); // it was good for one try
  expect((await exchange({ code: await authorize() })).status).toBe(200);
});

test.each(["=", "==", ".", "%3D", "\u00a0"])("an access token with %j behind it is refused", async (tail) => {
  const parts = owner.token.split(".");
  const headers = { authorization: `Bearer ${owner.token}${tail}` };
  expect((await fixture.call("GET", "/api/auth/me", { headers })).status).toBe(401);
  for (const index of [0, 1]) {
    const changed = parts.map((part, position) => (position === index ? `${part}${tail}` : part)).join(".");
    const { status } = await fixture.call("GET", "/api/auth/me", {
      headers: { authorization: `Bearer ${changed}` },
    });
    expect([index, status]).toEqual([index, 401]);
  }
  expect((await fixture.call("GET", "/api/auth/me", { token: owner.token })).status).toBe(200);
});

test("an access token whose last character differs in bits that do not count is refused", async () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(owner.token.slice(-1));
  const token = owner.token.slice(0, -1) + alphabet[last ^ 1];
  expect((await fixture.call("GET", "/api/auth/me", { token })).status).toBe(401);
});
