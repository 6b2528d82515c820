import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readExternalSettings } from "../../src/modules/identity/provider/external-provider.ts";
import { defaultConfig } from "../../src/platform/config/config.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { freePort } from "../support/free-port.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type OpenIdProvider,
  signInThere,
  startOpenIdProvider,
} from "../support/openid-provider.ts";
import { createPlainBrowser } from "../support/plain-browser.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

const AUTHORIZE = "/idp/authorize?redirect_uri=/auth/callback&state=s1&ui_locales=en";

/** Known to the provider beforehand, as a real gateway's address is: of the one for most tests, and of others in turn. */
const ports = { main: 0, other: 0 };
let callbacks: string[];
const clock = new FakeClock();
let provider: OpenIdProvider;
let fixture: TestApp;
let others: TestApp[] = [];

async function startGateway(extra: Record<string, unknown> = {}, directory?: string): Promise<TestApp> {
  const started = await createTestApp({
    clock,
    config: {
      http_port: ports.other,
      oidc_issuer: provider.issuer,
      oidc_client_id: CLIENT_ID,
      oidc_client_secret: CLIENT_SECRET,
      oidc_name: "Plant login",
      ...extra,
    },
    ...(directory !== undefined && { directory }),
  });
  others.push(started);
  return started;
}

beforeAll(async () => {
  ports.main = await freePort();
  ports.other = await freePort();
  callbacks = Object.values(ports).map((port) => `http://127.0.0.1:${port}/idp/callback`);
  provider = await startOpenIdProvider(callbacks);
  fixture = await startGateway({ http_port: ports.main });
  others = [];
  await fixture.signIn("TENANT_OWNER");
});
afterEach(async () => {
  for (const other of others.splice(0)) await other.stop();
});
afterAll(async () => {
  await fixture.stop();
  await provider.stop();
});

/** The address within the gateway that the provider sends the browser back to. */
async function throughProvider(
  browser: ReturnType<typeof createPlainBrowser>,
  email: string,
  from = AUTHORIZE,
) {
  const leaving = await browser.open(from);
  expect(leaving.status).toBe(303);
  const back = await signInThere(leaving.headers.get("location") ?? "", email);
  const { origin, pathname, search } = new URL(back);
  expect(callbacks).toContain(`${origin}${pathname}`);
  return `${pathname}${search}`;
}

async function exchange(location: string | null, app = fixture) {
  const code = new URL(location ?? "", fixture.app.url).searchParams.get("code");
  return app.call("POST", "/api/auth/exchange", { body: { code } });
}

/** The reasons for which sign-ins of an address were refused. */
async function refusalsOf(email: string): Promise<string[]> {
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" });
  const path = `/api/gateway/refusals?edge=sign_in&search=${encodeURIComponent(email)}`;
  const { body } = await fixture.call("GET", path, { token });
  return body.map(({ reason }: { reason: { code: string } }) => reason.code);
}

