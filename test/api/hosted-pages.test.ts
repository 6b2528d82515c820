import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createPlainBrowser } from "../support/plain-browser.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

const MINUTE_MS = 60_000;
const NEW_PASSWORD = "seven green bottles 42";
const TEMPORARY = "temporary 12345 xyz";
const AUTHORIZE = "/idp/authorize?redirect_uri=/auth/callback&state=s1&ui_locales=en&theme=dark";

const clock = new FakeClock();
let mailServer: MailServer;
let fixture: TestApp;

beforeAll(async () => {
  mailServer = await startMailServer();
  fixture = await createTestApp({
    clock,
    config: { smtp_url: mailServer.url, smtp_from: "gateway@plant.example" },
  });
});
afterAll(async () => {
  await fixture.stop();
  await mailServer.stop();
});
beforeEach(() => clock.leap(60 * MINUTE_MS));

const statusOf = async (email: string, password: string) =>
  (await fixture.call("POST", "/idp/authorize", { body: { email, password } })).status;

async function invited(): Promise<string> {
  const { user } = await fixture.signIn("TENANT_RW");
  await fixture.app.services.provider.setTemporaryPassword(user.email, TEMPORARY);
  return user.email;
}

describe("a temporary password", () => {
  test("opens the page on which it is changed, and nothing else", async () => {
    const email = await invited();
    const page = await createPlainBrowser(fixture).open(AUTHORIZE);
    const passwordPage = await page.submit({ email, password: TEMPORARY });
    expect([passwordPage.status, passwordPage.title, passwordPage.headers.get("location")]).toEqual([
      200,
      "Set a password",
      null,
    ]);
    expect(passwordPage.html).toContain('data-theme="dark"');

    const differ = await passwordPage.submit({ password: NEW_PASSWORD, repeated: `${NEW_PASSWORD}!` });
    expect([differ.status, differ.alert]).toEqual([400, "The two passwords differ. Type the new one twice."]);
    const weak = await differ.submit({ password: "short", repeated: "short" });
    expect([weak.status, weak.alert]).toEqual([400, "The password must have 10 characters or more."]);
    expect(weak.html).not.toContain("short");
    const same = await weak.submit({ password: TEMPORARY, repeated: TEMPORARY });
    expect(same.alert).toBe("This is the current password. Select another one.");

    const done = await same.submit({ password: NEW_PASSWORD, repeated: NEW_PASSWORD });
    expect(done.status).toBe(303);
    expect(done.headers.get("location")).toMatch(/^\/auth\/callback\?code=[\w-]+&state=s1$/);
    const code = /code=([\w-]+)/.exec(done.headers.get("location") ?? "")?.[1];
    const exchanged = await fixture.call("POST", "/api/auth/exchange", { body: { code } });
    expect(exchanged.status).toBe(200);
    expect(await statusOf(email, TEMPORARY)).toBe(401);
    expect(await statusOf(email, NEW_PASSWORD)).toBe(200);
  });

  test("that was changed cannot be changed a second time with the same page", async () => {
    const email = await invited();
    const passwordPage = await (await createPlainBrowser(fixture).open(AUTHORIZE)).submit({
      email,
      password: TEMPORARY,
    });
    await passwordPage.submit({ password: NEW_PASSWORD, repeated: NEW_PASSWORD });
    const again = await passwordPage.submit({ password: "taken over 123456", repeated: "taken over 123456" });
    expect([again.status, again.title, again.alert]).toEqual([
      401,
      "Sign in",
      "This took too long. Sign in again.",
    ]);
    expect(await statusOf(email, NEW_PASSWORD)).toBe(200);
  });

  test("gives 15 minutes to think of another one", async () => {
    const email = await invited();
    const passwordPage = await (await createPlainBrowser(fixture).open(AUTHORIZE)).submit({
      email,
      password: TEMPORARY,
    });
    clock.leap(15 * MINUTE_MS);
    const late = await passwordPage.submit({ password: NEW_PASSWORD, repeated: NEW_PASSWORD });
    expect([late.status, late.title]).toEqual([401, "Sign in"]);
  });

  test("needs newPassword from a script, which the answer says", async () => {
    const email = await invited();
    const without = await fixture.call("POST", "/idp/authorize", { body: { email, password: TEMPORARY } });
    expect([without.status, without.body.message]).toEqual([403, expect.stringContaining("newPassword")]);
    const weak = await fixture.call("POST", "/idp/authorize", {
      body: { email, password: TEMPORARY, newPassword: "short" },
    });
    expect(weak.status).toBe(400);
    const { status, body } = await fixture.call("POST", "/idp/authorize", {
      body: { email, password: TEMPORARY, newPassword: NEW_PASSWORD },
    });
    expect([status, body.code]).toEqual([200, expect.any(String)]);
  });
});

