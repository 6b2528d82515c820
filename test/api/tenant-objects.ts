import type { TenantId, UserId } from "../../src/lib/core/ids.ts";
import type { TestApp } from "../support/test-app.ts";
import type { Ids } from "./route-policies.ts";

/**
 * Creates an object of every kind in the tenant of an owner. Names and values that tell whose they are contain "kept apart" or "secret_of_one".
 * `label` makes the names unique that sign somebody in.
 */
export async function createTenantObjects(
  fixture: TestApp,
  {
    token: owner,
    user,
    label = "own",
  }: { token: string; user: { tenantId: unknown; userId: UserId }; label?: string },
): Promise<Ids> {
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
    tenantId: user.tenantId as TenantId,
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
    body: { name: "own", signIn: "PASSWORD", username: label },
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
  const s7 = await fixture.call("POST", "/api/s7/connections", {
    token: owner,
    body: { name: "own", host: "192.0.2.1", enabled: false },
  });
  const s7ConnectionId = s7.body.connectionId;
  const s7Unit = await fixture.call("POST", `/api/s7/connections/${s7ConnectionId}/units`, {
    token: owner,
    body: { deviceId },
  });
  const bacnet = await fixture.call("POST", "/api/bacnet/connections", {
    token: owner,
    body: { name: "own", host: "192.0.2.1", deviceInstance: 1, enabled: false },
  });
  const bacnetConnectionId = bacnet.body.connectionId;
  const bacnetUnit = await fixture.call("POST", `/api/bacnet/connections/${bacnetConnectionId}/units`, {
    token: owner,
    body: { deviceId },
  });
  const opcua = await fixture.call("POST", "/api/opcua/connections", {
    token: owner,
    body: { name: "own", host: "192.0.2.1", enabled: false },
  });
  const opcuaConnectionId = opcua.body.connectionId;
  const opcuaUnit = await fixture.call("POST", `/api/opcua/connections/${opcuaConnectionId}/units`, {
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
  const note = await fixture.call("POST", "/api/notes", {
    token: owner,
    body: { deviceId, text: "of one", at: "2026-11-28T08:30:00Z" },
  });
  const entries = await fixture.call("GET", "/api/audit?action=api_key.create", { token: owner });
  return {
    apiKeyId: apiKey.body.apiKeyId,
    deviceId,
    messengerId: messenger.body.messengerId,
    noteId: note.body.noteId,
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
    s7ConnectionId,
    s7UnitId: s7Unit.body.s7UnitId,
    bacnetConnectionId,
    bacnetUnitId: bacnetUnit.body.bacnetUnitId,
    opcuaConnectionId,
    opcuaUnitId: opcuaUnit.body.opcuaUnitId,
    integrationId: integration.body.integrationId,
    dashboardId: dashboard.body.id,
    version: "1",
    shareId: share.body.shareId,
    eventId: messages.body[0].eventId,
    codecId: codec.body.codecId,
  };
}