describe("an external provider", () => {
  test("is where sign-in goes at once, with PKCE, state and nonce", async () => {
    const leaving = await createPlainBrowser(fixture).open(
      `${AUTHORIZE}&login_hint=a@b.example&prompt=login`,
    );
    const there = new URL(leaving.headers.get("location") ?? "");
    expect(there.origin).toBe(provider.issuer);
    expect(Object.fromEntries(there.searchParams)).toMatchObject({
      client_id: CLIENT_ID,
      response_type: "code",
      redirect_uri: callbacks[0],
      scope: "openid email profile",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      login_hint: "a@b.example",
      prompt: "login",
    });
    const [cookie = ""] = leaving.headers.getSetCookie();
    expect(cookie).toMatch(
      /^lineside_external_[\w-]{12}=[\w-]+; Path=\/idp\/callback; Max-Age=900; HttpOnly; SameSite=Lax$/,
    );
    for (const name of ["nonce", "state"]) expect(cookie).not.toContain(there.searchParams.get(name) ?? "-");
  });

  test("signs in the user who has the verified e-mail, with the state and challenge of the console", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const verifier = "v".repeat(64);
    const challenge = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
    const browser = createPlainBrowser(fixture);
    const from = `${AUTHORIZE}&code_challenge=${challenge}&code_challenge_method=S256`;
    const back = await browser.open(await throughProvider(browser, user.email.toUpperCase(), from));
    expect(back.status).toBe(303);
    const location = back.headers.get("location") ?? "";
    expect(location).toMatch(/^\/auth\/callback\?code=[\w-]+&state=s1$/);
    const code = new URL(location, fixture.app.url).searchParams.get("code");
    const { status, body } = await fixture.call("POST", "/api/auth/exchange", {
      body: { code, codeVerifier: verifier },
    });
    expect(status).toBe(200);
    const me = await fixture.call("GET", "/api/auth/me", { token: body.accessToken });
    expect(me.body).toMatchObject({ userId: user.userId, role: "TENANT_RW" });
  });

  test("also in the middle of a restart of the gateway", async () => {
    const first = await startGateway();
    const { user } = await first.signIn("TENANT_RW");
    const browser = createPlainBrowser(first);
    const back = await throughProvider(browser, user.email);
    await first.app.stop();
    const second = await startGateway({}, first.directory);
    const response = await second.call("GET", back, {
      headers: { cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; ") },
    });
    expect(response.status).toBe(303);
    expect((await exchange(response.headers.get("location"), second)).status).toBe(200);
  });

  test("lets in nobody whom it vouches for but who has no user, or a disabled one", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER");
    const { user } = await fixture.signIn("TENANT_RW");
    await fixture.call("PATCH", `/api/users/${user.userId}`, { token, body: { status: "DISABLED" } });
    const cases = [
      ["stranger@there.example", "There is no user stranger@there.example here."],
      [user.email, `The user ${user.email} is disabled.`],
    ];
    for (const [email = "", problem] of cases) {
      const browser = createPlainBrowser(fixture);
      const response = await browser.open(await throughProvider(browser, email));
      expect([response.status, response.alert]).toEqual([403, expect.stringContaining(problem ?? "")]);
    }
    expect(fixture.app.services.users.findByEmail("stranger@there.example")).toBeUndefined();
    expect(await refusalsOf("stranger@there.example")).toEqual(["refusal.user_unknown"]);
    expect(await refusalsOf(user.email)).toEqual(["refusal.user_disabled"]);
  });

  test("lets in nobody whose e-mail it calls unverified, and one that it says nothing of only where it is trusted", async () => {
    const trusting = await startGateway({ oidc_trust_email: true });
    await trusting.signIn("TENANT_OWNER");
    const statusOf = async (app: TestApp, email: string) => {
      app.app.services.users.create({ tenantId: null, email, fullName: "U", role: "TENANT_RW" });
      const browser = createPlainBrowser(app);
      const { status, alert } = await browser.open(await throughProvider(browser, email));
      if (status !== 303) expect(alert).toContain("not a verified email");
      return status;
    };
    const [unverified, unstated] = ["unverified@one.example", "unstated@one.example"];
    expect([await statusOf(fixture, unverified), await statusOf(fixture, unstated)]).toEqual([403, 403]);
    expect(await refusalsOf(unverified)).toEqual(["refusal.external_unverified"]);
    expect([await statusOf(trusting, unverified), await statusOf(trusting, unstated)]).toEqual([403, 303]);
  });

  test("does not take an address with a look-alike letter for that of a user", async () => {
    fixture.app.services.users.create({
      ...{ tenantId: null, email: "kim@one.example", fullName: "Kim", role: "TENANT_RW" },
    });
    const browser = createPlainBrowser(fixture);
    const { status } = await browser.open(await throughProvider(browser, "\u212aim@one.example")); // Kelvin sign
    expect(status).toBe(403);
    expect(await refusalsOf("\u212aim@one.example")).toEqual(["refusal.user_unknown"]);
  });

  test("brings newcomers where sign-up is open", async () => {
    const open = await startGateway({ signup: "open" });
    await open.signIn("TENANT_OWNER");
    const browser = createPlainBrowser(open);
    const response = await browser.open(await throughProvider(browser, "newcomer@there.example"));
    const { body } = await exchange(response.headers.get("location"), open);
    const me = await open.call("GET", "/api/auth/me", { token: body.accessToken });
    expect(me.body).toMatchObject({ fullName: "Petra Provider", onboardingRequired: true });
    const security = await open.call("GET", "/api/auth/security", { token: body.accessToken });
    expect(security.body.hasPassword).toBe(false);
  });
});

