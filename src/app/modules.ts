import type { DeviceId } from "../lib/core/ids.ts";
import { invariant } from "../lib/core/invariant.ts";
import { createAlarmsModule } from "../modules/alarms/alarms.module.ts";
import { checkAlarmRules, webhookUrlsOf } from "../modules/alarms/rules/alarm-rule.ts";
import { createApiKeysModule } from "../modules/api-keys/api-keys.module.ts";
import { createAttributesModule } from "../modules/attributes/attributes.module.ts";
import { createAuditModule } from "../modules/audit/audit.module.ts";
import { createBackupsModule } from "../modules/backups/backups.module.ts";
import { createBacnetModule } from "../modules/bacnet/bacnet.module.ts";
import { createCodecIndexModule } from "../modules/codec-index/codec-index.module.ts";
import { createCodecsModule } from "../modules/codecs/codecs.module.ts";
import { createCommandsModule } from "../modules/commands/commands.module.ts";
import { createConnectivityModule } from "../modules/connectivity/connectivity.module.ts";
import { createDashboardsModule } from "../modules/dashboards/dashboards.module.ts";
import { createDemoPlantModule } from "../modules/demo-plant/demo-plant.module.ts";
import { createBulkModule } from "../modules/devices/bulk/bulk.module.ts";
import { createDevicesModule, type DevicesModule } from "../modules/devices/devices.module.ts";
import { DEV_EUI_KEY } from "../modules/devices/devices.types.ts";
import { createDownlinksModule } from "../modules/downlinks/downlinks.module.ts";
import { createFaultsModule } from "../modules/faults/faults.module.ts";
import { createGeneratorsModule } from "../modules/generators/generators.module.ts";
import { createIdentityModule } from "../modules/identity/identity.module.ts";
import type { PasswordHasher } from "../modules/identity/provider/password.ts";
import { createIngestModule } from "../modules/ingest/ingest.module.ts";
import { createIntegrationsModule } from "../modules/integrations/integrations.module.ts";
import { createLoginIdentitiesModule } from "../modules/login-identities/login-identities.module.ts";
import { createMailModule } from "../modules/mail/mail.module.ts";
import { createMaintenanceModule } from "../modules/maintenance/maintenance.module.ts";
import { createModbusModule } from "../modules/modbus/modbus.module.ts";
import type { Core, Module } from "../modules/module.types.ts";
import { createNotesModule } from "../modules/notes/notes.module.ts";
import { messengerResource } from "../modules/notifications/messengers.resource.ts";
import { createNotificationsModule } from "../modules/notifications/notifications.module.ts";
import { createOpcUaModule } from "../modules/opcua/opcua.module.ts";
import { createOutboundModule, type OutboundModule } from "../modules/outbound/outbound.module.ts";
import { createOverviewModule } from "../modules/overview/overview.module.ts";
import { createPipelinesModule } from "../modules/pipelines/pipelines.module.ts";
import { createProfilesModule } from "../modules/profiles/profiles.module.ts";
import type { CheckAlarmRules } from "../modules/profiles/profiles.service.ts";
import { createProvisioningModule } from "../modules/provisioning/provisioning.module.ts";
import { createProxiesModule } from "../modules/proxies/proxies.module.ts";
import { createRealtimeModule } from "../modules/realtime/realtime.module.ts";
import { createS7Module } from "../modules/s7/s7.module.ts";
import { createSchedulerModule } from "../modules/scheduler/scheduler.module.ts";
import { createScriptSandboxModule } from "../modules/script-sandbox/script-sandbox.module.ts";
import { createSettingsModule } from "../modules/settings/settings.module.ts";
import { createSystemModule } from "../modules/system/system.module.ts";
import { createStorageModule } from "../modules/telemetry/storage.module.ts";
import { createTelemetryModule } from "../modules/telemetry/telemetry.module.ts";
import { ensurePersonSets } from "../modules/tenants/tenants.errors.ts";
import { createTenantsModule } from "../modules/tenants/tenants.module.ts";
import { createUpdatesModule } from "../modules/updates/updates.module.ts";
import { createUplinksModule } from "../modules/uplinks/uplinks.module.ts";
import { createUsersModule, type UsersModule } from "../modules/users/users.module.ts";
import { createMqttModule } from "../mqtt/mqtt.module.ts";
import type { ReadOnlyCheck, ReadSpace } from "../platform/files/disk-guard.ts";
import type { Tls } from "../platform/network/tls.ts";
import { createTenantAdministrationModule } from "./tenant-administration.ts";

