import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { type Ids, policies, withoutDevices } from "./route-policies.ts";

let fixture: TestApp;
let stranger: string;
let ungranted: string;
let ids: Ids;

beforeAll(async () => {
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  const { token: owner, user } = await fixture.signIn("TENANT_OWNER");
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  const limited = await fixture.signIn("TENANT_RW", { devices: [] });
  ungranted = limited.token;
  await fixture.call("PATCH", `/api/users/${limited.user.userId}`, {
    token: owner,
    body: { canAcknowledgeAlarms: true },
  });
  const { deviceId, token } = await fixture.createDevice(owner, { name: "kept apart" });
  await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { secret_of_one: 1 } });
  await fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
    token: owner,
    body: { scope: "SHARED", attributes: { secret_of_one: 1 } },
  });
  const profiles = await fixture.call("GET", "/api/device-profiles", { token: owner });
  await fixture.call("PATCH", `/api/device-profiles/${profiles.body[0].profileId}`, {
    token: owner,
    body: {
      alarmRules: [
        {
          alarmType: "own",
          createRules: [{ severity: "MAJOR", condition: { key: "alarming", op: "EQ", value: true } }],
        },
      ],
    },
  });
  await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { alarming: true } });
  const alarms = await fixture.call("GET", "/api/alarms", { token: owner });
  fixture.app.services.mail.enqueue({
    tenantId: user.tenantId,
    to: "kept apart@one.example",
    template: "password_changed",
    values: { fullName: "", at: "2026-03-01T00:00:00Z" },
  });
  const mails = await fixture.call("GET", "/api/outbox", { token: owner });
  const apiKey = await fixture.call("POST", "/api/api-keys", {
    token: owner,
    body: { name: "kept apart", role: "TENANT_READ_ONLY" },
  });
  const command = await fixture.call("POST", `/api/devices/${deviceId}/commands`, {
    token: owner,
    body: { method: "secret_of_one" },
  });
  const pipeline = await fixture.call("POST", "/api/data-pipelines", {
    token: owner,
    body: { name: "own", steps: [{ type: "webhook_forward", url: "http://127.0.0.1:1/kept-apart" }] },
  });
  await fixture.call("POST", `/api/data-pipelines/${pipeline.body.pipelineId}/start`, { token: owner });
  await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { secret_of_one: 1 } });
  const deliveries = await fixture.call("GET", "/api/data-pipelines/deliveries", { token: owner });
  const job = await fixture.call("POST", "/api/scheduler", {
    token: owner,
    body: {
      name: "kept apart",
      schedule: { kind: "interval", everyMs: 60_000 },
      action: { type: "attributes", deviceIds: [deviceId], attributes: { secret_of_one: 1 } },
    },
  });
  const run = await fixture.call("POST", `/api/scheduler/${job.body.jobId}/run`, { token: owner });
  const generator = await fixture.call("POST", "/api/rule-chains", {
    token: owner,
    body: {
      name: "kept apart",
      type: "data_generator",
      enabled: true,
      status: "draft",
      config: {
        intervalSeconds: 60,
        metrics: [{ key: "secret_of_one", min: 0, max: 1 }],
        deviceIds: [deviceId],
      },
    },
  });
  const uplink = await fixture.call("POST", "/api/uplinks", {
    token: owner,
    body: { name: "own", enabled: false, target: { type: "HTTP", url: "http://central.example/" } },
  });
  const mqttClient = await fixture.call("POST", "/api/mqtt/clients", {
    token: owner,
    body: { name: "own", signIn: "PASSWORD", username: "own" },
  });
  const modbus = await fixture.call("POST", "/api/modbus/connections", {
    token: owner,
    body: { name: "own", host: "192.0.2.1", enabled: false },
  });
  const { connectionId } = modbus.body;
  const unit = await fixture.call("POST", `/api/modbus/connections/${connectionId}/units`, {
    token: owner,
    body: { deviceId },
  });
  const dashboard = await fixture.call("POST", "/api/dashboards", { token: owner, body: { name: "own" } });
  const share = await fixture.call("POST", `/api/dashboards/${dashboard.body.id}/shares`, { token: owner });
  const integration = await fixture.call("POST", "/api/integrations", {
    token: owner,
    body: { name: "own", type: "HTTP", status: "active" },
  });
  const { secret } = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token: owner }))
    .body;
  await fixture.call("POST", `/api/v1/integrations/generic/${integration.body.integrationId}/telemetry`, {
    headers: { "x-webhook-secret": secret },
    body: { deviceToken: token, telemetry: { secret_of_one: 1 } },
  });
  const eventsPath = `/api/integrations/${integration.body.integrationId}/events`;
  const messages = await fixture.call("GET", eventsPath, { token: owner });
  const codec = await fixture.call("POST", "/api/integrations/codecs", {
    token: owner,
    body: { name: "of one", source: "function Decoder() {}" },
  });
  const messenger = await fixture.call("POST", "/api/notifications/messengers", {
    token: owner,
    body: { name: "of one", kind: "NTFY", topic: "own", isEnabled: false },
  });
  const entries = await fixture.call("GET", "/api/audit?action=api_key.create", { token: owner });
  ids = {
    apiKeyId: apiKey.body.apiKeyId,
    deviceId,
    messengerId: messenger.body.messengerId,
    profileId: profiles.body[0].profileId,
    userId: user.userId,
    sessionId: fixture.app.services.sessions.list(user.userId)[0]?.sessionId ?? "",
    mailId: mails.body[0].mailId,
    auditId: entries.body[0].auditId,
    commandId: command.body.commandId,
    jobId: job.body.jobId,
    pipelineId: pipeline.body.pipelineId,
    deliveryId: deliveries.body[0].deliveryId,
    alarmId: alarms.body[0].alarmId,
    runId: run.body.runId,
    generatorId: generator.body.id,
    uplinkId: uplink.body.uplinkId,
    mqttClientId: mqttClient.body.mqttClientId,
    connectionId,
    modbusUnitId: unit.body.modbusUnitId,
    integrationId: integration.body.integrationId,
    dashboardId: dashboard.body.id,
    shareId: share.body.shareId,
    eventId: messages.body[0].eventId,
    codecId: codec.body.codecId,
  };
});
afterAll(() => fixture.stop());

