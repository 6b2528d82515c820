import { afterAll, beforeAll, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

type SignedIn = Awaited<ReturnType<TestApp["signIn"]>>;

let fixture: TestApp;
let inside: WebhookReceiver;
let operator: SignedIn;
let guest: SignedIn;

beforeAll(async () => {
  inside = createWebhookReceiver();
  inside.answer = () =>
    new Response(`\u0000secret\u0007 of the machine ${"x".repeat(5_000)}`, { status: 402 });
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  operator = await fixture.signIn("TENANT_OWNER", { tenant: "host" });
  guest = await fixture.signIn("TENANT_OWNER", { tenant: "guest" });
  for (const { token, user } of [operator, guest])
    await fixture.call("PATCH", `/api/users/${user.userId}`, {
      token,
      body: { notificationPhone: "+49 170 1" },
    });
});
afterAll(async () => {
  await fixture.stop();
  await inside.stop();
});

const settle = (token: string, url: string) =>
  fixture.call("PATCH", "/api/notifications/settings", {
    token,
    body: { messaging: { url, headers: {}, body: "{}" } },
  });
const attempt = (token: string) =>
  fixture.call("POST", "/api/notifications/test", { token, body: { channel: "messaging" } });

test("the test of an address tells the operator 200 printable characters of the answer", async () => {
  expect((await settle(operator.token, `${inside.url}/`)).status).toBe(200);
  const { body } = await attempt(operator.token);
  expect(body).toMatchObject({ success: false, status: 402, message: "The server answered 402." });
  expect(body.response).toStartWith("secret of the machine xxx");
  expect(body.response.length).toBe(200);
});

test("the test of an address tells everybody else the status alone", async () => {
  expect((await settle(guest.token, `${inside.url}/`)).status).toBe(200);
  const { body } = await attempt(guest.token);
  expect(body).toEqual({
    success: false,
    status: 402,
    code: "notification_test.mail_failed",
    params: { reason: { code: "delivery_error.status", params: { status: 402 } } },
    message: "The server answered 402.",
  });
});

const addressOf = (url: string) => (token: string) => settle(token, url);

test("private networks are refused to other sites than the gateway's own", async () => {
  for (const url of ["http://192.168.1.7/", "http://10.0.0.1:502/", "http://[fd12::1]/"]) {
    const refused = await addressOf(url)(guest.token);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining("private networks"),
    ]);
    expect((await addressOf(url)(operator.token)).status).toBe(200);
  }
});

test("a webhook preview warns other sites about private networks", async () => {
  const steps = [{ type: "webhook_forward", url: "http://10.1.2.3/hook" }];
  const preview = async (token: string) =>
    (
      await fixture.call("POST", "/api/data-pipelines/preview", {
        token,
        body: { steps, telemetry: { a: 1 } },
      })
    ).body.webhookWarnings;
  expect((await preview(guest.token)).join()).toContain("private networks");
  expect((await preview(operator.token)).join()).not.toContain("private networks");
});

test("no port of the gateway's own machine is reached by any of its addresses", async () => {
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ address }) => address !== "127.0.0.1" && !address.startsWith("fe80"))
    .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
  for (const host of [...own, "127.0.0.2", "0.0.0.0", "[::1]", "[::ffff:127.0.0.2]"]) {
    const { status, body } = await settle(operator.token, `http://${host}:5432/`);
    expect([host, status, body.message]).toEqual([
      host,
      400,
      expect.stringContaining("an address of this machine"),
    ]);
  }
});

test("an address that nothing is sent to is refused when it is saved", async () => {
  const { token } = operator;
  const { body: profiles } = await fixture.call("GET", "/api/device-profiles", { token });
  const condition = { key: "t", op: "GT", value: 1 };
  const saves: Record<string, (host: string) => [string, string, unknown]> = {
    pipeline: (host) => [
      "POST",
      "/api/data-pipelines",
      { name: host, steps: [{ type: "webhook_forward", url: `http://${host}/` }] },
    ],
    "alarm rule": (host) => [
      "PATCH",
      `/api/device-profiles/${profiles[0].profileId}`,
      {
        alarmRules: [
          {
            alarmType: "hot",
            createRules: [{ severity: "MAJOR", condition }],
            actions: [{ on: "CREATED", type: "webhook", url: `http://${host}/` }],
          },
        ],
      },
    ],
    bridge: (host) => [
      "POST",
      "/api/integrations",
      {
        name: host,
        type: "MQTT",
        settings_json: { mqtt: { brokerUrl: `mqtt://${host}:1`, topicFilter: "t/#" } },
      },
    ],
    downlink: (host) => [
      "POST",
      "/api/integrations",
      { name: host, type: "CHIRPSTACK", settings_json: { downlink: { url: `http://${host}` } } },
    ],
  };
  for (const [name, save] of Object.entries(saves)) {
    for (const host of ["127.0.0.2", "localhost.", "[::1]", "169.254.169.254"]) {
      const [method, path, body] = save(host);
      const allowed = host === "localhost."; // it is the one address that the setting lets through
      const response = await fixture.call(method, path, { token, body });
      expect([name, host, response.status < 300]).toEqual([name, host, allowed]);
      if (!allowed) expect([name, response.status]).toEqual([name, 400]);
    }
    // A name is judged when the connection is made.
    const [method, path, body] = save("receiver.invalid");
    expect([name, (await fixture.call(method, path, { token, body })).status < 300]).toEqual([name, true]);
  }
});

test("a delivery that failed keeps the status and nothing of the answer", async () => {
  const { token } = operator;
  const { body: pipeline } = await fixture.call("POST", "/api/data-pipelines", {
    token,
    body: { name: "out", steps: [{ type: "webhook_forward", url: `${inside.url}/hook` }] },
  });
  await fixture.call("POST", `/api/data-pipelines/${pipeline.pipelineId}/start`, { token });
  const device = await fixture.createDevice(token);
  const before = inside.received.length;
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  await inside.until(before + 1);
  const errors = async () => {
    const { text } = await fixture.call("GET", "/api/data-pipelines/deliveries", { token });
    const pipelines = await fixture.call("GET", "/api/data-pipelines", { token });
    return text + pipelines.text;
  };
  // The error is written after the answer has come.
  const seen = await untilAnswer(errors, (text) => text.includes("The server answered 402."));
  expect(seen).not.toContain("secret");
});
