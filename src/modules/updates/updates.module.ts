import { buildTarget, updateKey } from "../../platform/config/build.ts";
import { isCompiled } from "../../platform/process/assets.ts";
import type { AuditModule } from "../audit/audit.module.ts";
import type { BackupsModule } from "../backups/backups.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { updatesRoutes } from "./updates.routes.ts";
import { UpdatesService } from "./updates.service.ts";

/** Creates the updates from the console. */
export function createUpdatesModule(
  { version, data, clock, health, restart, log }: Core,
  modules: { readonly tenants: TenantsModule; readonly backups: BackupsModule; readonly audit: AuditModule },
) {
  const { tenants } = modules.tenants;
  const { backups } = modules.backups;
  const { audit } = modules.audit;
  const updates = new UpdatesService({
    tenants,
    backups,
    audit,
    running: {
      version,
      path: isCompiled() ? process.execPath : undefined,
      target: buildTarget,
      key: updateKey,
    },
    dataPath: data.path,
    clock,
    restart: () => restart.request(),
    log: log.child("update"),
  });
  health.add(() => updates.problem());
  return {
    routes: (auth: AuthPlugin) => updatesRoutes({ updates, auth }),
    parts: [{ name: "updates", start: () => updates.start(), stop: () => updates.stop() }],
  };
}
