import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let mailServer: MailServer;
let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  mailServer = await startMailServer();
  fixture = await createTestApp({
    config: { smtp_url: mailServer.url, smtp_from: "gateway@plant.example" },
  });
  owner = (await fixture.signIn("TENANT_OWNER", { tenant: "Plant" })).token;
});
afterAll(async () => {
  await fixture.stop();
  await mailServer.stop();
});

const create = (fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  fixture.call("POST", "/api/users", {
    token: owner,
    headers,
    body: { fullName: "Nina New", role: "TENANT_RW", ...fields },
  });

test("an invitation by mail carries the link and the password that the answer has", async () => {
  const { status, body } = await create({ email: "nina@plant.example" });
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({ inviteDelivery: "EMAIL", inviteSent: true, email: "nina@plant.example" }),
  ]);
  expect(body.loginUrl).toStartWith(`${fixture.app.url}/`);
  const mail = await mailServer.next();
  expect(mail.recipients).toEqual(["nina@plant.example"]);
  expect(mail.parsed.text).toContain(body.temporaryPassword);
  expect(mail.parsed.text).toContain(body.loginUrl);
  expect(mail.parsed.html).toContain(body.temporaryPassword);
});

test("the link leads to the gateway, whatever the request says that its host is", async () => {
  const headers = { host: "evil.example" };
  const { body } = await create({ email: "host@plant.example" }, headers);
  expect(body.loginUrl).toStartWith(`${fixture.app.url}/`);
  const again = await fixture.call("POST", `/api/users/${body.userId}/invite/credentials`, {
    token: owner,
    headers,
  });
  expect(again.body.shareText).toContain(fixture.app.url);
  const mail = await mailServer.next();
  for (const text of [body.shareText, again.body.shareText, mail.parsed.text, mail.parsed.html])
    expect(text).not.toContain("evil.example");
});

test("a German browser invites in German", async () => {
  const { body } = await create(
    { email: "gert@plant.example" },
    { "accept-language": "de-DE,de;q=0.9,en;q=0.5" },
  );
  expect(body.shareText).toStartWith("Guten Tag Nina New,\n\nSie sind zu Lineside von Plant eingeladen.\n");
  expect((await mailServer.next()).parsed.text).toContain("vorläufiges Passwort");
});

test("an invitation again by mail resets the password", async () => {
  const first = (await create({ email: "otto@plant.example" })).body;
  await mailServer.next();
  const again = await fixture.call("POST", `/api/users/${first.userId}/invite/email`, { token: owner });
  expect([again.status, again.body]).toEqual([
    200,
    expect.objectContaining({ passwordReset: true, inviteDelivery: "EMAIL", inviteSent: true }),
  ]);
  expect(again.body.temporaryPassword).not.toBe(first.temporaryPassword);
  expect((await mailServer.next()).parsed.text).toContain(again.body.temporaryPassword);
  const signIn = (password: string) =>
    fixture.call("POST", "/idp/authorize", { body: { email: "otto@plant.example", password } });
  expect((await signIn(first.temporaryPassword)).status).toBe(401);
});

test("one address is not mailed at will, and handing over is still possible", async () => {
  const { userId } = (await create({ email: "flo@plant.example" })).body;
  const invite = (kind: string) =>
    fixture.call("POST", `/api/users/${userId}/invite/${kind}`, { token: owner });
  const responses = [];
  for (let i = 0; i < 5; i++) responses.push(await invite("email"));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
  expect(Number(responses[4]?.headers.get("retry-after"))).toBeGreaterThan(3000);
  for (let i = 0; i < 5; i++) expect((await mailServer.next()).recipients).toEqual(["flo@plant.example"]);
  // What was refused has changed nothing: the last password that was mailed is still good.
  const signIn = await fixture.call("POST", "/idp/authorize", {
    body: {
      email: "flo@plant.example",
      password: responses[3]?.body.temporaryPassword,
      newPassword: "a good long one 42",
    },
  });
  expect(signIn.status).toBe(200);
  expect((await invite("credentials")).status).toBe(200);
  // Deleted and made again it is the same address, and no user is left behind.
  await fixture.call("DELETE", `/api/users/${userId}`, { token: owner });
  expect((await create({ email: "flo@plant.example" })).status).toBe(429);
  expect((await fixture.call("GET", "/api/users?search=flo@", { token: owner })).body).toEqual([]);
  expect((await create({ email: "flo@plant.example", inviteDelivery: "MANUAL" })).status).toBe(201);
});

