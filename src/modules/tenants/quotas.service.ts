import type { TenantId } from "../../lib/ids.ts";
import type { Config } from "../../platform/config.ts";
import type { PlanLimits, PlansService } from "./plans.service.ts";
import type { Tenant } from "./tenants.types.ts";

/** What a tenant may use: its plan's limits, and the gateway's settings where the plan says nothing. Null means no limit. */
export interface Quotas {
  /** Entries of the audit log; there is always a limit. */
  readonly auditEntries: number;
}

export interface QuotasService {
  /** For null, and for a tenant that is gone, the gateway's settings. */
  of(tenantId: TenantId | null): Quotas;
}

type Settings = Pick<Config, "audit_entries_max">;

export function createQuotasService(deps: {
  tenants: { find(tenantId: TenantId): Pick<Tenant, "planName"> | undefined };
  plans: Pick<PlansService, "of">;
  settings: Settings;
}): QuotasService {
  const { settings } = deps;
  const resolve = (limits: Partial<PlanLimits>): Quotas => ({
    auditEntries: limits.auditEntries ?? settings.audit_entries_max,
  });
  return {
    of(tenantId) {
      const tenant = tenantId === null ? undefined : deps.tenants.find(tenantId);
      return resolve(tenant === undefined ? {} : deps.plans.of(tenant.planName).limits);
    },
  };
}
