import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { BackupThread } from "./backup-thread.ts";
import { createBackupsRepository } from "./backups.repository.ts";
import { backupsRoutes } from "./backups.routes.ts";
import { BackupsService } from "./backups.service.ts";

/** Creates the module of the gateway's backups. */
export function createBackupsModule(
  { version, commit, database, identityDatabase, data, clock, health, log }: Core,
  { tenants, settings }: { tenants: TenantsService; settings: SettingsService },
) {
  const backups = new BackupsService({
    repository: createBackupsRepository(database),
    settings,
    thread: new BackupThread(),
    tenants,
    dataPath: data.path,
    lineside: `${version} (${commit})`,
    durable: () => Promise.all([database.durable(), identityDatabase.durable()]),
    clock,
    log: log.child("backup"),
  });
  health.add(() => {
    const problem = backups.problem();
    return problem && { severity: "WARNING", ...problem };
  });
  return {
    backups,
    routes: (auth: AuthPlugin) => backupsRoutes({ backups, auth }),
    parts: [{ name: "backups", start: () => backups.start(), stop: () => backups.stop() }],
  };
}
