// Integrations, deliveries, uplinks, imports and held readings list what went wrong in the one log, with the thing to act on.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { GIVE_UP_AFTER_MS } from "../../src/lib/network/retry-policy.ts";
import { publishPacket, RawClient } from "../mqtt/raw-client.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

let fixture: TestApp;
/** Status with which the sink refuses a request. */
let status = 404;
let sink: ReturnType<typeof Bun.serve>;
let owner: string;
let limited: string;
let other: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  sink = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no", { status }) });
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
  limited = (await fixture.signIn("TENANT_ADMIN", { devices: [device.deviceId] })).token;
  other = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(async () => {
  await fixture.stop();
  await sink.stop(true);
});

const post = async (path: string, body: unknown) =>
  (await fixture.call("POST", path, { token: owner, body })).body;
const faults = async (query: string, token = owner): Promise<object[]> =>
  (await fixture.call("GET", `/api/faults?${query}`, { token })).body;
const listed = (query: string) =>
  untilAnswer(
    () => faults(query),
    ({ length }) => length > 0,
  );
const sinkUrl = () => `http://127.0.0.1:${sink.port}/hook`;

/** Faults show messages and addresses of any device: without access to all devices nobody sees them, nor does another tenant. */
async function expectHidden(query: string): Promise<void> {
  for (const token of [limited, other]) expect(await faults(query, token)).toEqual([]);
}

test("a message that an integration cannot use, without the token of a device in it", async () => {
  const integration = {
    name: "Hook",
    type: "HTTP",
    status: "active",
    settings_json: { autoCreateDevice: true },
  };
  const { integrationId } = await post("/api/integrations", integration);
  const { secret } = await post("/api/tenant/integration/rotate-secret", {});
  const { tenantId } = (await fixture.call("GET", "/api/auth/me", { token: owner })).body;
  const token = "SecretTokenOfADevice";
  for (let count = 0; count < 2; count++)
    await fixture.call("POST", `/api/v1/integrations/generic/${integrationId}/telemetry`, {
      body: { deviceToken: token, telemetry: 7 },
      headers: { "x-tenant-id": tenantId, "x-webhook-secret": secret },
    });
  const query = `subject=integration&subjectId=${integrationId}`;
  const found = await listed(query);
  expect(found).toMatchObject([
    { source: "integration", subject: { name: "Hook" }, where: expect.any(String), count: 2 },
  ]);
  expect(JSON.stringify(found)).not.toContain(token);
  await expectHidden(query);
  await fixture.call("DELETE", `/api/integrations/${integrationId}`, { token: owner });
  expect(await faults(query)).toEqual([]);
});

test("an integration whose broker cannot be reached", async () => {
  const settings_json = {
    mqtt: { brokerUrl: "mqtt://127.0.0.1:1", topicFilter: "a/#", topicTemplate: "a/{device}" },
  };
  const { integrationId } = await post("/api/integrations", {
    name: "Bridge",
    type: "MQTT",
    status: "active",
    settings_json,
  });
  const query = `subject=integration&subjectId=${integrationId}`;
  const found = await untilAnswer(
    () => faults(query) as Promise<{ count: number }[]>,
    ([first]) => (first?.count ?? 0) >= 2,
  );
  expect(found).toMatchObject([
    {
      reason: { code: "fault.integration_disconnected" },
      hint: { code: "fault_hint.fault.integration_disconnected" },
      subject: { name: "Bridge" },
    },
  ]);
});

