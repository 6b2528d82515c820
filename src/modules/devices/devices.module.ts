import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { Port } from "../../platform/core/port.ts";
import { createDependentRows } from "../../platform/database/dependent-rows.ts";
import { refusalReporter } from "../api/report-refusal.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { LoginIdentitiesModule } from "../login-identities/login-identities.module.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { createActivityRepository } from "./activity.repository.ts";
import { ChosenTokens } from "./chosen-tokens.ts";
import { createCredentialsRepository } from "./credentials.repository.ts";
import { credentialsRoutes } from "./credentials.routes.ts";
import { createCredentialsService } from "./credentials.service.ts";
import { DeviceActivityTracker } from "./device-activity.ts";
import { DeviceDirectory } from "./device-directory.ts";
import { DeviceImports } from "./device-imports.ts";
import { createDevicesRepository, type DevicesRepository } from "./devices.repository.ts";
import { devicesRoutes } from "./devices.routes.ts";
import { createDevicesService, type DevicesService } from "./devices.service.ts";
import type { Device, DeviceMaintenance, DeviceWithActivity, SearchAttributes } from "./devices.types.ts";
import { stateOf } from "./devices.wire.ts";
import { createSortedList } from "./devices-value-order.ts";
import { createTokenSignIn } from "./token-sign-in.service.ts";
import { createUnfinishedImportsRepository } from "./unfinished-imports.repository.ts";

interface DevicesModules {
  readonly tenants: TenantsModule;
  readonly profiles: ProfilesModule;
  readonly storage: StorageModule;
  readonly loginIdentities: LoginIdentitiesModule;
}

type MaintenanceOf = (device: Pick<Device, "deviceId" | "parentDeviceId">) => DeviceMaintenance | undefined;

function createImports(
  { database, events, log }: Pick<Core, "database" | "events" | "log">,
  repository: DevicesRepository,
  devices: DevicesService,
): DeviceImports {
  const unfinished = createUnfinishedImportsRepository(database);
  return new DeviceImports({ devices, repository, unfinished, transact: database.transact, events, log });
}

function createDirectory(
  { config, events }: Core,
  { tenants: { messageRate }, profiles: { profiles }, storage: { store } }: DevicesModules,
  repository: DevicesRepository,
): DeviceDirectory {
  const directory = new DeviceDirectory({
    repository,
    profiles,
    storeDevice: ({ tenantId, deviceId }) => store.device(tenantId, deviceId),
    metersOf: messageRate.metersOf,
    messagesPerSecond: config.device_messages_per_second,
    bytesPerSecond: config.device_bytes_per_second,
    events,
  });
  directory.subscribe();
  return directory;
}

/** Creates the devices: their data, credentials and activity. */
export function createDevicesModule(core: Core, modules: DevicesModules) {
  const { tenants, plans } = modules.tenants;
  const { profiles } = modules.profiles;
  const { store } = modules.storage;
  const { logins, passwords } = modules.loginIdentities;
  const { responses, database, clock, events, log } = core;
  const { transact } = database;
  /** Stores the dev EUI as an attribute, in the transaction of the device's change. */
  const saveDevEui = new Port<(deviceId: DeviceId, devEui: string | null) => void>("devices.saveDevEui");
  /** Returns whether the tenant has the dashboard. */
  const isDashboard = new Port<(tenantId: TenantId, dashboardId: string) => boolean>("devices.isDashboard");
  /** Returns the maintenance of the device or of its gateway; alarms are muted while it lasts. */
  const maintenanceOf = new Port<MaintenanceOf>("devices.maintenanceOf");
  const searchAttributes = new Port<SearchAttributes>("devices.searchAttributes");
  const devicesRepository = createDevicesRepository(database);
  const chosenTokens = new ChosenTokens({ repository: devicesRepository, clock, log: log.child("devices") });
  const devices = createDevicesService({
    repository: devicesRepository,
    chosenTokens,
    profiles,
    devicesMax: (tenantId) => plans.of(tenants.find(tenantId)?.planName ?? "").limits.devices,
    transact,
    saveDevEui: (deviceId, devEui) => saveDevEui.call(deviceId, devEui),
    isDashboard: (tenantId, dashboardId) => isDashboard.call(tenantId, dashboardId),
    deleteTelemetry: (deviceId) => store.deleteDevice(deviceId),
    dependents: createDependentRows(database),
    clock,
    events,
  });
  const directory = createDirectory(core, modules, devicesRepository);
  const activity = new DeviceActivityTracker({
    repository: createActivityRepository(database),
    devices: devicesRepository,
    profiles,
    findDevice: (deviceId) => directory.find(deviceId),
    transact,
    clock,
    events,
    log: log.child("activity"),
  });
  activity.subscribe();
  const currentOf = (device: DeviceWithActivity) => {
    const current = activity.get(device.deviceId) ?? device.activity;
    return { active: current.active, state: stateOf(current, maintenanceOf.call(device) !== undefined) };
  };
  const credentials = createCredentialsService({
    repository: createCredentialsRepository(database),
    devices,
    devicesRepository,
    chosenTokens,
    logins,
    passwords,
    transact,
    clock,
    events,
  });
  const imports = createImports(core, devicesRepository, devices);
  return {
    devices,
    devicesRepository,
    imports,
    directory,
    activity,
    currentOf,
    credentials,
    tokens: createTokenSignIn({ directory, clock, report: refusalReporter(events) }),
    saveDevEui,
    isDashboard,
    maintenanceOf,
    searchAttributes,
    routes: (auth: AuthPlugin) => [
      devicesRoutes({
        devices,
        activity,
        maintenanceOf: (device) => maintenanceOf.call(device),
        listSorted: createSortedList({ repository: devicesRepository, store, searchAttributes }),
        responses,
        auth,
      }),
      credentialsRoutes({ credentials, devices, auth }),
    ],
    parts: [
      { name: "imports", start: () => imports.start() },
      { name: "activity", start: () => activity.start(), stop: () => activity.stop() },
    ],
  };
}

export type DevicesModule = ReturnType<typeof createDevicesModule>;