test("by hand-over, and for who is disabled, nothing is sent", async () => {
  const before = mailServer.received.length;
  const manual = (await create({ email: "hanna@plant.example", inviteDelivery: "MANUAL" })).body;
  expect(manual).toMatchObject({ inviteDelivery: "MANUAL", inviteSent: false });
  const disabled = (await create({ email: "dora@plant.example", status: "DISABLED" })).body;
  expect(disabled).toMatchObject({ inviteDelivery: "EMAIL", inviteSent: false });
  const outbox = await fixture.call("GET", "/api/outbox?limit=1000", { token: owner });
  expect(outbox.text).not.toMatch(/hanna@|dora@/);
  expect(mailServer.received.length).toBe(before);
});

test("without a mail server the invitation waits in the outbox, and the answer says so", async () => {
  const offline = await createTestApp();
  try {
    const { token } = await offline.signIn("TENANT_OWNER");
    const response = await offline.call("POST", "/api/users", {
      token,
      body: { fullName: "Nina New", email: "nina@plant.example", role: "TENANT_RW", inviteDelivery: "EMAIL" },
    });
    expect(response.body).toMatchObject({ inviteDelivery: "EMAIL", inviteSent: false });
    const outbox = await offline.call("GET", "/api/outbox", { token });
    expect(outbox.body).toHaveLength(1);
    expect(outbox.text).toContain("nina@plant.example");
    const unasked = await offline.call("POST", "/api/users", {
      token,
      body: { fullName: "Otto", email: "otto@plant.example", role: "TENANT_RW" },
    });
    expect(unasked.body.inviteDelivery).toBe("MANUAL");
  } finally {
    await offline.stop();
  }
});

test("mails about changed addresses have the limits of invitations", async () => {
  const { userId } = (await create({ email: "pia@plant.example", inviteDelivery: "MANUAL" })).body;
  const changeOf = (id: string, email: string) =>
    fixture.call("PATCH", `/api/users/${id}`, { token: owner, body: { email } });
  const change = (email: string) => changeOf(userId, email);
  await create({ email: "taken@plant.example", inviteDelivery: "MANUAL" });
  for (let n = 0; n < 10; n++) expect((await change("taken@plant.example")).status).toBe(409);
  // An address is told when it is added, and when it is replaced.
  for (let n = 0; n < 2; n++) {
    expect((await change("target@elsewhere.example")).status).toBe(200);
    expect((await change(`pia${n}@plant.example`)).status).toBe(200);
  }
  expect((await change("target@elsewhere.example")).status).toBe(200);
  const refused = await change("pia2@plant.example");
  expect(refused).toMatchObject({ status: 429, body: { code: "user.mails_limit" } });
  const { body } = await fixture.call("GET", `/api/users/${userId}`, { token: owner });
  expect(body.email).toBe("target@elsewhere.example");
  // Refused callers and other changes do not count towards the limit.
  expect(
    (await fixture.call("PATCH", `/api/users/${userId}`, { token: owner, body: { fullName: "Pia" } })).status,
  ).toBe(200);
  const other = (await create({ email: "olga@plant.example", inviteDelivery: "MANUAL" })).body.userId;
  let changed = 0;
  while (changed < 250 && (await changeOf(other, `many${changed}@plant.example`)).status === 200) changed++;
  expect(changed).toBeGreaterThan(150);
  expect(changed).toBeLessThanOrEqual(200);
});
