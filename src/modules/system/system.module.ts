import type { TenantId } from "../../lib/ids.ts";
import { Metrics } from "../../platform/metrics.ts";
import type { BackupsService } from "../backups/backups.service.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Faults } from "../faults/faults.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { DeviceTraffic } from "../ingest/device-traffic.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { MailLanguage, MailSender } from "../mail/mail.types.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import { refusalReporter } from "../report-refusal.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { UnknownTelemetry } from "../telemetry/unknown-telemetry.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";
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

interface SystemDeps extends Pick<GatewaySources, "disk" | "mqtt" | "uplinks"> {
  readonly settings: SettingsService;
  readonly faults: Faults;
  readonly tenants: TenantsService;
  readonly devices: DevicesService;
  readonly directory: DeviceDirectory;
  readonly profiles: ProfilesService;
  readonly ingest: IngestService;
  readonly traffic: DeviceTraffic;
  readonly store: TelemetryStore;
  readonly unknown: UnknownTelemetry;
  readonly backups: BackupsService;
  readonly users: UsersService;
  readonly mail: MailSender;
  /** Language in which a tenant is notified. */
  readonly languageOf: (tenantId: TenantId) => MailLanguage;
}

/** Creates the module with which the gateway watches itself. */
export function createSystemModule(core: Core, deps: SystemDeps) {
  const { version, commit, config, database, data, clock, health } = core;
  const log = core.log.child("system");
  const repository = createSystemRepository(database);
  const { settings, tenants, devices, directory, profiles, ingest, store, backups, disk, mqtt } = deps;
  const sources: GatewaySources = {
    inventory: core.inventory,
    repository,
    store,
    ingest,
    faults: deps.faults,
    answers: core.answers,
    disk,
    backups,
    mqtt,
    uplinks: deps.uplinks,
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
  const { users, mail, languageOf } = deps;
  const problemMails = new ProblemMails({ health, tenants, users, mail, languageOf, clock, log });
  const openFiles = new OpenFilesWatch({ clock, log });
  health.add(() => openFiles.problem());
  const diagnostics = createDiagnostics(core, { store, metrics, tenants, unknown: deps.unknown });
  return {
    metrics,
    gatewayDevice,
    routes: (auth: AuthPlugin) => [
      systemRoutes({ metrics, config, report: refusalReporter(core.events) }),
      ...logsRoutes({ tenants, auth }),
      clockRoutes({ clock, tenants, auth }),
      sharedDevicesRoutes({ shared, tenants, auth }),
      ...diagnostics.routes(auth),
      topTalkersRoutes({ ...deps, auth }),
    ],
    parts: [
      { name: "gateway device", start: () => gatewayDevice.start(), stop: () => gatewayDevice.stop() },
      problemMails,
      openFiles,
      diagnostics.check,
    ],
  };
}
