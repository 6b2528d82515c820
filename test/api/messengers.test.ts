import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const PATH = "/api/notifications/messengers";
const BOT_TOKEN = "123456:AAtop_secret-token";

let clock: FakeClock;
let service: WebhookReceiver;
let fixture: TestApp;
let owner: string;
let reader: string;
let stranger: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  clock = new FakeClock();
  service = createWebhookReceiver();
  fixture = await createTestApp({ clock, config: { outbound_allow: "127.0.0.1" } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "other" })).token;
  const [profile] = (await fixture.call("GET", "/api/device-profiles", { token: owner })).body;
  const hot = (severity: string, value: number) => ({
    severity,
    condition: { key: "t", op: "GT", value },
    message: "too hot & <rising>",
  });
  await fixture.call("PATCH", `/api/device-profiles/${profile.profileId}`, {
    token: owner,
    body: {
      alarmRules: [{ alarmType: "Overheated", createRules: [hot("WARNING", 50), hot("CRITICAL", 80)] }],
    },
  });
});
afterAll(async () => {
  await fixture.stop();
  await service.stop();
});
beforeEach(async () => {
  service.received.length = 0;
  service.answer = () => Response.json({ ok: true });
  for (const { messengerId } of (await call("GET")).body) await call("DELETE", `/${messengerId}`);
  device = await fixture.createDevice(owner, { name: "Oven *1*" });
});

const call = (method: string, path = "", body?: unknown, token = owner) =>
  fixture.call(method, `${PATH}${path}`, { token, ...(body !== undefined && { body }) });
const send = (t: number) => fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t } });
async function create(body: Record<string, unknown>): Promise<string> {
  const created = await call("POST", "", { name: "Shift", ...body });
  expect(`${created.status} ${created.status === 201 ? "" : created.text}`).toBe("201 ");
  return created.body.messengerId;
}
const telegram = (changes: object = {}) => ({
  kind: "TELEGRAM",
  server: service.url,
  chatId: "-1001",
  secret: BOT_TOKEN,
  ...changes,
});
async function alarmId(): Promise<string> {
  const { body } = await fixture.call("GET", `/api/alarms?deviceId=${device.deviceId}`, { token: owner });
  return body[0].alarmId;
}
/** Raises an alarm and returns the request that the service got. */
async function requestAfterAlarm() {
  await send(60);
  await service.until(1);
  return service.received[0];
}

describe("each service gets the request that its documentation describes", () => {
  test("Telegram: sendMessage of the bot, with the chat", async () => {
    await create(telegram());
    const request = await requestAfterAlarm();
    expect(request?.method).toBe("POST");
    expect(request?.path).toBe(`/bot${BOT_TOKEN}/sendMessage`);
    expect(request?.headers.get("content-type")).toBe("application/json");
    expect(request?.body).toEqual({
      chat_id: "-1001",
      text: "Warning: Overheated, Oven *1*. too hot & <rising>",
      link_preview_options: { is_disabled: true },
    });
  });

  test("Teams: a message with an Adaptive Card", async () => {
    service.answer = () => new Response(null, { status: 202 });
    await create({ kind: "TEAMS", secret: `${service.url}/workflows/1/triggers?sig=top-secret` });
    const request = await requestAfterAlarm();
    expect(request?.path).toBe("/workflows/1/triggers");
    expect(request?.body).toMatchObject({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            body: [
              { type: "TextBlock", text: "Warning: Overheated" },
              {
                type: "TextBlock",
                text: "Warning: Overheated, Oven \\*1\\*. too hot & \\<rising\\>",
                wrap: true,
              },
            ],
          },
        },
      ],
    });
  });

  test("Slack: a text with the three characters escaped", async () => {
    service.answer = () => new Response("ok");
    await create({ kind: "SLACK", secret: `${service.url}/services/T/B/top-secret` });
    const request = await requestAfterAlarm();
    expect(request?.path).toBe("/services/T/B/top-secret");
    expect(request?.body).toEqual({
      text: "Warning: Overheated, Oven *1*. too hot &amp; &lt;rising&gt;",
    });
  });

  test("ntfy: JSON to the root of the server, with topic, priority and token", async () => {
    await create({
      kind: "NTFY",
      server: `${service.url}/`,
      topic: "plant-7f",
      secret: "tk_top",
      language: "de",
    });
    const request = await requestAfterAlarm();
    expect(request?.path).toBe("/");
    expect(request?.headers.get("authorization")).toBe("Bearer tk_top");
    expect(request?.body).toEqual({
      topic: "plant-7f",
      title: "Warnung: Overheated",
      message: "Warnung: Overheated, Oven *1*. too hot & <rising>",
      priority: 2,
      tags: ["warning"],
    });
  });

  test("Gotify: a message with the key in its header", async () => {
    await create({ kind: "GOTIFY", server: service.url, secret: "Atop" });
    await send(90);
    await service.until(1);
    const [request] = service.received;
    expect(request?.path).toBe("/message");
    expect(request?.headers.get("x-gotify-key")).toBe("Atop");
    expect(request?.body).toMatchObject({
      title: "Critical: Overheated",
      priority: 9,
    });
  });
});