test("a webhook of a pipeline that its receiver refuses", async () => {
  const steps = [{ type: "webhook_forward", url: sinkUrl() }];
  const { pipelineId } = await post("/api/data-pipelines", { name: "Forward", steps });
  await fixture.call("POST", `/api/data-pipelines/${pipelineId}/start`, { token: owner });
  for (let count = 0; count < 3; count++)
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t: count } });
  const query = `subject=pipeline&subjectId=${pipelineId}`;
  const [fault] = await untilAnswer(
    () => faults(query) as Promise<{ count: number }[]>,
    ([first]) => first?.count === 3,
  );
  expect(fault).toMatchObject({
    source: "delivery",
    reason: { code: "fault.delivery_dead" },
    where: sinkUrl(),
    hint: { code: "fault_hint.fault.delivery_dead" },
  });
  await expectHidden(query);
  await fixture.call("DELETE", `/api/data-pipelines/${pipelineId}`, { token: owner });
});

test("a webhook of a pipeline that is retried, and for how long", async () => {
  status = 503;
  const steps = [{ type: "webhook_forward", url: sinkUrl() }];
  const { pipelineId } = await post("/api/data-pipelines", { name: "Forward", steps });
  await fixture.call("POST", `/api/data-pipelines/${pipelineId}/start`, { token: owner });
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t: 1 } });
  const hours = GIVE_UP_AFTER_MS / 3_600_000;
  expect(await listed(`subject=pipeline&subjectId=${pipelineId}`)).toMatchObject([
    {
      reason: {
        code: "fault.delivery_retried",
        params: { hours },
        message: expect.stringContaining(`retried for up to ${hours} hours: `),
      },
      hint: { code: "fault_hint.fault.delivery_retried" },
    },
  ]);
  await fixture.call("DELETE", `/api/data-pipelines/${pipelineId}`, { token: owner });
  status = 404;
});

test("an uplink that cannot send", async () => {
  const target = { type: "HTTP", url: sinkUrl(), token: "sesame" };
  const { uplinkId } = await post("/api/uplinks", { name: "Central", target });
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t: 1 } });
  const query = `subject=uplink&subjectId=${uplinkId}`;
  const found = await listed(query);
  expect(found).toMatchObject([
    {
      source: "uplink",
      reason: { code: expect.stringMatching(/^fault\.uplink_/) },
      subject: { name: "Central" },
    },
  ]);
  expect(JSON.stringify(found)).not.toContain("sesame");
  await expectHidden(query);
  await fixture.call("DELETE", `/api/uplinks/${uplinkId}`, { token: owner });
});

test("an import with refused rows, and one that cannot be read", async () => {
  const { deviceId } = await fixture.createDevice(owner);
  const path = `/api/devices/${deviceId}/telemetry/import`;
  const file = (raw: string) =>
    fixture.call("POST", path, { token: owner, raw, headers: { "content-type": "text/csv" } });
  expect((await file("ts,a\n2026-01-01T00:00:00Z,1\nyesterday,2\n")).body.failed).toBe(1);
  expect((await file("neither,nor\nfoo,bar\n")).status).toBe(400);
  const found = await faults(`subject=device&subjectId=${deviceId}&source=import`);
  expect(found).toHaveLength(2);
  expect(found[1]).toMatchObject({
    reason: { code: "fault.import_failed", params: { failed: 1, row: 2 } },
    hint: { code: "fault_hint.fault.import_failed" },
  });
});

test("readings that wait for the gateway's clock", async () => {
  const { deviceId, token } = await fixture.createDevice(owner);
  const ts = Date.now() + 3 * 86_400_000;
  const mqtt = await RawClient.connect(fixture.app.mqttPort ?? 0, 4, { username: token });
  const body = JSON.stringify({ ts, values: { t: 1 } });
  mqtt.send(publishPacket("v1/devices/me/telemetry", body, { qos: 1, id: 1 }));
  await mqtt.next("puback");
  mqtt.drop();
  const query = `subject=device&subjectId=${deviceId}`;
  const { messages } = (await fixture.call("GET", `/api/devices/${deviceId}/held-readings`, { token: owner }))
    .body;
  expect(messages).toBe(1);
  expect(await faults(query)).toMatchObject([{ source: "held", reason: { code: "fault.readings_held" } }]);
});
