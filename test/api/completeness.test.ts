import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/**
 * Every route must be known here, with how it keeps tenants apart: a new route fails until it has its row. Rows of the kind `tenant`
 * are called with another tenant's ids and must answer 404; rows of the kind `own` show only what belongs to the caller. What names or
 * lists devices is also called by somebody of the tenant whom no device was granted.
 */
type Policy =
  | { readonly kind: "public" }
  | { readonly kind: "device" }
  /** Acts on the caller's own account and session, and names nothing. */
  | { readonly kind: "self" }
  /** Is for owners of the gateway's own tenant alone. */
  | { readonly kind: "operator"; readonly body?: unknown }
  | { readonly kind: "own"; readonly body?: unknown; readonly query?: string }
  | { readonly kind: "tenant"; readonly body?: (ids: Ids) => unknown; readonly query?: string };

interface Ids {
  readonly deviceId: string;
  readonly profileId: string;
  readonly apiKeyId: string;
  readonly userId: string;
  readonly mailId: string;
  readonly sessionId: string;
  readonly auditId: string;
  readonly commandId: string;
  readonly jobId: string;
  readonly pipelineId: string;
  readonly deliveryId: string;
  readonly alarmId: string;
  readonly runId: string;
  readonly generatorId: string;
  readonly integrationId: string;
  readonly dashboardId: string;
  readonly shareId: string;
  readonly eventId: string;
  readonly codecId: string;
}

