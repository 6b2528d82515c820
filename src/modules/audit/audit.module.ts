import { Port } from "../../platform/core/port.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { createAuditRepository } from "./audit.repository.ts";
import { auditRoutes } from "./audit.routes.ts";
import { createAuditService } from "./audit.service.ts";

/** Creates the audit log. */
export function createAuditModule(
  { responses, config, database, clock, log }: Core,
  modules: { readonly tenants: TenantsModule },
) {
  const { tenants, quotas } = modules.tenants;
  const isDevice = new Port<(id: string) => boolean>("audit.isDevice");
  const audit = createAuditService({
    repository: createAuditRepository(database),
    durable: database.durable,
    days: config.audit_days,
    limitOf: (tenantId) => quotas.of(tenantId).auditEntries,
    clock,
    retentionTime: () => clock.retentionTime(),
    log: log.child("audit"),
  });
  return {
    audit,
    isDevice,
    routes: (auth: AuthPlugin) => [
      auditRoutes({ audit, tenants, isDevice: (id) => isDevice.call(id), responses, auth }),
    ],
    parts: [{ name: "audit", start: () => audit.start(), stop: () => audit.stop() }],
  };
}

export type AuditModule = ReturnType<typeof createAuditModule>;
