import { Elysia } from "elysia";
import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { PlansService } from "./plans.service.ts";
import type { QuotasService } from "./quotas.service.ts";
import { SITE_LOCK_MS, type SiteLocks } from "./site-locks.ts";
import { deletionUnconfirmed, ensureAllDevices, hostTenantStays } from "./tenants.errors.ts";
import {
  deleteTenantBody,
  siteLock,
  siteLockBody,
  tenantProfile,
  tenantUsage,
  updateTenantBody,
} from "./tenants.schemas.ts";
import type { TenantsService } from "./tenants.service.ts";

export interface TenantUsage {
  readonly devices: number;
  readonly users: number;
  readonly messagesPerSecond: number;
  readonly messagesRefusedPerMinute: number;
  readonly bytesPerSecond: number;
  readonly storedBytes: number;
  readonly keys: number;
  readonly mqttConnections: number;
  readonly mqttConnectionsRefused: number;
  readonly mqttSessions: number;
  readonly mqttSubscriptions: number;
  readonly mqttSubscriptionsRefused: number;
  readonly queuedBytes: number;
  readonly queuedMessagesDropped: number;
  readonly auditEntries: number;
}

export const tenantsRoutes = (deps: {
  tenants: TenantsService;
  plans: PlansService;
  quotas: QuotasService;
  usageOf: (tenantId: TenantId) => TenantUsage;
  /** Deletes the tenant with its users, devices and data. */
  removeTenant: (tenantId: TenantId) => Promise<void>;
  siteLocks: SiteLocks;
  auth: AuthPlugin;
}) => {
  const { tenants, plans } = deps;
  const profileOf = (tenantId: TenantId) => {
    const { name, planName } = tenants.get(tenantId);
    const { whitelabelEnabled } = plans.of(planName);
    return { tenantId, tenantName: name, planName, whitelabelEnabled };
  };
  const ownTenant = ({ principal }: AuditContext) => principal.tenantId;
  const read = ({ principal }: AuditContext) => {
    const { name, planName } = tenants.get(principal.tenantId);
    return { name, planName };
  };

  async function remove(tenantId: TenantId, confirmed: string): Promise<{ success: true }> {
    const { name, isHost } = tenants.get(tenantId);
    if (isHost) throw hostTenantStays();
    if (confirmed !== name) throw deletionUnconfirmed();
    await deps.removeTenant(tenantId);
    return { success: true };
  }

  return new Elysia({ prefix: "/api/tenant", tags: ["tenant"] })
    .use(deps.auth)
    .get("/profile", ({ principal }) => profileOf(principal.tenantId), {
      auth: "tenant:read",
      response: { 200: tenantProfile },
      detail: { operationId: "getTenantProfile", summary: "Get the tenant's profile" },
    })
    .patch(
      "/profile",
      ({ principal, body }) => {
        ensureAllDevices(principal, detail("action.rename_site"));
        tenants.rename(principal.tenantId, body.tenantName);
        return profileOf(principal.tenantId);
      },
      {
        auth: "tenant:write",
        audit: { action: "tenant.rename", target: "tenant", id: ownTenant, read },
        body: updateTenantBody,
        response: { 200: tenantProfile },
        detail: {
          operationId: "updateTenantProfile",
          summary: "Rename the tenant",
          description: "The command `lineside tenant plan` changes the plan.",
          errors: { 403: "Requires an owner or administrator with access to all devices." },
          example: { tenantName: "Plant North" },
        },
      },
    )
    .get(
      "/usage",
      ({ principal: { tenantId } }) => {
        const { isHost, planName } = tenants.get(tenantId);
        return {
          isHost,
          plan: { ...plans.of(planName) },
          usage: deps.usageOf(tenantId),
          quotas: deps.quotas.of(tenantId),
        };
      },
      {
        auth: "tenant:read",
        response: { 200: tenantUsage },
        detail: {
          operationId: "getTenantUsage",
          summary: "Get the limits of the plan and their usage",
          description:
            "Beyond a limit, additional devices, users, telemetry keys and stored bytes are refused with the status 403 (MQTT: 0x97), messages and bytes per second with 429 (MQTT: 0x97), and MQTT connections and sessions with CONNACK 0x97; older telemetry is deleted. `quotas` are the limits in force: the plan's, or the gateway's settings where the plan sets none.",
        },
      },
    )
    .put("/site-lock", ({ principal, body }) => deps.siteLocks.take(principal, body.lockId), {
      auth: "users:read",
      audit: { none: "changes nothing that lasts" },
      body: siteLockBody,
      response: { 200: siteLock },
      detail: {
        operationId: "takeSiteLock",
        summary: "Lock the site while a site file is applied",
        description: `Ends after ${SITE_LOCK_MS / 1_000} s unless it is renewed. It keeps only other holders of the lock out.`,
        errors: { 409: "Somebody else has the lock, or has had it since the caller took it." },
        example: {},
      },
    })
    .delete(
      "/site-lock/:lockId",
      ({ principal, params }) => {
        deps.siteLocks.release(principal, params.lockId);
        return { success: true };
      },
      {
        auth: "users:read",
        audit: { none: "changes nothing that lasts" },
        response: { 200: successBody },
        detail: {
          operationId: "releaseSiteLock",
          summary: "Release the lock of the site",
          description: "Does nothing if the lock has ended.",
        },
      },
    )
    .delete(
      "",
      ({ principal, body }) => {
        ensureAllDevices(principal, detail("action.delete_site"));
        return remove(principal.tenantId, body.tenantName);
      },
      {
        auth: "tenant:delete",
        audit: { action: "tenant.delete", target: "tenant", id: ownTenant, read },
        body: deleteTenantBody,
        response: { 200: successBody },
        detail: {
          operationId: "deleteTenant",
          summary: "Delete the tenant with its users, devices and data",
          description:
            "The deletion is final. It runs in steps, and the last step signs out all users; if it was interrupted, repeat the request.",
          errors: {
            400: "The body does not have the tenant's name.",
            403: "Requires an owner with access to all devices.",
            409: "The tenant is the gateway's own.",
          },
          example: { tenantName: "Plant North" },
        },
      },
    );
};