const policies: Record<string, Policy> = {
  "GET /*": { kind: "public" },
  "GET /.well-known/security.txt": { kind: "public" },
  "GET /docs": { kind: "public" },
  "GET /docs/json": { kind: "public" },
  "GET /docs/:file": { kind: "public" },
  "GET /healthz": { kind: "public" },
  "GET /readyz": { kind: "public" },
  "GET /idp/style.css": { kind: "public" },
  "GET /idp/authorize": { kind: "public" },
  "POST /idp/authorize": { kind: "public" },
  "GET /idp/external": { kind: "public" },
  "GET /idp/callback": { kind: "public" },
  "POST /idp/second-factor": { kind: "public" },
  "POST /idp/new-password": { kind: "public" },
  "GET /idp/forgot": { kind: "public" },
  "POST /idp/forgot": { kind: "public" },
  "GET /idp/reset": { kind: "public" },
  "POST /idp/reset": { kind: "public" },
  "POST /api/auth/exchange": { kind: "public" },
  "POST /api/auth/signup": { kind: "public" },
  "POST /api/auth/resend-otp": { kind: "public" },
  "POST /api/auth/verify-otp": { kind: "public" },
  "POST /api/auth/onboarding": { kind: "self" },
  "GET /api/setup": { kind: "public" },
  "GET /api/plans": { kind: "public" },
  "POST /api/setup": { kind: "public" },
  "GET /api/v1/connectivity/catalog": { kind: "public" },
  "GET /api/v1/connectivity/ca.pem": { kind: "public" },
  "GET /api/ws": { kind: "public" },
  "GET /mqtt": { kind: "public" },
  "GET /api/auth/me": { kind: "own" },
  "POST /api/auth/refresh": { kind: "own" },
  "POST /api/auth/logout": { kind: "self" },
  "POST /api/auth/password": { kind: "self" },
  "GET /api/auth/security": { kind: "own" },
  "POST /api/auth/second-factor": { kind: "self" },
  "POST /api/auth/second-factor/confirm": { kind: "self" },
  "POST /api/auth/second-factor/recovery-codes": { kind: "self" },
  "POST /api/auth/second-factor/disable": { kind: "self" },
  "GET /api/auth/sessions": { kind: "own" },
  "DELETE /api/auth/sessions": { kind: "self" },
  "DELETE /api/auth/sessions/:sessionId": { kind: "tenant" },
  "POST /api/auth/impersonate": { kind: "tenant", body: ({ userId }) => ({ targetUserId: userId }) },
  "POST /api/devices/:deviceId/commands": { kind: "tenant", body: () => ({ method: "reboot" }) },
  "GET /api/devices/:deviceId/commands": { kind: "tenant" },
  "GET /api/devices/:deviceId/commands/:commandId": { kind: "tenant" },
  "POST /api/devices/:deviceId/test-ack": { kind: "tenant", body: () => ({ success: true }) },
  "POST /api/devices/:deviceId/test-telemetry": { kind: "tenant", body: () => ({}) },
  "POST /api/devices/bulk/validate": { kind: "own", body: { rows: [{ name: "two", deviceType: "t" }] } },
  "POST /api/devices/bulk/import": { kind: "own", body: { rows: [{ name: "two", deviceType: "t" }] } },
  "GET /api/devices/bulk/template.csv": { kind: "own" },
  "GET /api/devices/bulk/export.csv": { kind: "own" },
  "GET /api/alarms": { kind: "own" },
  "GET /api/alarms/escalation-settings": { kind: "own" },
  "PATCH /api/alarms/escalation-settings": {
    kind: "own",
    body: { level1To2Minutes: 1, level2To3Minutes: 1, stopOnAck: true, stopOnClear: true },
  },
  "PATCH /api/alarms/ack/bulk": { kind: "tenant", body: ({ alarmId }) => ({ alarmIds: [alarmId] }) },
  "PATCH /api/alarms/clear/bulk": { kind: "tenant", body: ({ alarmId }) => ({ alarmIds: [alarmId] }) },
  "GET /api/alarms/device/:deviceId": { kind: "tenant" },
  "GET /api/alarms/:alarmId": { kind: "tenant" },
  "GET /api/alarms/:alarmId/events": { kind: "tenant" },
  "PATCH /api/alarms/:alarmId/ack": { kind: "tenant" },
  "PATCH /api/alarms/:alarmId/clear": { kind: "tenant" },
  "POST /api/alarms/:alarmId/comments": { kind: "tenant", body: () => ({ message: "taken over" }) },
  "GET /api/devices/:deviceId/alarm-rules": { kind: "tenant" },
  "POST /api/alarms/back-test": {
    kind: "tenant",
    body: ({ deviceId }) => ({
      deviceIds: [deviceId],
      rule: {
        alarmType: "Hot",
        createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 1 } }],
      },
    }),
  },
  "GET /api/devices/:deviceId/maintenance": { kind: "tenant" },
  "POST /api/devices/:deviceId/maintenance": {
    kind: "tenant",
    body: () => ({ until: new Date(Date.now() + 60_000).toISOString() }),
  },
  "DELETE /api/devices/:deviceId/maintenance": { kind: "tenant" },
  "GET /api/notifications/settings": { kind: "own" },
  "PATCH /api/notifications/settings": { kind: "own", body: { digestAfter: 5 } },
  "POST /api/notifications/test": { kind: "self" },
  "GET /api/data-pipelines": { kind: "own" },
  "POST /api/data-pipelines": { kind: "own", body: { name: "own" } },
  "POST /api/data-pipelines/preview": { kind: "own", body: { steps: [], telemetry: { a: 1 } } },
  "GET /api/data-pipelines/newest-message/:deviceId": { kind: "tenant" },
  "GET /api/data-pipelines/step-types": { kind: "own" },
  "GET /api/data-pipelines/:pipelineId": { kind: "tenant" },
  "PATCH /api/data-pipelines/:pipelineId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/data-pipelines/:pipelineId": { kind: "tenant" },
  "POST /api/data-pipelines/:pipelineId/start": { kind: "tenant" },
  "POST /api/data-pipelines/:pipelineId/pause": { kind: "tenant" },
  "GET /api/data-pipelines/:pipelineId/versions": { kind: "tenant" },
  "POST /api/data-pipelines/:pipelineId/rollback": { kind: "tenant", body: () => ({ version: 1 }) },
  "GET /api/data-pipelines/deliveries": { kind: "own" },
  "GET /api/data-pipelines/deliveries/:deliveryId": { kind: "tenant" },
  "POST /api/data-pipelines/deliveries/:deliveryId/replay": { kind: "tenant" },
  "DELETE /api/data-pipelines/deliveries/:deliveryId": { kind: "tenant" },
  "POST /api/data-pipelines/:pipelineId/deliveries/replay": { kind: "tenant" },
  "DELETE /api/data-pipelines/:pipelineId/deliveries": { kind: "tenant" },
  "GET /api/rule-chains": { kind: "own" },
  "POST /api/rule-chains": {
    kind: "tenant",
    body: ({ deviceId }) => ({
      name: "x",
      type: "data_generator",
      enabled: true,
      status: "active",
      config: { intervalSeconds: 60, metrics: [{ key: "a", min: 0, max: 1 }], deviceIds: [deviceId] },
    }),
  },
  "POST /api/rule-chains/preview": {
    kind: "own",
    body: { config: { intervalSeconds: 60, metrics: [{ key: "a", min: 0, max: 1 }] } },
  },
  "GET /api/rule-chains/:generatorId": { kind: "tenant" },
  "PATCH /api/rule-chains/:generatorId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/rule-chains/:generatorId": { kind: "tenant" },
  "POST /api/rule-chains/:generatorId/start": { kind: "tenant" },
  "POST /api/rule-chains/:generatorId/pause": { kind: "tenant" },
  "GET /api/integrations/codecs": { kind: "own" },
  "POST /api/integrations/codecs": {
    kind: "own",
    body: { name: "x", source: "function Decoder() {}" },
  },
  // Takes a file; test/api/codecs.test.ts has its rows.
  "POST /api/integrations/codecs/import": { kind: "self" },
  "POST /api/integrations/codecs/preview": { kind: "own", body: { source: "function transform() {}" } },
  "GET /api/integrations/codecs/:codecId": { kind: "tenant" },
  "PATCH /api/integrations/codecs/:codecId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/integrations/codecs/:codecId": { kind: "tenant" },
  "GET /api/scheduler": { kind: "own" },
  "POST /api/scheduler": {
    kind: "tenant",
    body: ({ deviceId }) => ({
      name: "x",
      schedule: { kind: "interval", everyMs: 60_000 },
      action: { type: "attributes", deviceIds: [deviceId], attributes: { a: 1 } },
    }),
  },
  "POST /api/scheduler/preview-next": {
    kind: "own",
    body: { schedule: { kind: "cron", expression: "@daily" } },
  },
  "GET /api/scheduler/:jobId": { kind: "tenant" },
  "PATCH /api/scheduler/:jobId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/scheduler/:jobId": { kind: "tenant" },
  "POST /api/scheduler/:jobId/start": { kind: "tenant" },
  "POST /api/scheduler/:jobId/pause": { kind: "tenant" },
  "POST /api/scheduler/:jobId/run": { kind: "tenant" },
  "GET /api/scheduler/:jobId/runs": { kind: "tenant" },
  "GET /api/scheduler/:jobId/runs/:runId": { kind: "tenant" },
  "GET /api/scheduler/:jobId/runs/:runId/targets": { kind: "tenant" },
  "GET /api/v1/:deviceToken/rpc": { kind: "device" },
  "POST /api/v1/:deviceToken/rpc/:rpcId": { kind: "device" },
  "GET /api/gateway/backup": { kind: "operator" },
  "PUT /api/gateway/backup": {
    kind: "operator",
    body: { place: null, schedule: null, daily: 7, weekly: 4, maxAgeHours: 36 },
  },
  "POST /api/gateway/backup/test": {
    kind: "operator",
    body: { place: { kind: "folder", path: "/tmp" } },
  },
  "GET /api/gateway/backup/runs": { kind: "operator" },
  "POST /api/gateway/backup/runs": { kind: "operator" },
  "GET /api/gateway/backup/snapshots": { kind: "operator" },
  "GET /api/gateway/backup/snapshots/:snapshotId/archive": { kind: "operator" },
  "GET /api/outbox": { kind: "own" },
  "GET /api/outbox/:mailId": { kind: "tenant" },
  "POST /api/outbox/:mailId/retry": { kind: "tenant" },
  "GET /api/branding": { kind: "public" },
  "GET /api/branding/logo": { kind: "public" },
  "GET /api/tenant/profile": { kind: "own" },
  "GET /api/tenant/integration": { kind: "own" },
  "POST /api/tenant/integration/rotate-secret": { kind: "own" },
  "PATCH /api/tenant/profile": { kind: "own", body: { tenantName: "two" } },
  "GET /api/tenant/usage": { kind: "own" },
  "DELETE /api/tenant": { kind: "self" },
  "GET /api/tenant/branding": { kind: "own" },
  "PUT /api/tenant/branding": { kind: "own", body: { name: "two" } },
  "GET /api/tenant-attributes": { kind: "own" },
  "POST /api/tenant-attributes": { kind: "own", body: { key: "x", value: {} } },
  "GET /api/tenant-attributes/:key": { kind: "tenant" },
  "DELETE /api/tenant-attributes/:key": { kind: "tenant" },
  "GET /api/audit": { kind: "own" },
  "GET /api/audit/actions": { kind: "own" },
  "GET /api/audit/export": { kind: "own" },
  "GET /api/audit/:auditId": { kind: "tenant" },
  "GET /api/users": { kind: "own" },
  "POST /api/users": {
    kind: "own",
    body: { fullName: "x", email: "x@two.example", role: "TENANT_RW", inviteDelivery: "MANUAL" },
  },
  "GET /api/users/:userId": { kind: "tenant" },
  "PATCH /api/users/:userId": { kind: "tenant", body: () => ({ fullName: "taken over" }) },
  "DELETE /api/users/:userId": { kind: "tenant" },
  "POST /api/users/:userId/invite/credentials": { kind: "tenant" },
  "POST /api/users/:userId/invite/email": { kind: "tenant" },
  "GET /api/api-keys": { kind: "own" },
  "POST /api/api-keys": { kind: "own", body: { name: "x", role: "TENANT_READ_ONLY" } },
  "PATCH /api/api-keys/:apiKeyId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/api-keys/:apiKeyId": { kind: "tenant" },
  "GET /api/telemetry/keys": { kind: "own" },
  "GET /api/devices/keys": { kind: "own" },
  "GET /api/devices/types": { kind: "own" },
  "GET /api/devices/assets": { kind: "own" },
  "GET /api/attributes/keys": { kind: "own" },
  "GET /api/devices": { kind: "own" },
  "POST /api/devices": { kind: "own", body: { name: "x", deviceType: "x" } },
  "GET /api/devices/type-defaults/:deviceType": { kind: "own" },
  "GET /api/device-profiles": { kind: "own" },
  "POST /api/device-profiles": { kind: "own", body: { name: "x" } },
  "GET /api/devices/:deviceId": { kind: "tenant" },
  "PATCH /api/devices/:deviceId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/devices/:deviceId": { kind: "tenant" },
  "GET /api/devices/:deviceId/children": { kind: "tenant" },
  "POST /api/devices/:deviceId/credentials/rotate": { kind: "tenant" },
  "GET /api/devices/:deviceId/credentials": { kind: "tenant" },
  "PUT /api/devices/:deviceId/credentials": { kind: "tenant", body: () => ({ type: "ACCESS_TOKEN" }) },
  "GET /api/devices/:deviceId/rejections": { kind: "tenant" },
  "GET /api/devices/:deviceId/keys": { kind: "tenant" },
  "GET /api/devices/:deviceId/telemetry/latest": { kind: "tenant" },
  "GET /api/devices/:deviceId/telemetry/range": { kind: "tenant", query: "from=0&to=1" },
  "DELETE /api/devices/:deviceId/telemetry": { kind: "tenant", query: "from=0&to=1" },
  "GET /api/devices/:deviceId/telemetry/export": { kind: "tenant" },
  "POST /api/devices/:deviceId/telemetry/import": {
    kind: "tenant",
    query: "format=ndjson",
    body: () => ({ ts: 1, a: 1 }),
  },
  "POST /api/v1/telemetry/latest": { kind: "tenant", body: ({ deviceId }) => ({ deviceIds: [deviceId] }) },
  "POST /api/v1/telemetry/query": {
    kind: "tenant",
    body: ({ deviceId }) => ({ deviceIds: [deviceId], keys: [], from: 0, to: 1 }),
  },
  "GET /api/devices/:deviceId/attributes": { kind: "tenant" },
  "POST /api/devices/:deviceId/attributes": {
    kind: "tenant",
    body: () => ({ scope: "SHARED", attributes: { a: 1 } }),
  },
  "DELETE /api/devices/:deviceId/attributes/:scope/:key": { kind: "tenant" },
  "GET /api/devices/:deviceId/attributes/keys": { kind: "tenant" },
  "GET /api/devices/:deviceId/attributes/history": { kind: "tenant" },
  "GET /api/devices/:deviceId/attributes/desired": { kind: "tenant" },
  "GET /api/device-profiles/:profileId": { kind: "tenant" },
  "GET /api/device-profiles/:profileId/provisioning": { kind: "tenant" },
  "PUT /api/device-profiles/:profileId/provisioning": { kind: "tenant", body: () => ({ mode: "ALLOW_NEW" }) },
  "POST /api/device-profiles/:profileId/provisioning/rotate": { kind: "tenant" },
  "DELETE /api/devices/:deviceId/claim": { kind: "tenant" },
  "POST /api/v1/provision": { kind: "public" },
  "GET /api/dashboards": { kind: "own" },
  "POST /api/dashboards": { kind: "own", body: { name: "own" } },
  "POST /api/dashboards/import": { kind: "own", body: { name: "own" } },
  "POST /api/dashboards/preview": { kind: "own", body: { dashboard: {} } },
  "POST /api/dashboards/for-type": { kind: "own", body: { deviceType: "sensor" } },
  "POST /api/dashboards/resolve-alias": {
    kind: "own",
    body: { alias: { type: "deviceType", deviceType: "sensor" } },
  },
  "GET /api/dashboards/:dashboardId": { kind: "tenant" },
  "GET /api/dashboards/:dashboardId/export": { kind: "tenant" },
  "PATCH /api/dashboards/:dashboardId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/dashboards/:dashboardId": { kind: "tenant" },
  "POST /api/dashboards/:dashboardId/execute": { kind: "tenant" },
  "GET /api/dashboards/:dashboardId/shares": { kind: "tenant" },
  "POST /api/dashboards/:dashboardId/shares": { kind: "tenant", body: () => ({}) },
  "DELETE /api/dashboards/:dashboardId/shares/:shareId": { kind: "tenant" },
  "POST /api/shared/dashboard": { kind: "public" },
  "GET /api/demo-plant": { kind: "own" },
  "POST /api/demo-plant/start": { kind: "own" },
  "POST /api/demo-plant/stop": { kind: "own" },
  "DELETE /api/demo-plant": { kind: "own" },
  "GET /api/integrations": { kind: "own" },
  "POST /api/integrations": { kind: "own", body: { name: "own", type: "HTTP" } },
  "POST /api/integrations/preview": { kind: "own", body: { type: "HTTP", payload: { a: 1 } } },
  "GET /api/integrations/:integrationId": { kind: "tenant" },
  "PATCH /api/integrations/:integrationId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/integrations/:integrationId": { kind: "tenant" },
  "POST /api/integrations/:integrationId/set-default": { kind: "tenant" },
  "POST /api/integrations/:integrationId/start": { kind: "tenant" },
  "POST /api/integrations/:integrationId/pause": { kind: "tenant" },
  "GET /api/integrations/:integrationId/events": { kind: "tenant" },
  "POST /api/integrations/:integrationId/downlink": {
    kind: "tenant",
    body: () => ({ devEui: "0102030405060708", fPort: 1, data: "AA==" }),
  },
  "GET /api/integrations/:integrationId/downlinks": { kind: "tenant" },
  "DELETE /api/integrations/:integrationId/events": { kind: "tenant" },
  "POST /api/integrations/:integrationId/events/replay": { kind: "tenant" },
  "GET /api/integrations/:integrationId/events/:eventId": { kind: "tenant" },
  "POST /api/integrations/:integrationId/events/:eventId/replay": { kind: "tenant" },
  "POST /api/v1/integrations/generic/telemetry": { kind: "public" },
  "POST /api/v1/integrations/lorawan-a/telemetry": { kind: "public" },
  "POST /api/v1/integrations/lorawan-b/telemetry": { kind: "public" },
  "POST /api/v1/integrations/generic/:integrationId/telemetry": { kind: "public" },
  "POST /api/v1/integrations/lorawan-a/:integrationId/telemetry": { kind: "public" },
  "POST /api/v1/integrations/lorawan-b/:integrationId/telemetry": { kind: "public" },
  "PATCH /api/device-profiles/:profileId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/device-profiles/:profileId": { kind: "tenant" },
  "POST /api/v1/:deviceToken/telemetry": { kind: "device" },
  "POST /api/v1/:deviceToken/telemetry/batch": { kind: "device" },
  "GET /api/v1/:deviceToken/attributes": { kind: "device" },
  "POST /api/v1/:deviceToken/attributes": { kind: "device" },
  "GET /api/v1/:deviceToken/attributes/flat": { kind: "device" },
  "GET /api/v1/:deviceToken/attributes/updates": { kind: "device" },
  "GET /api/v1/:deviceToken/ws": { kind: "device" },
};

