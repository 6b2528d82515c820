import { isCompiled } from "../../platform/assets.ts";
import { buildTarget, updateKey } from "../../platform/build.ts";
import type { AuditRecorder } from "../audit/audit.types.ts";
import type { BackupsService } from "../backups/backups.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { updatesRoutes } from "./updates.routes.ts";
import { UpdatesService } from "./updates.service.ts";

/** Creates the module of updates from the console. */
export function createUpdatesModule(
  { version, data, clock, restart, log }: Core,
  deps: { tenants: TenantsService; backups: BackupsService; audit: AuditRecorder },
) {
  const updates = new UpdatesService({
    ...deps,
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
  return {
    routes: (auth: AuthPlugin) => updatesRoutes({ updates, auth }),
    parts: [{ name: "updates", start: () => updates.start(), stop: () => updates.stop() }],
  };
}
