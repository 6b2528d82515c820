import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { reply, startMailServer } from "../support/mail-server.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let fixture: TestApp;
let host: string;
let admin: string;
let guest: string;
let mailId = "";

beforeAll(async () => {
  fixture = await createTestApp();
  const { services } = fixture.app;
  await services.setup.createOwner({
    email: "host@plant.example",
    password: PASSWORD,
    fullName: "Hanna Host",
    tenantName: "Plant",
  });
  const { code } = await services.provider.signIn({
    email: "host@plant.example",
    password: PASSWORD,
    address: "test",
  });
  host = (await services.identity.exchange(code, undefined)).accessToken;
  admin = (await fixture.signIn("TENANT_ADMIN")).token;
  const { token, user } = await fixture.signIn("TENANT_OWNER");
  guest = token;
  services.mail.enqueue({
    tenantId: user.tenantId,
    to: "colleague@one.example",
    template: "invitation",
    values: {
      fullName: "Carla <b>Colleague</b>",
      tenantName: 'Plant "One" & Sons',
      invitedBy: "owner@one.example",
      loginUrl: "http://gateway.local/sign-in?a=1&b=2",
      temporaryPassword: "k7mf-92qx-tdh4-w3ra",
    },
  });
  services.mail.enqueue({
    tenantId: null,
    to: "newcomer@plant.example",
    language: "de",
    template: "sign_up_code",
    values: { fullName: "Nina", code: "042137", minutes: 10 },
  });
  const { body } = await fixture.call("GET", "/api/outbox", { token: guest });
  mailId = body[0].mailId;
});
afterAll(() => fixture.stop());

describe("the outbox without a mail server", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "nobody reads it without signing in",
        request: () => ({ method: "GET", path: "/api/outbox" }),
        status: 401,
        answer: "none",
      },
      {
        name: "an administrator may not: its mails may open an owner's account",
        request: () => ({ method: "GET", path: "/api/outbox", token: admin }),
        status: 403,
        answer: "error",
      },
      {
        name: "an owner lists the mails of the tenant only",
        request: () => ({ method: "GET", path: "/api/outbox?limit=1", token: guest }),
        status: 200,
        answer: ({ body, headers }) => {
          expect(body).toEqual([
            {
              mailId,
              to: "colleague@one.example",
              subject: 'owner@one.example invites you to Plant "One" & Sons',
              template: "invitation",
              language: "en",
              state: "HELD",
              attempts: 0,
              createdAt: expect.stringMatching(/Z$/),
            },
          ]);
          expect(headers.get("x-total-count")).toBe("1");
        },
      },
      {
        name: "and reads one, with what it is about",
        request: () => ({ method: "GET", path: `/api/outbox/${mailId}`, token: guest }),
        status: 200,
        answer: ({ body }) => {
          expect(body.text).toContain("    k7mf-92qx-tdh4-w3ra");
          expect(body.text).toContain("Sign in: http://gateway.local/sign-in?a=1&b=2");
          expect(body.html).toContain("Plant &quot;One&quot; &amp; Sons");
          expect(body.html).toContain('href="http://gateway.local/sign-in?a=1&amp;b=2"');
          expect(body.html).not.toContain("<b>");
        },
      },
      {
        name: "the owner of the gateway's own tenant reads the codes of strangers, and no mail of another tenant",
        request: () => ({ method: "GET", path: "/api/outbox", token: host }),
        status: 200,
        answer: ({ body }) =>
          expect(body.map(({ to, subject }: { to: string; subject: string }) => [to, subject])).toEqual([
            ["newcomer@plant.example", "Ihr Code für Lineside"],
          ]),
      },
      {
        name: "another tenant's mail does not exist",
        request: () => ({ method: "GET", path: `/api/outbox/${mailId}`, token: host }),
        status: 404,
        answer: "error",
      },
      {
        name: "an unknown state is 400",
        request: () => ({ method: "GET", path: "/api/outbox?state=LOST", token: guest }),
        status: 400,
        answer: "error",
      },
      {
        name: "filters by state and address",
        request: () => ({ method: "GET", path: "/api/outbox?state=HELD&search=COLLEAGUE", token: guest }),
        status: 200,
        answer: ({ body }) => expect(body).toHaveLength(1),
      },
      {
        name: "what does not match is not listed",
        request: () => ({ method: "GET", path: "/api/outbox?search=%25", token: guest }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual([]),
      },
      {
        name: "there is nothing to send it with",
        request: () => ({ method: "POST", path: `/api/outbox/${mailId}/retry`, token: guest }),
        status: 409,
        answer: "error",
      },
      {
        name: "an unknown mail cannot be sent",
        request: () => ({ method: "POST", path: "/api/outbox/unknown/retry", token: guest }),
        status: 404,
        answer: "error",
      },
    ],
  );
});