/** Modules by layer. Each layer knows the layers before it, and creates its modules in the order of their dependencies. */

/** Parts replaced by tests. */
export interface Overrides {
  readonly hasher?: PasswordHasher;
  readonly readSpace?: ReadSpace;
  readonly isReadOnly?: ReadOnlyCheck;
}

/** Creates the modules for tenants, users and sign-in. */
export function createUserModules(core: Core, { hasher }: Overrides) {
  const tenants = createTenantsModule(core);
  const settings = createSettingsModule(core);
  const audit = createAuditModule(core, { tenants });
  const mail = createMailModule(core, { tenants, settings });
  const users = createUsersModule(core);
  const apiKeys = createApiKeysModule(core, { users });
  const identity = createIdentityModule(core, { tenants, users, audit, mail, apiKeys, hasher });
  return { tenants, settings, audit, mail, users, apiKeys, identity };
}

export type UserModules = ReturnType<typeof createUserModules>;

/** Returns the check of alarm rules, which knows allowed destinations, possible recipients and devices. */
function ruleCheck(
  { database, clock }: Core,
  {
    outbound: { outbound },
    users: { users },
    devices: { devicesRepository },
  }: { outbound: OutboundModule; users: UsersModule; devices: DevicesModule },
): CheckAlarmRules {
  const messengers = messengerResource.createStore(database, clock);
  return (principal, rules, before) => {
    const { tenantId } = principal;
    checkAlarmRules(rules, {
      refusalOf: (url) => outbound.refusalOf(tenantId, url),
      isRecipient: (id) =>
        messengers.find(tenantId, id) !== undefined ||
        users.listOf(tenantId).some(({ userId }) => userId === id),
      isDevice: (id) => devicesRepository.find(id as DeviceId)?.tenantId === tenantId, // only looked up
      before,
    });
    ensurePersonSets(principal, webhookUrlsOf(rules), webhookUrlsOf(before));
  };
}

/** Creates the modules for devices and their data, and the only way of telemetry into the store. */
export function createDeviceModules(
  core: Core,
  { tenants, users, audit, identity }: UserModules,
  disk: Overrides,
) {
  const storage = createStorageModule(core, { tenants, disk });
  const outbound = createOutboundModule(core, { tenants });
  const profiles = createProfilesModule(core);
  const loginIdentities = createLoginIdentitiesModule(core);
  const devices = createDevicesModule(core, { tenants, profiles, storage, loginIdentities });
  profiles.checkAlarmRules.connect(ruleCheck(core, { outbound, users, devices }));
  const faults = createFaultsModule(core, { tenants, devices });
  const attributes = createAttributesModule(core, { devices });
  const notes = createNotesModule(core, { devices });
  const pipelines = createPipelinesModule(core, { devices, profiles, attributes, outbound });
  const ingest = createIngestModule(core, { storage, devices, attributes, pipelines, outbound, profiles });
  const telemetry = createTelemetryModule(core, { storage, tenants, devices, profiles });
  tenants.created.connect(({ tenantId }) => profiles.profiles.createDefault(tenantId));
  identity.roomForChange.connect((bytes) => storage.diskGuard.ensureRoomForChange(bytes));
  audit.isDevice.connect((id) => devices.directory.find(id as DeviceId) !== undefined);
  devices.saveDevEui.connect((deviceId, devEui) =>
    attributes.attributes.saveServer(deviceId, DEV_EUI_KEY, devEui),
  );
  devices.searchAttributes.connect(attributes.search);
  faults.subjects.add("pipeline", pipelines.names);
  return {
    storage,
    outbound,
    profiles,
    loginIdentities,
    devices,
    faults,
    attributes,
    notes,
    pipelines,
    ingest,
    telemetry,
  };
}

