import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { FakeClock } from "../support/fake-clock.ts";
import { createPlainBrowser } from "../support/plain-browser.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

const STEP_MS = 30_000;
const HOUR_MS = 3_600_000;
const AUTHORIZE = "/idp/authorize?redirect_uri=/auth/callback&state=s1&ui_locales=en";

const clock = new FakeClock();
let fixture: TestApp;

beforeAll(async () => {
  fixture = await createTestApp({ clock });
});
afterAll(() => fixture.stop());
beforeEach(() => clock.leap(4 * HOUR_MS));

const post = (token: string, path: string, body: unknown) =>
  fixture.call("POST", `/api/auth/${path}`, { token, body });

/** The authenticator app of a user. */
const appOf = (secret: string) => {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return (offsetMs = 0) => totp.generate({ timestamp: clock.now() + offsetMs });
};

async function withSecondFactor() {
  const { token, user } = await fixture.signIn("TENANT_RW");
  const begun = await post(token, "second-factor", { password: PASSWORD });
  const app = appOf(begun.body.secret);
  const { body } = await post(token, "second-factor/confirm", { code: app() });
  clock.advance(STEP_MS); // the next code is a new one
  return { token, email: user.email, user, app, recoveryCodes: body.recoveryCodes as string[] };
}

const signIn = (email: string, otp?: string) =>
  fixture.call("POST", "/idp/authorize", { body: { email, password: PASSWORD, ...(otp && { otp }) } });

describe("turning it on", () => {
  test("takes the password, then a code of the app, and gives recovery codes once", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    const security = async () => (await fixture.call("GET", "/api/auth/security", { token })).body;
    expect(await security()).toEqual({ hasPassword: true, hasSecondFactor: false, recoveryCodesLeft: 0 });
    expect((await post(token, "second-factor", { password: "not this one 1" })).status).toBe(400);

    const begun = await post(token, "second-factor", { password: PASSWORD });
    expect(begun.body).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      uri: expect.stringContaining(`otpauth://totp/Lineside:${encodeURIComponent(user.email)}?`),
      qrSvg: expect.stringContaining("<svg"),
    });
    expect((await signIn(user.email)).status).toBe(200); // nothing is in effect yet
    const app = appOf(begun.body.secret);
    const wrong = app() === "000000" ? "000001" : "000000";
    expect((await post(token, "second-factor/confirm", { code: wrong })).status).toBe(400);

    const confirmed = await post(token, "second-factor/confirm", { code: app() });
    expect(confirmed.status).toBe(200);
    const { recoveryCodes } = confirmed.body;
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/);
    expect(await security()).toEqual({ hasPassword: true, hasSecondFactor: true, recoveryCodesLeft: 10 });
    expect((await post(token, "second-factor", { password: PASSWORD })).status).toBe(409);
    expect((await post(token, "second-factor/confirm", { code: app() })).status).toBe(409);
  });

  test("without having begun is 400", async () => {
    const { token } = await fixture.signIn("TENANT_RW");
    expect((await post(token, "second-factor/confirm", { code: "123456" })).status).toBe(400);
  });

  test("keeps neither recovery codes nor anything of them in the database", async () => {
    const { recoveryCodes } = await withSecondFactor();
    for (const name of ["identity.db", "identity.db-wal"])
      expect(await Bun.file(`${fixture.directory}/${name}`).text()).not.toContain(recoveryCodes[0] ?? "");
  });
});

