import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { BackupThread } from "./backup-thread.ts";
import { createBackupsRepository } from "./backups.repository.ts";
import { backupsRoutes } from "./backups.routes.ts";
import { BackupsService } from "./backups.service.ts";

/** Creates the module of the gateway's backups. */
export function createBackupsModule(
  { version, commit, database, identityDatabase, data, clock, log }: Core,
  { tenants }: { tenants: TenantsService },
) {
  const backups = new BackupsService({
    repository: createBackupsRepository(database),
    thread: new BackupThread(),
    tenants,
    dataPath: data.path,
    lineside: `${version} (${commit})`,
    durable: () => Promise.all([database.durable(), identityDatabase.durable()]),
    clock,
    log: log.child("backup"),
  });
  return {
    backups,
    routes: (auth: AuthPlugin) => backupsRoutes({ backups, auth }),
    parts: [{ name: "backups", start: () => backups.start(), stop: () => backups.stop() }],
  };
}