/** Lists of what belongs to the tenant and to no device: everybody of the tenant sees how many there are. */
const withoutDevices = new Set([
  "GET /api/integrations",
  "GET /api/integrations/codecs",
  "GET /api/dashboards",
  "GET /api/data-pipelines",
  "GET /api/device-profiles",
  "GET /api/auth/sessions",
]);

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
  const entries = await fixture.call("GET", "/api/audit?action=api_key.create", { token: owner });
  ids = {
    apiKeyId: apiKey.body.apiKeyId,
    deviceId,
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
    integrationId: integration.body.integrationId,
    dashboardId: dashboard.body.id,
    shareId: share.body.shareId,
    eventId: messages.body[0].eventId,
    codecId: codec.body.codecId,
  };
});
afterAll(() => fixture.stop());

const routesOf = () => fixture.app.http.routes.map(({ method, path }) => `${method} ${path}`);

function urlOf(route: string, query: string | undefined): { method: string; path: string } {
  const [method = "", pattern = ""] = route.split(" ");
  const filled = pattern
    .replace(":deviceId", ids.deviceId)
    .replace(":profileId", ids.profileId)
    .replace(":apiKeyId", ids.apiKeyId)
    .replace(":userId", ids.userId)
    .replace(":mailId", ids.mailId)
    .replace(":sessionId", ids.sessionId)
    .replace(":auditId", ids.auditId)
    .replace(":commandId", ids.commandId)
    .replace(":jobId", ids.jobId)
    .replace(":pipelineId", ids.pipelineId)
    .replace(":alarmId", ids.alarmId)
    .replace(":runId", ids.runId)
    .replace(":generatorId", ids.generatorId)
    .replace(":integrationId", ids.integrationId)
    .replace(":dashboardId", ids.dashboardId)
    .replace(":shareId", ids.shareId)
    .replace(":eventId", ids.eventId)
    .replace(":codecId", ids.codecId)
    .replace(":rpcId", "1")
    .replace(":scope", "SHARED")
    .replace(":key", "secret_of_one")
    .replace(":deviceType", "sensor")
    .replace(":deviceToken", "not-a-token");
  return { method, path: query === undefined ? filled : `${filled}?${query}` };
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
      const { method, path } = urlOf(route, undefined);
      const { status, body } = await fixture.call(method, path, {
        token: stranger,
        ...(policy.body === undefined ? {} : { body: policy.body }),
      });
      expect([status, body.code]).toEqual([403, "backup.operators_only"]);
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
    test(`${route}: an unknown token is 400`, async () => {
      const { method, path } = urlOf(route, "scope=SHARED&keys=a");
      const answer = await fixture.call(method, path, method === "POST" ? { body: { a: 1 } } : {});
      expect(answer.status).toBe(400);
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