describe("signing in with it", () => {
  test("by script needs otp, which the answer says", async () => {
    const { email, app } = await withSecondFactor();
    const without = await signIn(email);
    expect([without.status, without.body.message]).toEqual([403, expect.stringContaining("otp")]);
    const wrong = await signIn(email, app() === "000000" ? "000001" : "000000");
    expect([wrong.status, wrong.text]).toEqual([401, ""]);
    expect((await signIn(email, app())).status).toBe(200);
  });

  test("by the hosted pages takes a second page", async () => {
    const { email, app, user } = await withSecondFactor();
    const page = await createPlainBrowser(fixture).open(AUTHORIZE);
    const second = await page.submit({ email, password: PASSWORD });
    expect([second.status, second.title, second.headers.get("location")]).toEqual([
      200,
      "One more step",
      null,
    ]);
    const wrong = await second.submit({ code: "no-such-code" });
    expect([wrong.status, wrong.title, wrong.alert]).toEqual([
      401,
      "One more step",
      expect.stringContaining("wrong or was already used"),
    ]);
    const { token: owner } = await fixture.signIn("TENANT_OWNER");
    const path = `/api/audit?action=session.start&outcome=FAILED&targetId=${user.userId}`;
    expect((await fixture.call("GET", path, { token: owner })).body).toHaveLength(1);
    const code = app();
    const done = await wrong.submit({ code: `${code.slice(0, 3)} ${code.slice(3)}` });
    expect(done.status).toBe(303);
    expect(done.headers.get("location")).toMatch(/^\/auth\/callback\?code=[\w-]+&state=s1$/);
    const replayed = await wrong.submit({ code: app() });
    expect([replayed.status, replayed.title]).toEqual([401, "Sign in"]);
  });

  test("the page speaks German", async () => {
    const { email } = await withSecondFactor();
    const page = await createPlainBrowser(fixture).open("/idp/authorize?ui_locales=de");
    const second = await page.submit({ email, password: PASSWORD });
    expect(second.title).toBe("Noch ein Schritt");
    expect((await second.submit({ code: "falsch" })).alert).toStartWith("Der Code stimmt nicht");
  });

  test("a code works once", async () => {
    const { email, app } = await withSecondFactor();
    const code = app();
    expect((await signIn(email, code)).status).toBe(200);
    expect((await signIn(email, code)).status).toBe(401);
    clock.advance(STEP_MS);
    expect((await signIn(email, app())).status).toBe(200);
  });

  test("of two at once with one code, one gets in", async () => {
    const { email, app } = await withSecondFactor();
    const code = app();
    const responses = await Promise.all([signIn(email, code), signIn(email, code)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test("a phone may be half a minute early or late, not more", async () => {
    const { email, app } = await withSecondFactor();
    expect((await signIn(email, app(-2 * STEP_MS))).status).toBe(401);
    expect((await signIn(email, app(2 * STEP_MS))).status).toBe(401);
    expect((await signIn(email, app(STEP_MS))).status).toBe(200);
  });

  test("a clock that was set back locks nobody out", async () => {
    const { email, app } = await withSecondFactor();
    clock.jump(365 * 24 * HOUR_MS);
    expect((await signIn(email, app())).status).toBe(200);
    clock.jump(-365 * 24 * HOUR_MS);
    expect((await signIn(email, app())).status).toBe(200);
  });

  test("each recovery code opens once, however it is typed", async () => {
    const { token, email, recoveryCodes } = await withSecondFactor();
    const [first = "", second = ""] = recoveryCodes;
    expect((await signIn(email, ` ${first.toUpperCase().replaceAll("-", " ")} `)).status).toBe(200);
    expect((await signIn(email, first)).status).toBe(401);
    expect((await signIn(email, second)).status).toBe(200);
    const { body } = await fixture.call("GET", "/api/auth/security", { token });
    expect(body.recoveryCodesLeft).toBe(8);
  });

  test("who knows the password cannot guess the code", async () => {
    const { email, app } = await withSecondFactor();
    const statuses: number[] = [];
    for (let index = 0; index < 12; index++) statuses.push((await signIn(email, "no-such-code")).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.slice(10)).toEqual([429, 429]);
    expect((await signIn(email, app())).status).toBe(429);
    clock.leap(HOUR_MS);
    expect((await signIn(email, app())).status).toBe(200);
  });
});

describe("turning it off", () => {
  test("takes the password", async () => {
    const { token, email } = await withSecondFactor();
    expect((await post(token, "second-factor/disable", { password: "not this one 1" })).status).toBe(400);
    expect((await signIn(email)).status).toBe(403);
    expect((await post(token, "second-factor/disable", { password: PASSWORD })).body).toEqual({
      success: true,
    });
    expect((await signIn(email)).status).toBe(200);
    expect((await post(token, "second-factor/disable", { password: PASSWORD })).status).toBe(409);
  });

  test("new recovery codes replace the old ones", async () => {
    const { token, email, recoveryCodes } = await withSecondFactor();
    const renewed = await post(token, "second-factor/recovery-codes", { password: PASSWORD });
    expect(renewed.body.recoveryCodes).toHaveLength(10);
    expect((await signIn(email, recoveryCodes[0])).status).toBe(401);
    expect((await signIn(email, renewed.body.recoveryCodes[0])).status).toBe(200);
  });

  test("without one there are no recovery codes to renew", async () => {
    const { token } = await fixture.signIn("TENANT_RW");
    expect((await post(token, "second-factor/recovery-codes", { password: PASSWORD })).status).toBe(409);
  });

  test("an administrator who invites the user again turns it off", async () => {
    const { user } = await withSecondFactor();
    const { token } = await fixture.signIn("TENANT_ADMIN");
    const invited = await fixture.call("POST", `/api/users/${user.userId}/invite/credentials`, { token });
    const { email, temporaryPassword } = invited.body;
    const { status } = await fixture.call("POST", "/idp/authorize", {
      body: { email, password: temporaryPassword, newPassword: "seven green bottles 42" },
    });
    expect(status).toBe(200);
  });

  test("a forgotten password alone does not turn it off", async () => {
    const { email, user } = await withSecondFactor();
    const { provider } = fixture.app.services;
    await provider.resetPassword(provider.createResetSecret(user.email) ?? "", "seven green bottles 42");
    const response = await fixture.call("POST", "/idp/authorize", {
      body: { email, password: "seven green bottles 42" },
    });
    expect(response.status).toBe(403);
  });
});