describe("a messenger", () => {
  test("gets an alarm once, however many users there are, and its history names it", async () => {
    await create(telegram());
    await requestAfterAlarm();
    await send(20);
    await service.until(2);
    expect(service.received.map(({ body }) => body.text.split(":")[0])).toEqual(["Warning", "Warning"]);
    expect(service.received[1]?.body.text).toContain("(cleared)");
    const { body } = await fixture.call("GET", `/api/alarms/${await alarmId()}/events`, { token: owner });
    expect(body.map(({ message }: { message: string }) => message).join("\n")).toContain("Shift");
  });

  test("gets only the severities and events that it asks for", async () => {
    await create(telegram({ severities: ["CRITICAL"], triggers: ["CREATED"] }));
    await send(60);
    await send(20);
    await send(90);
    await service.until(1);
    await send(20);
    expect(service.received).toHaveLength(1);
    expect(service.received[0]?.body.text).toContain("Critical");
  });

  test("gets many alarms at once as a digest", async () => {
    await fixture.call("PATCH", "/api/notifications/settings", {
      token: owner,
      body: { digestAfter: 2, digestMinutes: 1 },
    });
    await create(telegram({ triggers: ["CREATED"] }));
    for (let index = 0; index < 5; index++) {
      await send(60);
      await send(20);
    }
    await service.until(2);
    clock.advance(60_000);
    await service.until(3);
    expect(service.received).toHaveLength(3);
    expect(service.received[2]?.body.text).toContain("more alarm messages");
    await fixture.call("PATCH", "/api/notifications/settings", { token: owner, body: { digestAfter: 10 } });
  });

  test("is retried while the service is away", async () => {
    service.answer = () =>
      service.received.length === 1 ? new Response(null, { status: 503 }) : Response.json({ ok: true });
    const messengerId = await create(telegram());
    await requestAfterAlarm();
    // The next attempt is set only when the answer has come.
    await until(() => {
      clock.advance(2_000);
      return service.received.length === 2;
    });
    expect((await call("GET", `/${messengerId}`)).status).toBe(200);
    expect(service.received[1]?.body).toEqual(service.received[0]?.body);
  });

  test("never shows its secret", async () => {
    const ids = [
      await create(telegram()),
      await create({ kind: "SLACK", secret: `${service.url}/services/T/B/top-secret` }),
      await create({ kind: "GOTIFY", server: service.url, secret: "Atop" }),
    ];
    for (const id of ids) expect((await call("GET", `/${id}`)).body).toMatchObject({ hasSecret: true });
    await call("PATCH", `/${ids[0]}`, { name: "Night shift" });
    const seen = [
      (await call("GET")).text,
      (await fixture.call("GET", "/api/audit?limit=100", { token: owner })).text,
      (await fixture.call("GET", "/api/data-pipelines/deliveries", { token: owner })).text,
    ].join("\n");
    expect(seen).toContain("Night shift");
    expect(seen).not.toMatch(/top.secret|Atop/);
  });

  test("keeps its secret over a change, but not for another server", async () => {
    const messengerId = await create(telegram());
    expect((await call("PATCH", `/${messengerId}`, { chatId: "42" })).status).toBe(200);
    const request = await requestAfterAlarm();
    expect(request?.path).toBe(`/bot${BOT_TOKEN}/sendMessage`);
    expect(request?.body.chat_id).toBe("42");
    const moved = await call("PATCH", `/${messengerId}`, { server: "http://127.0.0.1:1" });
    expect(moved.body).toMatchObject({ code: "messengers.invalid", params: { field: "secret" } });
    const other = await call("PATCH", `/${messengerId}`, { kind: "GOTIFY" });
    expect(other.status).toBe(400);
  });
});

