import { alarmPolicies } from "./alarm-route-policies.ts";
import { devicePolicies } from "./device-route-policies.ts";
import { faultPolicies } from "./fault-route-policies.ts";
import { fieldPolicies } from "./field-route-policies.ts";
import { gatewayPolicies } from "./gateway-route-policies.ts";

/** How a route keeps tenants apart. */
export type Policy =
  | { readonly kind: "public" }
  /** The operations of the service contract answer a wrong token with 400, all others with 401. */
  | { readonly kind: "device"; readonly wrongToken: 400 | 401 }
  /** Acts on the caller's own account and session, and names nothing. */
  | { readonly kind: "self" }
  /** Is for owners of the gateway's own tenant alone. */
  | { readonly kind: "operator"; readonly body?: unknown; readonly query?: string }
  | { readonly kind: "own"; readonly body?: unknown; readonly query?: string }
  | { readonly kind: "tenant"; readonly body?: (ids: Ids) => unknown; readonly query?: string };

/** What the tenant of the check has, for the parameters of paths. */
export interface Ids {
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
  readonly uplinkId: string;
  readonly mqttClientId: string;
  readonly connectionId: string;
  readonly modbusUnitId: string;
  readonly s7ConnectionId: string;
  readonly s7UnitId: string;
  readonly bacnetConnectionId: string;
  readonly bacnetUnitId: string;
  readonly opcuaConnectionId: string;
  readonly opcuaUnitId: string;
  readonly integrationId: string;
  readonly dashboardId: string;
  readonly version: string;
  readonly shareId: string;
  readonly eventId: string;
  readonly codecId: string;
  readonly messengerId: string;
  readonly noteId: string;
}

/**
 * Every route must be known here, with how it keeps tenants apart: a new route fails until it has its row. Rows of the kind `tenant`
 * are called with another tenant's ids and must answer 404; rows of the kind `own` show only what belongs to the caller. What names or
 * lists devices is also called by somebody of the tenant whom no device was granted.
 */
