import type { TenantId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import { tenantNotFound } from "./tenants.errors.ts";
import type { TenantsRepository } from "./tenants.repository.ts";
import type { Tenant } from "./tenants.types.ts";

/** Makes and reads tenants; what every tenant must have (a default profile) is made by listeners of `onCreated`. */
export interface TenantsService {
  create(name: string, planName: string, options?: { isHost?: boolean }): Tenant;
  find(tenantId: TenantId): Tenant | undefined;
  /** @throws DomainError `tenant.not_found` */
  get(tenantId: TenantId): Tenant;
  rename(tenantId: TenantId, name: string): Tenant;
  /** With all of its rows, whatever module they are of. */
  delete(tenantId: TenantId): void;
  list(): Tenant[];
}

export function createTenantsService(deps: {
  repository: TenantsRepository;
  clock: Clock;
  events: EventBus<DomainEvents>;
  onCreated: (tenant: Tenant) => void;
}): TenantsService {
  function get(tenantId: TenantId): Tenant {
    const tenant = deps.repository.find(tenantId);
    if (tenant === undefined) throw tenantNotFound();
    return tenant;
  }

  return {
    create(name, planName, { isHost = false } = {}) {
      const tenant: Tenant = { tenantId: newId<TenantId>(), name, planName, isHost };
      deps.repository.insert(tenant, deps.clock.now());
      deps.onCreated(tenant);
      return tenant;
    },
    get,
    rename(tenantId, name) {
      deps.repository.rename(tenantId, name.trim(), deps.clock.now());
      return get(tenantId);
    },
    delete(tenantId) {
      deps.repository.delete(tenantId);
      deps.events.emit("tenant.deleted", { tenantId });
    },
    find: (tenantId) => deps.repository.find(tenantId),
    list: () => deps.repository.list(),
  };
}
