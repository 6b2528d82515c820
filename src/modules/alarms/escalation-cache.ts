import type { TenantId } from "../../lib/ids.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import { type EscalationSettings, escalationDefaults } from "./alarms.types.ts";

/** Escalation settings of tenants, kept in memory: each alarm that is raised needs them. */
export class EscalationCache {
  private readonly settings = new Map<TenantId, EscalationSettings>();

  constructor(private readonly repository: Pick<AlarmsRepository, "escalation">) {}

  of(tenantId: TenantId): EscalationSettings {
    const settings =
      this.settings.get(tenantId) ?? this.repository.escalation(tenantId) ?? escalationDefaults;
    this.settings.set(tenantId, settings);
    return settings;
  }

  /** Forgets the settings of a tenant, which were changed. */
  forget(tenantId: TenantId): void {
    this.settings.delete(tenantId);
  }
}
