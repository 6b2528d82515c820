import type { TenantId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { TenantsRepository } from "./tenants.repository.ts";
import type { Tenant } from "./tenants.types.ts";

/** Makes and reads tenants; what every tenant must have (a default profile) is made by listeners of `onCreated`. */
export interface TenantsService {
  create(name: string, planName: string, options?: { isHost?: boolean }): Tenant;
  find(tenantId: TenantId): Tenant | undefined;
  list(): Tenant[];
}

export function createTenantsService(deps: {
  repository: TenantsRepository;
  clock: Clock;
  onCreated: (tenant: Tenant) => void;
}): TenantsService {
  return {
    create(name, planName, { isHost = false } = {}) {
      const tenant: Tenant = { tenantId: newId<TenantId>(), name, planName, isHost };
      deps.repository.insert(tenant, deps.clock.now());
      deps.onCreated(tenant);
      return tenant;
    },
    find: (tenantId) => deps.repository.find(tenantId),
    list: () => deps.repository.list(),
  };
}