export const policies: Record<string, Policy> = {
  ...devicePolicies,
  ...fieldPolicies,
  "GET /*": { kind: "public" },
  "GET /.well-known/security.txt": { kind: "public" },
  "GET /docs": { kind: "public" },
  "GET /docs/json": { kind: "public" },
  "GET /docs/:file": { kind: "public" },
  "GET /healthz": { kind: "public" },
  "GET /readyz": { kind: "public" },
  "GET /metrics": { kind: "public" },
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
  "GET /api/setup/restore": { kind: "public" },
  "PUT /api/setup/restore/archive": { kind: "public" },
  "POST /api/setup/restore": { kind: "public" },
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
  "GET /api/overview": { kind: "own" },
  "PUT /api/overview/pins": {
    kind: "tenant",
    body: ({ deviceId }) => ({ pins: [{ deviceId, key: "secret_of_one" }] }),
  },
  "POST /api/devices/bulk/validate": { kind: "own", body: { rows: [{ name: "two", deviceType: "t" }] } },
  "POST /api/devices/bulk/import": { kind: "own", body: { rows: [{ name: "two", deviceType: "t" }] } },
  // A device of another tenant is one of the failures of the answer; test/api/bulk-changes.test.ts has the rows.
  "POST /api/devices/bulk/update": { kind: "own", body: { deviceIds: ["x"], addTags: ["a"] } },
  "POST /api/devices/bulk/delete": { kind: "own", body: { deviceIds: ["x"] } },
  "POST /api/devices/bulk/commands": { kind: "own", body: { deviceIds: ["x"], method: "reboot" } },
  "POST /api/devices/bulk/maintenance": {
    kind: "own",
    body: { deviceIds: ["x"], until: new Date(Date.now() + 60_000).toISOString() },
  },
  "POST /api/devices/bulk/maintenance-end": { kind: "own", body: { deviceIds: ["x"] } },
  "GET /api/devices/bulk/template.csv": { kind: "own" },
  "GET /api/devices/bulk/export.csv": { kind: "own" },
  ...alarmPolicies,
  "GET /api/notifications/settings": { kind: "own" },
  "PATCH /api/notifications/settings": { kind: "own", body: { digestAfter: 5 } },
  "POST /api/notifications/test": { kind: "self" },
  "GET /api/notes": { kind: "own" },
  "POST /api/notes": {
    kind: "tenant",
    body: ({ deviceId }) => ({ deviceId, text: "x", at: "2026-11-28T08:30:00Z" }),
  },
  "GET /api/notes/:noteId": { kind: "tenant" },
  "PATCH /api/notes/:noteId": { kind: "tenant", body: () => ({ text: "x" }) },
  "DELETE /api/notes/:noteId": { kind: "tenant" },
  "GET /api/notifications/messengers": { kind: "own" },
  "POST /api/notifications/messengers": { kind: "own", body: { name: "own", kind: "NTFY", topic: "a" } },
  "GET /api/notifications/messengers/:messengerId": { kind: "tenant" },
  "PATCH /api/notifications/messengers/:messengerId": { kind: "tenant", body: () => ({ name: "x" }) },
  "DELETE /api/notifications/messengers/:messengerId": { kind: "tenant" },
  "POST /api/notifications/messengers/:messengerId/test": { kind: "tenant" },
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
  "GET /api/uplinks": { kind: "own" },
  "POST /api/uplinks": { kind: "own", body: { name: "x", target: { type: "HTTP", url: "http://a/" } } },
  "POST /api/uplinks/test": { kind: "self" },
  "GET /api/uplinks/:uplinkId": { kind: "tenant" },
  "PATCH /api/uplinks/:uplinkId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/uplinks/:uplinkId": { kind: "tenant" },
  "POST /api/uplinks/:uplinkId/resend": { kind: "tenant", body: () => ({ from: 0, to: 1 }) },
  "POST /api/uplinks/:uplinkId/skip": { kind: "tenant" },
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
  "GET /api/devices/:deviceId/held-readings": { kind: "tenant" },
  "POST /api/devices/:deviceId/held-readings/store": { kind: "tenant" },
  "DELETE /api/devices/:deviceId/held-readings": { kind: "tenant" },
  ...gatewayPolicies,
  ...faultPolicies,
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
  "PUT /api/tenant/site-lock": { kind: "own", body: {} },
  "DELETE /api/tenant/site-lock/:lockId": { kind: "own" },
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
  "POST /api/v1/telemetry/keys": { kind: "tenant", body: ({ deviceId }) => ({ deviceIds: [deviceId] }) },
  "GET /api/devices/keys": { kind: "own" },
  "GET /api/devices/tags": { kind: "own" },
  "GET /api/devices/types": { kind: "own" },
  "GET /api/devices/states": { kind: "own" },
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
  "GET /api/device-profiles/:profileId/key-suggestions": { kind: "tenant" },
  "GET /api/key-metadata/defaults": { kind: "own" },
  "PUT /api/key-metadata/defaults": { kind: "own", body: { keyMetadata: [] } },
  "POST /api/key-metadata/resolve": { kind: "own", body: { deviceIds: [] } },
  "GET /api/device-profiles/:profileId/provisioning": { kind: "tenant" },
  "PUT /api/device-profiles/:profileId/provisioning": { kind: "tenant", body: () => ({ mode: "ALLOW_NEW" }) },
  "POST /api/device-profiles/:profileId/provisioning/rotate": { kind: "tenant" },
  "DELETE /api/devices/:deviceId/claim": { kind: "tenant" },
  "POST /api/v1/provision": { kind: "public" },
  "GET /api/dashboards": { kind: "own" },
  "POST /api/dashboards": { kind: "own", body: { name: "own" } },
  "POST /api/dashboards/import": { kind: "own", body: { name: "own" } },
  "POST /api/dashboards/preview": { kind: "own", body: { dashboard: {} } },
  "POST /api/dashboards/for-type": { kind: "tenant", body: () => ({ deviceType: "sensor" }) },
  "POST /api/dashboards/resolve-alias": {
    kind: "own",
    body: { alias: { type: "deviceType", deviceType: "sensor" } },
  },
  "GET /api/dashboards/:dashboardId": { kind: "tenant" },
  "GET /api/dashboards/:dashboardId/export": { kind: "tenant" },
  "PATCH /api/dashboards/:dashboardId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/dashboards/:dashboardId": { kind: "tenant" },
  "POST /api/dashboards/:dashboardId/execute": { kind: "tenant" },
  "GET /api/dashboards/:dashboardId/versions": { kind: "tenant" },
  "GET /api/dashboards/mine": { kind: "own" },
  "PATCH /api/dashboards/:dashboardId/mine": { kind: "tenant", body: () => ({ isFavorite: true }) },
  "GET /api/dashboards/:dashboardId/versions/:version": { kind: "tenant" },
  "POST /api/dashboards/:dashboardId/versions/:version/restore": { kind: "tenant" },
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
  "GET /api/integrations/discovered": { kind: "own" },
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
};

/** Lists of what belongs to the tenant and to no device: everybody of the tenant sees how many there are. */
export const withoutDevices = new Set([
  "GET /api/integrations",
  "GET /api/integrations/codecs",
  "GET /api/modbus/connections",
  "GET /api/modbus/templates",
  "GET /api/s7/connections",
  "GET /api/s7/templates",
  "GET /api/bacnet/connections",
  "GET /api/opcua/connections",
  "GET /api/dashboards",
  "GET /api/data-pipelines",
  "GET /api/alarm-rules",
  "GET /api/device-profiles",
  "GET /api/auth/sessions",
]);