describe("a forgotten password", () => {
  async function askForLink(email: string, browser = createPlainBrowser(fixture)) {
    const signIn = await browser.open(AUTHORIZE);
    const forgot = await browser.open(signIn.linkTo("Forgot your password?"));
    expect(forgot.title).toBe("New password");
    return forgot.submit({ email });
  }

  async function linkFor(email: string): Promise<string> {
    await askForLink(email);
    const mail = await mailServer.next();
    expect(mail.recipients).toEqual([email]);
    const url = /http:\/\/\S+\/idp\/reset\S+/.exec(mail.parsed.text ?? "")?.[0] ?? "";
    expect(new URL(url).origin).toBe(fixture.app.url);
    return url.slice(fixture.app.url.length);
  }

  test("brings a link to this gateway, whatever host and port the request names", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const { status } = await fixture.call("POST", "/idp/forgot", {
      body: { email: user.email },
      headers: { host: "localhost:9999" },
    });
    expect(status).toBe(200);
    const url = /http:\/\/\S+\/idp\/reset\S+/.exec((await mailServer.next()).parsed.text ?? "")?.[0] ?? "";
    expect(new URL(url).origin).toBe(fixture.app.url);
  });

  test("is replaced through a link by mail, which signs out whoever had the old one", async () => {
    const { user, token } = await fixture.signIn("TENANT_RW");
    const link = await linkFor(user.email);
    const page = await createPlainBrowser(fixture).open(link);
    expect([page.status, page.title]).toEqual([200, "Set a new password"]);
    const weak = await page.submit({ password: "password123", repeated: "password123" });
    expect([weak.status, weak.alert]).toEqual([
      400,
      "This password is too easy to guess. Use several unrelated words or a longer phrase.",
    ]);
    const done = await weak.submit({ password: NEW_PASSWORD, repeated: NEW_PASSWORD });
    expect([done.status, done.title, done.linkTo("Sign in")]).toEqual([200, "Password changed", "/"]);
    expect(await statusOf(user.email, PASSWORD)).toBe(401);
    expect(await statusOf(user.email, NEW_PASSWORD)).toBe(200);
    expect((await fixture.call("GET", "/api/auth/me", { token })).status).toBe(401);
    expect((await mailServer.next()).parsed.subject).toBe("Your Lineside password was changed");
    const { token: owner } = await fixture.signIn("TENANT_OWNER");
    const path = `/api/audit?action=password.change&targetId=${user.userId}`;
    const { body: entries } = await fixture.call("GET", path, { token: owner });
    expect(entries).toEqual([expect.objectContaining({ actorName: user.email, outcome: "SUCCESS" })]);

    const again = await createPlainBrowser(fixture).open(link);
    expect([again.status, again.title]).toEqual([404, "Link used or expired"]);
    const used = await page.submit({ password: "another one 98765", repeated: "another one 98765" });
    expect([used.status, used.title]).toEqual([404, "Link used or expired"]);
  });

  test("its link is good for 30 minutes", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const link = await linkFor(user.email);
    clock.leap(30 * MINUTE_MS - 1);
    const page = await createPlainBrowser(fixture).open(link);
    expect(page.status).toBe(200);
    clock.advance(1);
    const late = await page.submit({ password: NEW_PASSWORD, repeated: NEW_PASSWORD });
    expect(late.status).toBe(404);
    expect(await statusOf(user.email, PASSWORD)).toBe(200);
  });

  test("of two submits of one link at once, one wins", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const page = await createPlainBrowser(fixture).open(await linkFor(user.email));
    const responses = await Promise.all(
      ["first choice 12345", "second choice 1234"].map((password) =>
        page.submit({ password, repeated: password }),
      ),
    );
    expect(responses.map(({ status }) => status === 200).sort()).toEqual([false, true]);
    await mailServer.next();
  });

  test("the answer and its limit are the same for an address that is not known, and nothing is sent", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const transcript = async (email: string) => {
      const first = await askForLink(email);
      const second = await askForLink(email);
      return [first, second].map(({ status, html, headers }) => [
        status,
        html.replaceAll(email, "…"),
        headers.get("retry-after"),
      ]);
    };
    const existing = await transcript(user.email);
    expect(existing.map(([status]) => status)).toEqual([200, 429]);
    expect(await transcript("nobody@there.example")).toEqual(existing);
    await mailServer.next();
    const count = mailServer.received.length;
    expect(
      mailServer.received.slice(0, count).some(({ recipients }) => recipients[0] === "nobody@there.example"),
    ).toBe(false);
  });

  test("is not replaced for somebody who is disabled", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER");
    const { user } = await fixture.signIn("TENANT_RW");
    await fixture.call("PATCH", `/api/users/${user.userId}`, { token, body: { status: "DISABLED" } });
    const before = (await fixture.call("GET", "/api/outbox", { token })).headers.get("x-total-count");
    expect((await askForLink(user.email)).status).toBe(200);
    const after = (await fixture.call("GET", "/api/outbox", { token })).headers.get("x-total-count");
    expect(after).toBe(before);
  });

  test("a made-up link is 404 and says what to do", async () => {
    const page = await createPlainBrowser(fixture).open("/idp/reset?token=made-up");
    expect([page.status, page.linkTo("Ask for a new link")]).toEqual([
      404,
      expect.stringMatching(/^\/idp\/forgot\?/),
    ]);
  });

  test("pages and mail speak German to a German browser", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const browser = createPlainBrowser(fixture, { "accept-language": "de" });
    const forgot = await browser.open("/idp/forgot");
    expect(forgot.title).toBe("Neues Passwort");
    expect((await forgot.submit({ email: user.email })).title).toBe("Sehen Sie in Ihr Postfach");
    expect((await mailServer.next()).parsed.subject).toBe("Neues Passwort für Lineside wählen");
  });
});

