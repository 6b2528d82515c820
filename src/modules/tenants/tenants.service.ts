import type { TenantId } from "../../lib/core/ids.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import { tenantNotFound } from "./tenants.errors.ts";
import type { TenantsRepository } from "./tenants.repository.ts";
import type { Tenant } from "./tenants.types.ts";

/** Creates the service for tenants; listeners of `onCreated` create the mandatory objects of a tenant (a default profile). */
export function createTenantsService(deps: {
  repository: TenantsRepository;
  clock: Clock;
  events: EventBus<DomainEvents>;
  onCreated: (tenant: Tenant) => void;
}) {
  function get(tenantId: TenantId): Tenant {
    const tenant = deps.repository.find(tenantId);
    if (tenant === undefined) throw tenantNotFound();
    return tenant;
  }

  return {
    create(name: string, planName: string, { isHost = false }: { isHost?: boolean } = {}): Tenant {
      const tenant: Tenant = { tenantId: newId<TenantId>(), name, planName, isHost };
      deps.repository.insert(tenant, deps.clock.now());
      deps.onCreated(tenant);
      return tenant;
    },
    /** @throws DomainError `tenant.not_found` */
    get,
    rename(tenantId: TenantId, name: string): Tenant {
      deps.repository.rename(tenantId, name.trim(), deps.clock.now());
      return get(tenantId);
    },
    /** Deletes the tenant with all of its rows in every module. */
    delete(tenantId: TenantId): void {
      deps.repository.delete(tenantId);
      deps.events.emit("tenant.deleted", { tenantId });
    },
    find: (tenantId: TenantId): Tenant | undefined => deps.repository.find(tenantId),
    list: (): Tenant[] => deps.repository.list(),
  };
}

export type TenantsService = ReturnType<typeof createTenantsService>;
