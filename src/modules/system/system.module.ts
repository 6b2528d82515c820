import type { TenantId } from "../../lib/ids.ts";
import { Metrics } from "../../platform/metrics.ts";
import type { BackupsService } from "../backups/backups.service.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { DeviceTraffic } from "../ingest/device-traffic.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { MailLanguage, MailSender } from "../mail/mail.types.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { Refusals } from "../refusals/refusals.service.ts";
import { refusalReporter } from "../report-refusal.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";
import { GatewayDevice } from "./gateway-device.ts";
import { GatewayReadings, type GatewaySources } from "./gateway-readings.ts";
import { logsRoutes } from "./logs.routes.ts";
import { addOwnMetrics } from "./own-metrics.ts";
import { ProblemMails } from "./problem-mails.ts";
import { createSystemRepository } from "./system.repository.ts";
import { systemRoutes } from "./system.routes.ts";
import { topTalkersRoutes } from "./top-talkers.routes.ts";

/** Creates the module with which the gateway watches itself. */
export function createSystemModule(
  { version, commit, config, database, data, clock, events, health, log }: Core,
  deps: Pick<GatewaySources, "disk" | "mqtt"> & {
    settings: SettingsService;
    refusals: Refusals;
    tenants: TenantsService;
    devices: DevicesService;
    directory: DeviceDirectory;
    profiles: ProfilesService;
    ingest: IngestService;
    traffic: DeviceTraffic;
    store: TelemetryStore;
    backups: BackupsService;
    users: UsersService;
    mail: MailSender;
    /** Language in which a tenant is notified. */
    languageOf: (tenantId: TenantId) => MailLanguage;
  },
) {
  const repository = createSystemRepository(database);
  const { settings, tenants, devices, directory, profiles, ingest, store, backups, disk, mqtt } = deps;
  const sources: GatewaySources = {
    repository,
    store,
    ingest,
    refusals: deps.refusals,
    disk,
    backups,
    mqtt,
    health,
    dataPath: data.path,
    clock,
  };
  const readings = new GatewayReadings(sources);
  const metrics = new Metrics();
  addOwnMetrics(metrics, { version, commit }, { sources, readings });
  const gatewayDevice = new GatewayDevice({
    settings,
    tenants,
    devices,
    directory,
    profiles,
    ingest,
    countDevices: repository.countDevices,
    readings,
    clock,
    log: log.child("system"),
  });
  const { users, mail, languageOf } = deps;
  const problemMails = new ProblemMails({
    health,
    tenants,
    users,
    mail,
    languageOf,
    clock,
    log: log.child("system"),
  });
  return {
    metrics,
    gatewayDevice,
    routes: (auth: AuthPlugin) => [
      systemRoutes({ metrics, config, report: refusalReporter(events) }),
      ...logsRoutes({ tenants, auth }),
      topTalkersRoutes({
        traffic: deps.traffic,
        tenants,
        deviceNameOf: (deviceId) => directory.find(deviceId)?.name,
        auth,
      }),
    ],
    parts: [
      { name: "gateway device", start: () => gatewayDevice.start(), stop: () => gatewayDevice.stop() },
      problemMails,
    ],
  };
}