describe("the sign-in page", () => {
  test("fills in the address that an invitation names, escaped", async () => {
    const page = await createPlainBrowser(fixture).open(
      `${AUTHORIZE}&login_hint=${encodeURIComponent('a"><script>@b.example')}`,
    );
    expect(page.html).toContain('value="a&quot;&gt;&lt;script&gt;@b.example"');
  });

  test("knows a browser that has signed in again, by a cookie that scripts cannot read", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const browser = createPlainBrowser(fixture);
    const done = await (await browser.open(AUTHORIZE)).submit({ email: user.email, password: PASSWORD });
    expect(done.headers.getSetCookie()[0]).toMatch(
      /^lineside_device=[\w-]{24}; Path=\/idp; Max-Age=15552000; HttpOnly; SameSite=Lax$/,
    );
    const device = browser.cookies.get("lineside_device");
    await (await browser.open(AUTHORIZE)).submit({ email: user.email, password: PASSWORD });
    expect(browser.cookies.get("lineside_device")).toBe(device);
  });

  test("offers to sign up only where that is open", async () => {
    expect((await createPlainBrowser(fixture).open(AUTHORIZE)).linkTo("Sign up")).toBe("");
  });

  test("a form without a ticket leads back to the beginning", async () => {
    for (const path of ["/idp/second-factor", "/idp/new-password"]) {
      const response = await fixture.call("POST", path, {
        raw: "code=123456&password=seven+green+bottles+42&repeated=seven+green+bottles+42&ui_locales=en",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      expect([response.status, response.text]).toEqual([401, expect.stringContaining("This took too long")]);
    }
  });
});
