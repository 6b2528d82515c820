// The mail server, set and tested by the operator while the gateway runs.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { apiRows } from "../support/api-rows.ts";
import { type MailServer, reply, startMailServer } from "../support/mail-server.ts";
import { createPlainBrowser } from "../support/plain-browser.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const PATH = "/api/gateway/mail";
const SECRET = "hush-hush %/@ 42";
const USER = "gateway@plant.example";

let fixture: TestApp;
let mails: MailServer;
let owner: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  mails = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === USER && password === SECRET
        ? done(null, { user: USER })
        : done(reply(535, "5.7.8 wrong password")),
  });
  fixture = await createTestApp({ host: "one" });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  for (const role of ["TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const)
    tokens[role] = (await fixture.signIn(role)).token;
  tokens.other = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(async () => {
  await fixture.stop();
  await mails.stop();
});

const server = (changes: object = {}) => ({
  host: "127.0.0.1",
  port: mails.port,
  security: "OPTIONAL",
  acceptsAnyCertificate: false,
  user: USER,
  ...changes,
});
const get = () => fixture.call("GET", PATH, { token: owner });
const put = (body: object) => fixture.call("PUT", PATH, { token: owner, body });
const sendTest = (body: object, headers = {}) =>
  fixture.call("POST", `${PATH}/test`, {
    token: owner,
    body: { to: "anna@plant.example", ...body },
    headers,
  });

apiRows(
  () => fixture,
  ["TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY", "other"].flatMap((caller) =>
    [
      { method: "GET", path: PATH },
      { method: "PUT", path: PATH, body: { server: null } },
      { method: "POST", path: `${PATH}/test`, body: { to: "anna@plant.example" } },
    ].map((request) => ({
      name: `${request.method} ${request.path} is forbidden for ${caller}`,
      request: () => ({ ...request, token: tokens[caller] }),
      status: 403,
      answer: "error" as const,
    })),
  ),
);

apiRows(
  () => fixture,
  [
    { server: { host: "a b", port: 25, security: "TLS", acceptsAnyCertificate: false, user: "" } },
    { server: { host: "mail.example", port: 0, security: "TLS", acceptsAnyCertificate: false, user: "" } },
    { server: { host: "mail.example", port: 25, security: "NONE", acceptsAnyCertificate: false, user: "" } },
    { from: "no address" },
    { from: 'x"@plant.example' },
  ].map((body) => ({
    name: `settings like ${JSON.stringify(body)} are refused`,
    request: () => ({ method: "PUT", path: PATH, token: owner, body }),
    status: 400,
    answer: "error" as const,
  })),
);

test("without a mail server, mails wait and the sign-in page says what to do instead", async () => {
  expect((await get()).body).toEqual({ server: null, from: null, sender: null, fixed: [] });
  expect((await sendTest({})).body.code).toBe("mail.no_server");
  const { user } = await fixture.signIn("TENANT_RW");
  const browser = createPlainBrowser(fixture);
  const forgot = await browser.open("/idp/forgot?ui_locales=en");
  expect(forgot.html).toContain("This gateway has no mail server");
  expect(forgot.html).toContain("lineside user reset-password");
  const done = await forgot.submit({ email: user.email });
  expect(done.title).toBe("Ask the owner of your site");
  expect(done.html).toContain("no email was sent");
  const [held] = (await fixture.call("GET", "/api/outbox", { token: owner })).body;
  expect([held.state, held.to]).toEqual(["HELD", user.email]);
});

test("a test names the answer of the server, with settings that are not stored yet", async () => {
  const wrong = await sendTest({ server: server({ password: "wrong" }) });
  expect(wrong.body).toMatchObject({
    success: false,
    error: { code: "mail_error.sign_in", message: expect.stringContaining("5.7.8 wrong password") },
  });
  const good = await sendTest(
    { server: server({ password: SECRET }), from: "line1@plant.example" },
    { "accept-language": "de" },
  );
  expect(good.body).toMatchObject({ success: true, response: expect.stringMatching(/^250 /) });
  const { parsed, sender } = await mails.next();
  expect([sender, parsed.subject]).toEqual(["line1@plant.example", "Lineside: Testmail"]);
  expect((await get()).body.server).toBeNull();
});

test("a saved mail server is used at once and its password is sealed", async () => {
  const saved = await put({ server: server({ password: SECRET }) });
  expect(saved.body).toEqual({
    server: { ...server(), hasPassword: true },
    from: null,
    sender: USER,
    fixed: [],
  });
  expect((await mails.next()).parsed.subject).toContain("password"); // the one that was held
  await untilAnswer(
    async () => (await fixture.call("GET", "/api/outbox", { token: owner })).body,
    ([mail]) => mail.state === "SENT",
  );
  const database = new Database(join(fixture.directory, "lineside.db"), { readonly: true });
  const rows = JSON.stringify(database.query("SELECT * FROM gateway_settings").all());
  const audit = JSON.stringify(database.query("SELECT * FROM audit_entries").all());
  database.close();
  expect(rows).toContain('"mail"');
  expect(rows + audit).not.toContain("hush-hush");
  expect(audit).toContain("mail.configure");
});

test("the stored password stays on the same host and goes to no other", async () => {
  expect(
    (await put({ server: server({ security: "OPTIONAL" }), from: "a@plant.example" })).body,
  ).toMatchObject({ server: { hasPassword: true }, sender: "a@plant.example" });
  expect((await sendTest({})).body.success).toBe(true);
  await mails.next();
  const elsewhere = server({ host: "localhost" });
  expect((await put({ server: elsewhere })).body.code).toBe("mail.password_required");
  expect((await sendTest({ server: elsewhere })).body.code).toBe("mail.password_required");
});

test("mails wait again after the mail server is removed", async () => {
  expect((await put({ server: null })).body).toMatchObject({ server: null, sender: null });
  const { user } = await fixture.signIn("TENANT_RW");
  await fixture.call("POST", "/idp/forgot", { body: { email: user.email } });
  const [held] = (await fixture.call("GET", "/api/outbox", { token: owner })).body;
  expect([held.state, held.to]).toEqual(["HELD", user.email]);
});

test("the notification settings say whether mail is delivered, as soon as the mail server is saved or removed", async () => {
  const delivering = async () => {
    const { body } = await fixture.call("GET", "/api/notifications/settings", { token: owner });
    return body.mailDelivering;
  };
  expect(await delivering()).toBe(false);
  expect((await put({ server: server({ password: SECRET }), from: USER })).status).toBe(200);
  expect(await delivering()).toBe(true);
  expect((await put({ server: null })).status).toBe(200);
  expect(await delivering()).toBe(false);
});

test("a stored mail server is used after a restart, and the configuration has priority over it", async () => {
  await put({ server: server({ password: SECRET }), from: "stored@plant.example" });
  await fixture.app.stop();
  const { directory } = fixture;
  fixture = await createTestApp({ directory, host: "three" });
  owner = (await fixture.signIn("TENANT_OWNER", { tenant: "three" })).token;
  expect((await sendTest({})).body.success).toBe(true);
  await fixture.app.stop();
  const config = { smtp_url: "smtps://config:secret@127.0.0.1:9?tls.rejectUnauthorized=false" };
  fixture = await createTestApp({ directory, host: "four", config });
  owner = (await fixture.signIn("TENANT_OWNER", { tenant: "four" })).token;
  expect((await get()).body).toEqual({
    server: {
      host: "127.0.0.1",
      port: 9,
      security: "TLS",
      acceptsAnyCertificate: true,
      user: "config",
      hasPassword: true,
    },
    from: "stored@plant.example",
    sender: "stored@plant.example",
    fixed: ["smtp_url"],
  });
  expect((await put({ server: null })).body).toMatchObject({
    statusCode: 409,
    code: "mail.fixed",
    params: { key: "smtp_url" },
  });
  expect((await put({ from: "new@plant.example" })).body.sender).toBe("new@plant.example");
});