describe("a test message", () => {
  const rows = [
    ["TELEGRAM", 400, "Telegram does not know this chat"],
    ["TELEGRAM", 401, "Telegram does not know this bot"],
    ["TELEGRAM", 403, "may not write to this chat"],
    ["TELEGRAM", 429, "limits the number of messages"],
    ["SLACK", 404, "does not know this webhook"],
    ["SLACK", 410, "is archived"],
    ["TEAMS", 400, "does not accept the message"],
    ["NTFY", 403, "without a valid access token"],
    ["GOTIFY", 401, "token of an application"],
    ["GOTIFY", 500, "The server answered 500."],
  ] as const;
  test.each(rows)("%s answering %i says: %s", async (kind, status, words) => {
    clock.advance(600_000);
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    service.answer = () => new Response("internal details", { status });
    const isWebhook = kind === "SLACK" || kind === "TEAMS";
    const secret = isWebhook ? `${service.url}/hook` : kind === "TELEGRAM" ? BOT_TOKEN : "tk";
    const messengerId = await create({ kind, server: service.url, chatId: "1", topic: "a", secret });
    const { body, text } = await call("POST", `/${messengerId}/test`);
    expect(body).toMatchObject({ success: false, status });
    expect(body.message).toContain(words);
    expect(text).not.toContain("internal details");
  });

  test("that is accepted succeeds", async () => {
    const messengerId = await create(telegram());
    expect((await call("POST", `/${messengerId}/test`)).body).toMatchObject({ success: true, status: 200 });
    expect(service.received[0]?.body.text).toContain("Test message");
  });
});

describe("roles, tenants and wrong input", () => {
  const body = () => ({ name: "x", ...telegram() });
  apiRows(
    () => fixture,
    [
      { name: "anonymous", request: () => ({ method: "GET", path: PATH }), status: 401 },
      {
        name: "a reader does not list",
        request: () => ({ method: "GET", path: PATH, token: reader }),
        status: 403,
      },
      {
        name: "a reader does not create",
        request: () => ({ method: "POST", path: PATH, token: reader, body: body() }),
        status: 403,
      },
      {
        name: "without a token",
        request: () => ({ method: "POST", path: PATH, token: owner, body: { ...body(), secret: "" } }),
        status: 400,
        answer: "error",
      },
      {
        name: "a token that would change the path",
        request: () => ({
          method: "POST",
          path: PATH,
          token: owner,
          body: { ...body(), secret: "1:a/../b" },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "without a chat",
        request: () => ({ method: "POST", path: PATH, token: owner, body: { ...body(), chatId: " " } }),
        status: 400,
        answer: "error",
      },
      {
        name: "an address that the gateway may not reach",
        request: () => ({
          method: "POST",
          path: PATH,
          token: owner,
          body: { ...body(), server: "http://169.254.169.254" },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "a webhook with a password in its address",
        request: () => ({
          method: "POST",
          path: PATH,
          token: owner,
          body: { name: "x", kind: "SLACK", secret: "https://a:b@hooks.example/" },
        }),
        status: 400,
        answer: "error",
      },
    ],
  );

  test("another tenant sees, changes, tests and deletes none", async () => {
    const messengerId = await create(telegram());
    expect((await call("GET", "", undefined, stranger)).body).toEqual([]);
    expect((await call("GET", `/${messengerId}`, undefined, stranger)).status).toBe(404);
    expect((await call("PATCH", `/${messengerId}`, { name: "b" }, stranger)).status).toBe(404);
    expect((await call("POST", `/${messengerId}/test`, undefined, stranger)).status).toBe(404);
    expect((await call("DELETE", `/${messengerId}`, undefined, stranger)).status).toBe(404);
    await send(60);
    await service.until(1);
    expect(service.received).toHaveLength(1);
  });

  test("a site has at most 20", async () => {
    for (let index = 0; index < 20; index++) await create(telegram({ name: `m${index}` }));
    expect((await call("POST", "", body())).body).toMatchObject({ code: "messengers.too_many" });
  });
});