test("mails of a name that is an advertisement greet nobody", async () => {
  const { mail } = fixture.app.services;
  mail.enqueue({
    tenantId: null,
    to: "victim@plant.example",
    template: "sign_up_code",
    values: { fullName: "Win now at www.evil.example", code: "123456", minutes: 10 },
  });
  const { body } = await fixture.call("GET", "/api/outbox?search=victim", { token: host });
  const read = await fixture.call("GET", `/api/outbox/${body[0].mailId}`, { token: host });
  expect(read.body.text).toStartWith("Hello,\n");
  expect(read.body.text).not.toContain("evil");
});

test.each(["en", "de"] as const)(
  "nor does an invitation (%s) carry the advertisement of a site's name",
  async (language) => {
    const { mail } = fixture.app.services;
    const invite = async (to: string, tenantName: string) => {
      mail.enqueue({
        tenantId: null,
        to,
        language,
        template: "invitation",
        values: {
          fullName: "Nina",
          tenantName,
          invitedBy: "sam@plant.example",
          loginUrl: "http://gateway.example/sign-in",
          temporaryPassword: "k7mf-92qx-tdh4-w3ra",
        },
      });
      const { body } = await fixture.call("GET", `/api/outbox?search=${to}`, { token: host });
      const { subject, text, html } = (
        await fixture.call("GET", `/api/outbox/${body[0].mailId}`, { token: host })
      ).body;
      return `${subject} ${text} ${html}`;
    };
    expect(await invite(`a-${language}@x.example`, "Müller & Co. KG, Werk 2")).toContain(
      "Müller & Co. KG, Werk 2",
    );
    expect(await invite(`b-${language}@x.example`, "Win now at www.evil.example")).not.toMatch(
      /evil|Win now/,
    );
  },
);

test("with a mail server the gateway sends by itself, and what was sent cannot be sent again", async () => {
  const server = await startMailServer();
  const sender = await createTestApp({
    config: { smtp_url: server.url, smtp_from: "gateway@plant.example" },
  });
  try {
    const { token, user } = await sender.signIn("TENANT_OWNER");
    const sent = new Promise<void>((resolve) => {
      const poll = async () => {
        const { body } = await sender.call("GET", "/api/outbox?state=SENT", { token });
        if (body.length > 0) resolve();
        else setTimeout(poll, 5);
      };
      void poll();
    });
    sender.app.services.mail.enqueue({
      tenantId: user.tenantId,
      to: "colleague@one.example",
      template: "password_changed",
      values: { fullName: "Carla", at: "2026-03-01T09:30:00Z" },
    });
    const { parsed } = await server.next();
    expect(parsed.from).toMatchObject({ name: "Lineside", address: "gateway@plant.example" });
    expect(parsed.text).toContain("1 March 2026");
    await sent;
    const { body } = await sender.call("GET", "/api/outbox", { token });
    const again = await sender.call("POST", `/api/outbox/${body[0].mailId}/retry`, { token });
    expect([again.status, again.body.message]).toEqual([409, "This email was already sent."]);
  } finally {
    await sender.stop();
    await server.stop();
  }
});

test("a mail that the mail server refused is sent again", async () => {
  let refuses = true;
  const server = await startMailServer({
    onRcptTo: (_address, _session, done) => done(refuses ? reply(550, "no such mailbox") : undefined),
  });
  const sender = await createTestApp({
    config: { smtp_url: server.url, smtp_from: "gateway@plant.example" },
  });
  try {
    const { token, user } = await sender.signIn("TENANT_OWNER");
    sender.app.services.mail.enqueue({
      tenantId: user.tenantId,
      to: "colleague@one.example",
      template: "password_changed",
      values: { fullName: "Carla", at: "2026-03-01T09:30:00Z" },
    });
    const mails = async () => (await sender.call("GET", "/api/outbox", { token })).body;
    await until(async () => (await mails())[0]?.state === "FAILED");
    const [{ mailId }] = await mails();
    refuses = false;
    const { status, body } = await sender.call("POST", `/api/outbox/${mailId}/retry`, { token });
    expect({ status, body }).toMatchObject({ status: 200, body: { mailId, state: "QUEUED", attempts: 0 } });
    expect((await server.next()).recipients).toEqual(["colleague@one.example"]);
  } finally {
    await sender.stop();
    await server.stop();
  }
});
