import type { TenantId } from "../../lib/core/ids.ts";
import { Metrics } from "../../platform/core/metrics.ts";
import { refusalReporter } from "../api/report-refusal.ts";
import type { BackupsModule } from "../backups/backups.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { FaultsModule } from "../faults/faults.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestModule } from "../ingest/ingest.module.ts";
import type { MailModule } from "../mail/mail.module.ts";
import type { Core } from "../module.types.ts";
import type { NotificationsModule } from "../notifications/notifications.module.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import type { SettingsModule } from "../settings/settings.module.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { TelemetryModule } from "../telemetry/telemetry.module.ts";
import type { UnknownTelemetry } from "../telemetry/unknown-telemetry.service.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UplinksModule } from "../uplinks/uplinks.module.ts";
import type { UsersModule } from "../users/users.module.ts";
import { clockRoutes } from "./clock.routes.ts";
import { DataCheck } from "./data-check.ts";
import { bundleRoutes, checkRoutes } from "./diagnostics.routes.ts";
import { GatewayDevice } from "./gateway-device.ts";
import { GatewayReadings, type GatewaySources } from "./gateway-readings.ts";
import { logsRoutes } from "./logs.routes.ts";
import { OpenFilesWatch } from "./open-files-watch.ts";
import { addOwnMetrics } from "./own-metrics.ts";
import { ProblemMails } from "./problem-mails.ts";
import { sharedDevicesRoutes } from "./shared-devices.routes.ts";
import { SharedDevices } from "./shared-devices.ts";
import { createSystemRepository } from "./system.repository.ts";
import { systemRoutes } from "./system.routes.ts";
import { topTalkersRoutes } from "./top-talkers.routes.ts";

/** Creates the check of the files and the support bundle. */
function createDiagnostics(
  { version, commit, config, data, inventory, clock, health, slow, log }: Core,
  deps: { store: TelemetryStore; metrics: Metrics; tenants: TenantsService; unknown: UnknownTelemetry },
) {
  const { store, metrics, tenants, unknown } = deps;
  const check = new DataCheck({ store, inventory, dataPath: data.path, clock, log: log.child("system") });
  health.add(() => check.problem());
  const bundle = { build: { version, commit }, config, health, metrics, slow, check, store };
  return {
    check,
    routes: (auth: AuthPlugin) => [
      checkRoutes({ tenants, check, inventory, unknown, auth }),
      bundleRoutes({ tenants, bundle, dataPath: data.path, auth }),
    ],
  };
}

interface SystemModules {
  readonly settings: SettingsModule;
  readonly faults: FaultsModule;
  readonly tenants: TenantsModule;
  readonly users: UsersModule;
  readonly mail: MailModule;
  readonly devices: DevicesModule;
  readonly profiles: ProfilesModule;
  readonly ingest: IngestModule;
  readonly storage: StorageModule;
  readonly telemetry: TelemetryModule;
  readonly backups: BackupsModule;
  readonly uplinks: UplinksModule;
  readonly notifications: NotificationsModule;
  /** Counters of the broker. */
  readonly mqtt: GatewaySources["mqtt"];
}

/** Creates the monitoring of the gateway itself. */
export function createSystemModule(core: Core, modules: SystemModules) {
  const { version, commit, config, database, data, clock, health } = core;
  const log = core.log.child("system");
  const repository = createSystemRepository(database);
  const { mqtt } = modules;
  const { settings } = modules.settings;
  const { faults } = modules.faults;
  const { tenants } = modules.tenants;
  const { users } = modules.users;
  const { mail } = modules.mail;
  const { devices, directory } = modules.devices;
  const { profiles } = modules.profiles;
  const { ingest, traffic } = modules.ingest;
  const { store, diskGuard: disk } = modules.storage;
  const { unknown } = modules.telemetry;
  const { backups } = modules.backups;
  const { notifications } = modules.notifications;
  const languageOf = (tenantId: TenantId) => notifications.settingsOf(tenantId).language;
  const sources: GatewaySources = {
    inventory: core.inventory,
    repository,
    store,
    ingest,
    faults,
    responses: core.responses,
    bodySpace: core.bodySpace,
    disk,
    backups,
    mqtt,
    uplinks: modules.uplinks.totals,
    health,
    dataPath: data.path,
    clock,
  };
  const readings = new GatewayReadings(sources);
  const metrics = new Metrics();
  addOwnMetrics(metrics, { version, commit }, { sources, readings });
  const shared = new SharedDevices({ settings, tenants, devices, directory, profiles, clock, log });
  const gatewayDevice = new GatewayDevice({
    shared,
    settings,
    tenants,
    devices,
    directory,
    profiles,
    ingest,
    countDevices: repository.countDevices,
    readings,
    clock,
    log,
  });
  const problemMails = new ProblemMails({ health, tenants, users, mail, languageOf, clock, log });
  const openFiles = new OpenFilesWatch({ clock, log });
  health.add(() => openFiles.problem());
  const diagnostics = createDiagnostics(core, { store, metrics, tenants, unknown });
  return {
    metrics,
    gatewayDevice,
    routes: (auth: AuthPlugin) => [
      systemRoutes({ metrics, config, report: refusalReporter(core.events) }),
      ...logsRoutes({ tenants, auth }),
      clockRoutes({ clock, tenants, auth }),
      sharedDevicesRoutes({ shared, tenants, auth }),
      ...diagnostics.routes(auth),
      topTalkersRoutes({ traffic, tenants, directory, auth }),
    ],
    parts: [
      { name: "gateway device", start: () => gatewayDevice.start(), stop: () => gatewayDevice.stop() },
      problemMails,
      openFiles,
      diagnostics.check,
    ],
  };
}