const routesOf = () => fixture.app.http.routes.map(({ method, path }) => `${method} ${path}`);

/** Values of the parameters of paths that are no ids. */
const PARAMETERS: Record<string, string> = {
  rpcId: "1",
  scope: "SHARED",
  key: "secret_of_one",
  deviceType: "sensor",
  deviceToken: "not-a-token",
};

function urlOf(route: string, query: string | undefined): { method: string; path: string } {
  const [method = "", pattern = ""] = route.split(" ");
  const values: Record<string, string> = { ...PARAMETERS, ...ids };
  const path = pattern.replace(/:(\w+)/g, (parameter, name: string) => values[name] ?? parameter);
  return { method, path: query === undefined ? path : `${path}?${query}` };
}

test("every route has a policy, and every policy a route", () => {
  expect(routesOf().length).toBeGreaterThan(40);
  expect([...new Set(routesOf())].sort()).toEqual(Object.keys(policies).sort());
});

for (const [route, policy] of Object.entries(policies)) {
  if (policy.kind === "tenant")
    test(`${route}: another tenant's id is 404`, async () => {
      const { method, path } = urlOf(route, policy.query);
      const body = policy.body?.(ids);
      const answer = await fixture.call(method, path, {
        token: stranger,
        ...(body === undefined ? {} : { body }),
      });
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ statusCode: 404 });
    });
  if (policy.kind === "own")
    test(`${route}: shows nothing of another tenant`, async () => {
      const { method, path } = urlOf(route, policy.query);
      const answer = await fixture.call(method, path, {
        token: stranger,
        ...(policy.body === undefined ? {} : { body: policy.body }),
      });
      expect(answer.status).toBeLessThan(300);
      expect(answer.text).not.toMatch(/kept apart|secret_of_one/);
      expect(answer.text).not.toContain(ids.deviceId);
    });
  if (policy.kind === "operator")
    test(`${route}: another tenant's owner is 403`, async () => {
      const { method, path } = urlOf(route, policy.query);
      const { status, body } = await fixture.call(method, path, {
        token: stranger,
        ...(policy.body === undefined ? {} : { body: policy.body }),
      });
      expect([status, body.code]).toEqual([403, "gateway.operators_only"]);
    });
  const namesDevice =
    route.includes(":deviceId") ||
    route.includes("/alarms/") ||
    route.startsWith("POST /api/v1/telemetry/") ||
    route.includes("/scheduler") ||
    route.includes("/rule-chains");
  if (policy.kind === "tenant" && namesDevice)
    test(`${route}: a device that was not granted is 404`, async () => {
      const { method, path } = urlOf(route, policy.query);
      const body = policy.body?.(ids);
      const answer = await fixture.call(method, path, {
        token: ungranted,
        ...(body === undefined ? {} : { body }),
      });
      expect(answer.status).toBe(404);
      expect(answer.text).not.toMatch(/kept apart|secret_of_one/);
    });
  if (route.startsWith("GET /api/") && policy.kind === "own")
    test(`${route}: shows nothing of a device that was not granted`, async () => {
      const { path } = urlOf(route, policy.query);
      const answer = await fixture.call("GET", path, { token: ungranted });
      expect(answer.text).not.toMatch(/kept apart|secret_of_one/);
      expect(answer.text).not.toContain(ids.deviceId);
      if (!withoutDevices.has(route)) expect(answer.headers.get("x-total-count") ?? "0").toBe("0");
    });
  if (policy.kind !== "public" && policy.kind !== "device")
    test(`${route}: anonymous is 401 without a body`, async () => {
      const { method, path } = urlOf(route, undefined);
      const answer = await fixture.call(method, path);
      expect([answer.status, answer.text]).toEqual([401, ""]);
    });
  if (policy.kind === "device")
    test(`${route}: an unknown token is ${policy.wrongToken}`, async () => {
      const { method, path } = urlOf(route, "scope=SHARED&keys=a");
      const answer = await fixture.call(method, path, method === "POST" ? { body: { method: "a" } } : {});
      expect(answer.status).toBe(policy.wrongToken);
    });
}

test("every described route is in the OpenAPI document with a summary", async () => {
  const { body } = await fixture.call("GET", "/docs/json");
  const operations = Object.entries(
    body.paths as Record<string, Record<string, { summary?: string }>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      summary: operation.summary,
    })),
  );
  expect(operations.filter(({ summary }) => !summary)).toEqual([]);
  const documented = new Set(
    operations.map(({ route }) => route.replace(/\{(\w+)\}/g, ":$1").replace(/\/$/, "")),
  );
  const hidden = [
    "GET /*",
    "GET",
    "GET /.well-known/security.txt",
    "GET /docs",
    "GET /docs/json",
    "GET /docs/:file",
    "GET /idp/style.css",
  ];
  const missing = Object.keys(policies)
    .map((route) => route.replace(/\/$/, "").trim())
    .filter((route) => !documented.has(route) && !hidden.includes(route));
  expect(missing).toEqual([]);
});
