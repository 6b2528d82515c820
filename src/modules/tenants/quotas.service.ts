import type { TenantId } from "../../lib/core/ids.ts";
import { MIB } from "../../lib/core/units.ts";
import type { Config } from "../../platform/config/config.ts";
import type { quotaConfigKeys } from "../../platform/config/config-quota-keys.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { PlanLimits, PlansService } from "./plans.service.ts";
import type { Tenant } from "./tenants.types.ts";

/** Cache time in ms: the command line, another process, may change a plan, but the hot path must not query the database each time. */
const REMEMBERED_MS = 1_000;
const REMEMBERED_MAX = 10_000;

/** Limits of a tenant: those of its plan, otherwise of the gateway's settings. Null means no limit. */
export interface Quotas {
  /** Max. message bytes per second of all devices together. */
  readonly bytesPerSecond: number | null;
  /** Max. bytes of telemetry on disk. */
  readonly storedBytes: number | null;
  readonly keysPerDevice: number | null;
  readonly keys: number | null;
  readonly mqttConnections: number | null;
  /** Max. sessions of API keys that outlive their connections. */
  readonly mqttSessions: number | null;
  /** Max. bytes of messages waiting for MQTT clients. */
  readonly queuedBytes: number | null;
  /** Max. entries of the audit log; always limited. */
  readonly auditEntries: number;
}

export function createQuotasService(deps: {
  tenants: { find(tenantId: TenantId): Pick<Tenant, "planName"> | undefined };
  plans: Pick<PlansService, "of">;
  settings: Pick<Config, keyof typeof quotaConfigKeys>;
  clock: Pick<Clock, "monotonic">;
}) {
  const { settings, clock } = deps;
  /** Quotas by tenant, with the monotonic time of their expiry. */
  const remembered = new Map<TenantId, { quotas: Quotas; until: number }>();

  const resolve = (limits: Partial<PlanLimits>): Quotas => ({
    bytesPerSecond: limits.bytesPerSecond ?? (settings.tenant_bytes_per_second || null),
    storedBytes: limits.storedBytes ?? (settings.tenant_stored_mb_max * MIB || null),
    keysPerDevice: limits.keysPerDevice ?? (settings.device_keys_max || null),
    keys: limits.keys ?? (settings.tenant_keys_max || null),
    mqttConnections: limits.mqttConnections ?? (settings.tenant_mqtt_connections_max || null),
    mqttSessions: limits.mqttSessions ?? (settings.tenant_mqtt_sessions_max || null),
    queuedBytes: limits.queuedBytes ?? (settings.tenant_mqtt_queued_mb_max * MIB || null),
    auditEntries: limits.auditEntries ?? settings.audit_entries_max,
  });

  function read(tenantId: TenantId): Quotas {
    const tenant = deps.tenants.find(tenantId);
    return resolve(tenant === undefined ? {} : deps.plans.of(tenant.planName).limits);
  }

  return {
    /** Returns the limits of a tenant, or the gateway's settings for null and for a deleted tenant. */
    of(tenantId: TenantId | null): Quotas {
      if (tenantId === null) return resolve({});
      const now = clock.monotonic();
      const existing = remembered.get(tenantId);
      if (existing !== undefined && now < existing.until) return existing.quotas;
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      const quotas = read(tenantId);
      remembered.set(tenantId, { quotas, until: now + REMEMBERED_MS });
      return quotas;
    },
  };
}

export type QuotasService = ReturnType<typeof createQuotasService>;
