import { ArchiveUpload } from "../../platform/files/archive-upload.ts";
import { FolderCheck } from "../../platform/files/folder-check.ts";
import { WorkThread } from "../../platform/load/work-thread.ts";
import { machineIdOf } from "../../platform/process/machine-id.ts";
import { linkReporter, refusalReporter } from "../api/report-refusal.ts";
import type { IdentityModule } from "../identity/identity.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { SettingsModule } from "../settings/settings.module.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { BackupThread } from "./backup-thread.ts";
import { createBackupsRepository } from "./backups.repository.ts";
import { backupsRoutes } from "./backups.routes.ts";
import { BackupsService } from "./backups.service.ts";
import { PlaceThread } from "./place-thread.ts";
import type { RestoreRequest } from "./restore.worker.ts";
import { setupRestorationRoutes } from "./setup-restoration.routes.ts";
import { SetupRestoration } from "./setup-restoration.ts";

/** Creates the backups of the gateway. */
export function createBackupsModule(
  { version, commit, config, database, identityDatabase, data, clock, events, health, restart, log }: Core,
  modules: {
    readonly tenants: TenantsModule;
    readonly settings: SettingsModule;
    readonly identity: IdentityModule;
    readonly storage: StorageModule;
  },
) {
  const { tenants } = modules.tenants;
  const { settings } = modules.settings;
  const { setup } = modules.identity;
  const { diskGuard: disk } = modules.storage;
  const folders = new FolderCheck(data.path);
  const backups = new BackupsService({
    repository: createBackupsRepository(database),
    settings,
    thread: new BackupThread(),
    places: new PlaceThread(folders),
    folders,
    tenants,
    config,
    dataPath: data.path,
    lineside: `${version} (${commit})`,
    machine: machineIdOf(),
    durable: () => Promise.all([database.durable(), identityDatabase.durable()]),
    clock,
    log: log.child("backup"),
  });
  health.add(() => backups.problems().map((problem) => ({ severity: "WARNING", ...problem })));
  const restoration = new SetupRestoration({
    upload: new ArchiveUpload(data.file("restore-upload.backup"), disk),
    thread: new WorkThread<RestoreRequest, string>("src/modules/backups/restore.worker.ts", {
      interrupted: "backup.restore_interrupted",
      failed: "backup.restore_failed",
    }),
    setup,
    disk,
    restart,
    dataPath: data.path,
    log: log.child("restore"),
  });
  const report = refusalReporter(events);
  return {
    backups,
    routes: (auth: AuthPlugin) => [
      ...backupsRoutes({
        backups,
        withLink: linkReporter(report, { code: "backup.link_invalid", reason: "download_link_invalid" }),
        auth,
      }),
      setupRestorationRoutes({
        restoration,
        withLink: linkReporter(report, { code: "setup.link_invalid", reason: "setup_link_invalid" }),
      }),
    ],
    parts: [
      { name: "backups", start: () => backups.start(), stop: () => backups.stop() },
      { name: "restoration", start: () => restoration.start(), stop: () => restoration.stop() },
    ],
  };
}

export type BackupsModule = ReturnType<typeof createBackupsModule>;
