import { Port } from "../../platform/core/port.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { brandingRoutes } from "./branding.routes.ts";
import { createBrandingService } from "./branding.service.ts";
import { createMessageRateService } from "./message-rate.service.ts";
import { plansRoutes } from "./plans.routes.ts";
import { createPlansService } from "./plans.service.ts";
import { createQuotasService } from "./quotas.service.ts";
import { createSiteLocks } from "./site-locks.ts";
import { createTenantAttributesRepository } from "./tenant-attributes.repository.ts";
import { tenantAttributesRoutes } from "./tenant-attributes.routes.ts";
import { createTenantAttributesService } from "./tenant-attributes.service.ts";
import { createTenantsRepository } from "./tenants.repository.ts";
import { createTenantsService } from "./tenants.service.ts";
import type { Tenant } from "./tenants.types.ts";

/** Creates the tenants with their plans, quotas, attributes and branding. */
export function createTenantsModule({ responses, config, database, clock, events, log }: Core) {
  /** Creates the mandatory objects of a tenant, in its transaction. */
  const created = new Port<(tenant: Tenant) => void>("tenants.created");
  const plans = createPlansService(config.plans, config.signup_plans);
  const tenants = createTenantsService({
    repository: createTenantsRepository(database),
    clock,
    events,
    onCreated: (tenant) => created.call(tenant),
  });
  const quotas = createQuotasService({ tenants, plans, settings: config, clock });
  const attributes = createTenantAttributesService({
    repository: createTenantAttributesRepository(database),
    tenants,
    plans,
    now: () => clock.now(),
  });
  const branding = createBrandingService({ attributes, tenants, plans });
  const messageRate = createMessageRateService({
    tenants,
    plans,
    quotasOf: quotas.of,
    clock,
    log: log.child("rate"),
  });
  return {
    tenants,
    siteLocks: createSiteLocks(clock),
    plans,
    quotas,
    attributes,
    branding,
    messageRate,
    created,
    routes: (auth: AuthPlugin) => [
      plansRoutes({ plans }),
      tenantAttributesRoutes({ attributes, responses, auth }),
      brandingRoutes({ branding, tenants, plans, auth }),
    ],
    parts: [{ name: "message rate", start: () => messageRate.start(), stop: () => messageRate.stop() }],
  };
}

export type TenantsModule = ReturnType<typeof createTenantsModule>;