describe("who comes back from it", () => {
  test("in another browser than the one that left is not signed in", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const back = await throughProvider(createPlainBrowser(fixture), user.email);
    const victim = await createPlainBrowser(fixture).open(back);
    expect([victim.status, victim.headers.get("location")]).toEqual([401, null]);
    expect(victim.html).toContain("This took too long");
  });

  test("with another state, a made-up code or the same code again is not signed in", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const browser = createPlainBrowser(fixture);
    const back = new URL(await throughProvider(browser, user.email), fixture.app.url);
    const cookies = new Map(browser.cookies);
    const open = (change: (query: URLSearchParams) => void) => {
      browser.cookies.clear();
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      const query = new URLSearchParams(back.search);
      change(query);
      return browser.open(`/idp/callback?${query}`);
    };
    expect((await open((query) => query.set("state", "x".repeat(43)))).status).toBe(401);
    expect((await open((query) => query.set("state", `${query.get("state")}x`))).status).toBe(401);
    expect((await open((query) => query.set("code", "made-up"))).status).toBe(403);
    expect((await open((query) => query.set("iss", "https://evil.example"))).status).toBe(403);
    expect((await open(() => undefined)).status).toBe(303);
    expect((await open(() => undefined)).status).toBe(403);
    const refused = await refusalsOf("");
    expect(refused).toContain("refusal.sign_in_expired");
    expect(refused).toContain("refusal.external_refused");
  });

  test("with a cookie that was tampered with is not signed in", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const browser = createPlainBrowser(fixture);
    const back = await throughProvider(browser, user.email);
    for (const [name, value] of browser.cookies)
      browser.cookies.set(name, `${value.slice(0, 40)}${value[40] === "A" ? "B" : "A"}${value.slice(41)}`);
    expect((await browser.open(back)).status).toBe(401);
  });

  test("without having agreed gets the sign-in page again, and nothing of what the address says", async () => {
    const browser = createPlainBrowser(fixture);
    const leaving = await browser.open(AUTHORIZE);
    const state = new URL(leaving.headers.get("location") ?? "").searchParams.get("state") ?? "";
    const query = new URLSearchParams({
      error: "access_denied",
      error_description: "call 0900 12345",
      state,
    });
    const response = await browser.open(`/idp/callback?${query}`);
    expect([response.status, response.alert]).toEqual([
      403,
      "The sign-in at the identity provider failed. Try again.",
    ]);
    expect(response.html).not.toContain("0900");
    expect(response.linkTo("Sign in with Plant login")).toContain("/idp/external?");
  });
});

describe("beside it", () => {
  test("the gateway's own sign-in stays, under an address of its own", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const page = await createPlainBrowser(fixture).open(`${AUTHORIZE}&provider=local`);
    expect([page.status, page.linkTo("Sign in with Plant login")]).toEqual([
      200,
      expect.stringContaining("/idp/external?"),
    ]);
    expect((await page.submit({ email: user.email, password: PASSWORD })).status).toBe(303);
  });

  test("both are offered where that is chosen, and the button leads there", async () => {
    const choice = await startGateway({ oidc_redirect: false });
    await choice.signIn("TENANT_OWNER");
    const { user } = await choice.signIn("TENANT_RW");
    const browser = createPlainBrowser(choice);
    const page = await browser.open(AUTHORIZE);
    expect(page.status).toBe(200);
    const back = await throughProvider(browser, user.email, page.linkTo("Sign in with Plant login"));
    const location = (await browser.open(back)).headers.get("location") ?? "";
    expect(location).toMatch(/^\/auth\/callback\?code=[\w-]+&state=s1$/);
  });

  test("while the provider does not answer, people sign in with a password, and it works again afterwards", async () => {
    let away = await startOpenIdProvider(callbacks);
    const gateway = await startGateway({ oidc_issuer: away.issuer });
    const { user } = await gateway.signIn("TENANT_OWNER");
    const browser = createPlainBrowser(gateway);
    expect((await browser.open(AUTHORIZE)).status).toBe(303);
    await away.stop();
    clock.advance(60_001); // what was known of it is asked for again
    const page = await browser.open(AUTHORIZE);
    expect([page.status, page.alert]).toEqual([503, expect.stringContaining("does not answer")]);
    expect((await page.submit({ email: user.email, password: PASSWORD })).status).toBe(303);
    away = await startOpenIdProvider(callbacks, Number(new URL(away.issuer).port));
    expect((await browser.open(await throughProvider(browser, user.email))).status).toBe(303);
    await away.stop();
  });

  test("without one there is none", async () => {
    const plain = await createTestApp();
    for (const path of ["/idp/external", "/idp/callback?code=x&state=y"])
      expect((await plain.call("GET", path)).status).toBe(404);
    await plain.stop();
  });

  test("before the first owner nobody is sent away", async () => {
    const fresh = await startGateway();
    const page = await createPlainBrowser(fresh).open(AUTHORIZE);
    expect([page.status, page.title]).toEqual([200, "No owner yet"]);
  });

  test("settings that cannot be are named at the start", () => {
    const config = defaultConfig({ oidc_issuer: "no address", oidc_client_id: "x" });
    expect(() => readExternalSettings(config)).toThrow("oidc_issuer");
    const unnamed = defaultConfig({ oidc_issuer: "https://login.example" });
    expect(() => readExternalSettings(unnamed)).toThrow("oidc_client_id");
  });
});