export type DeviceModules = ReturnType<typeof createDeviceModules>;

/** Creates the modules that process and display telemetry, and communicate with devices. */
export function createAutomationModules(
  core: Core,
  modules: UserModules & DeviceModules & { readonly tls: Tls | undefined },
) {
  const { users, tenants, mail, audit, identity, apiKeys, tls } = modules;
  const { storage, outbound, profiles, loginIdentities, devices, faults, attributes, ingest, telemetry } =
    modules;
  const provisioning = createProvisioningModule(core, { profiles, users, devices, ingest, audit });
  const commands = createCommandsModule(core, { devices, profiles, attributes, storage });
  const maintenance = createMaintenanceModule(core, { devices });
  devices.maintenanceOf.connect((device) => maintenance.maintenance.of(device));
  const alarms = createAlarmsModule(core, {
    devices,
    profiles,
    attributes,
    commands,
    outbound,
    maintenance,
    storage,
  });
  const notifications = createNotificationsModule(core, { users, tenants, mail, devices, outbound, alarms });
  const dashboards = createDashboardsModule(core, { devices, telemetry, alarms, attributes });
  devices.isDashboard.connect(dashboards.dashboards.existsIn);
  const realtime = createRealtimeModule(core, { identity, dashboards, devices, storage, ingest });
  ingest.observers.push(alarms.observe);
  const mqtt = createMqttModule(core, {
    tenants,
    devices,
    ingest,
    faults,
    loginIdentities,
    provisioning,
    apiKeys,
    storage,
    attributes,
    commands,
    alarms,
    tls,
  });
  const scheduler = createSchedulerModule(core, { devices, attributes, commands });
  return {
    provisioning,
    commands,
    maintenance,
    alarms,
    notifications,
    dashboards,
    realtime,
    mqtt,
    scheduler,
  };
}

export type AutomationModules = ReturnType<typeof createAutomationModules>;

/** Creates the modules for simulated machines, and for data from other programs. */
export function createConnectionModules(
  core: Core,
  modules: UserModules & DeviceModules & AutomationModules & { readonly tls: Tls | undefined },
) {
  const { tenants, settings, storage, outbound, profiles, devices, attributes, ingest } = modules;
  const { commands, dashboards, mqtt, tls } = modules;
  const generators = createGeneratorsModule(core, { devices, ingest, storage });
  const demoPlant = createDemoPlantModule(core, {
    settings,
    devices,
    profiles,
    dashboards,
    ingest,
    commands,
  });
  const connectivity = createConnectivityModule(core, { tls });
  const scripts = createScriptSandboxModule(core);
  commands.runScript.connect((run) => scripts.sandbox.run(run));
  const codecs = createCodecsModule(core, { scripts });
  const codecIndex = createCodecIndexModule(core, { codecs, tenants, storage });
  const integrations = createIntegrationsModule(core, {
    tenants,
    devices,
    profiles,
    attributes,
    ingest,
    outbound,
    storage,
    topics: mqtt.topics,
    scripts,
    codecs,
    connectivity,
  });
  const downlinks = createDownlinksModule(core, {
    devices,
    attributes,
    integrations,
    codecs,
    scripts,
    outbound,
    commands,
  });
  const field = { devices, ingest, outbound, commands };
  const modbus = createModbusModule(core, field);
  const s7 = createS7Module(core, field);
  const bacnet = createBacnetModule(core, field);
  const opcua = createOpcUaModule(core, field);
  return {
    generators,
    demoPlant,
    connectivity,
    scripts,
    codecs,
    codecIndex,
    integrations,
    downlinks,
    modbus,
    s7,
    bacnet,
    opcua,
  };
}

