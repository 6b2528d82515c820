import type { TenantId } from "../../../lib/core/ids.ts";
import type { AlarmsRepository } from "../alarms.repository.ts";
import { type EscalationSettings, escalationDefaults } from "../alarms.types.ts";

/** Escalation settings of tenants, cached because each raised alarm needs them. */
export class EscalationCache {
  readonly #settings = new Map<TenantId, EscalationSettings>();

  readonly #repository: Pick<AlarmsRepository, "escalation">;

  constructor(repository: Pick<AlarmsRepository, "escalation">) {
    this.#repository = repository;
  }

  of(tenantId: TenantId): EscalationSettings {
    const settings =
      this.#settings.get(tenantId) ?? this.#repository.escalation(tenantId) ?? escalationDefaults;
    this.#settings.set(tenantId, settings);
    return settings;
  }

  /** Forgets the settings of a tenant after a change. */
  forget(tenantId: TenantId): void {
    this.#settings.delete(tenantId);
  }
}