/** Creates the modules for operation: settings, backups and self-monitoring. */
export function createOperationModules(core: Core, modules: UserModules & DeviceModules & AutomationModules) {
  const { tenants, settings, audit, mail, users, identity } = modules;
  const { storage, outbound, profiles, devices, faults, attributes, ingest, telemetry } = modules;
  const { commands, notifications, mqtt } = modules;
  const administration = createTenantAdministrationModule(core, {
    tenants,
    users,
    identity,
    audit,
    devices,
    storage,
    mqtt,
  });
  const bulk = createBulkModule(core, { devices, attributes });
  const overview = createOverviewModule(core, { settings, devices });
  const backups = createBackupsModule(core, { tenants, settings, identity, storage });
  const uplinks = createUplinksModule(core, { commands, outbound, settings, storage, tenants });
  const system = createSystemModule(core, {
    settings,
    faults,
    tenants,
    users,
    mail,
    devices,
    profiles,
    ingest,
    storage,
    telemetry,
    backups,
    uplinks,
    notifications,
    mqtt: mqtt.mqtt,
  });
  const updates = createUpdatesModule(core, { tenants, backups, audit });
  const proxies = createProxiesModule(core, { settings, tenants });
  return { administration, bulk, overview, backups, system, updates, uplinks, proxies };
}

/** @throws if a module with routes or parts is missing in the order, or is in it twice */
export function ensureComplete(order: readonly Module[], modules: Readonly<Record<string, object>>): void {
  const isModule = (module: object) => "routes" in module || "parts" in module;
  const missing = Object.keys(modules).filter((name) => {
    const module = modules[name];
    return module !== undefined && isModule(module) && order.filter((each) => each === module).length !== 1;
  });
  invariant(missing.length === 0, `each module is in the order once: ${missing.join(", ")}`);
}

/** Returns the modules in the order of their start, before and after the HTTP server. */
export function inOrder(
  core: Core,
  modules: UserModules & DeviceModules & AutomationModules & { readonly tls: Tls | undefined },
  connections: ReturnType<typeof createConnectionModules>,
  operations: ReturnType<typeof createOperationModules>,
): { readonly first: readonly Module[]; readonly last: readonly Module[] } {
  const first = [
    modules.storage,
    { parts: [{ name: "inventory", start: () => core.inventory.begin() }] },
    modules.telemetry,
    modules.devices,
    modules.faults,
    modules.tenants,
    modules.audit,
    modules.mail,
    modules.outbound,
    modules.apiKeys,
    { parts: modules.tls === undefined ? [] : [modules.tls] },
    modules.mqtt,
  ];
  // Commands stop before the server, which waits for requests that wait for commands.
  const last = [
    modules.commands,
    modules.maintenance,
    modules.notifications,
    modules.alarms,
    modules.scheduler,
    modules.pipelines,
    connections.generators,
    connections.demoPlant,
    { parts: connections.integrations.eventLogParts },
    connections.scripts,
    connections.integrations,
    connections.downlinks,
    connections.modbus,
    connections.s7,
    connections.bacnet,
    connections.opcua,
    connections.codecIndex,
    modules.attributes,
    modules.notes,
    modules.realtime,
    modules.profiles,
    modules.ingest,
    modules.provisioning,
    modules.identity,
    modules.dashboards,
    connections.connectivity,
    connections.codecs,
    operations.administration,
    operations.bulk,
    operations.overview,
    operations.backups,
    operations.system,
    operations.updates,
    operations.uplinks,
    operations.proxies,
  ];
  const { tls: _, ...all } = { ...modules, ...connections, ...operations };
  ensureComplete([...first, ...last], all);
  return { first, last };
}
