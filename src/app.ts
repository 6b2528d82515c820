import { createTenantAdministrationModule } from "./app/tenant-administration.ts";
import { createOwnTls } from "./app/tls.ts";
import { createHttpModule } from "./http/http.module.ts";
import type { DeviceId } from "./lib/ids.ts";
import { checkAlarmRules } from "./modules/alarms/alarm-rule.ts";
import { createAlarmsModule } from "./modules/alarms/alarms.module.ts";
import { createApiKeysModule } from "./modules/api-keys/api-keys.module.ts";
import { createAttributesModule } from "./modules/attributes/attributes.module.ts";
import { createAuditModule } from "./modules/audit/audit.module.ts";
import { createBackupsModule } from "./modules/backups/backups.module.ts";
import { createCodecsModule } from "./modules/codecs/codecs.module.ts";
import { createCommandsModule } from "./modules/commands/commands.module.ts";
import { createConnectivityModule } from "./modules/connectivity/connectivity.module.ts";
import { createDashboardsModule } from "./modules/dashboards/dashboards.module.ts";
import { createDemoPlantModule } from "./modules/demo-plant/demo-plant.module.ts";
import { createBulkModule } from "./modules/devices/bulk/bulk.module.ts";
import { createDevicesModule } from "./modules/devices/devices.module.ts";
import { DEV_EUI_KEY } from "./modules/devices/devices.types.ts";
import { createDownlinksModule } from "./modules/downlinks/downlinks.module.ts";
import type { DomainEvents } from "./modules/events.types.ts";
import { createGeneratorsModule } from "./modules/generators/generators.module.ts";
import { createIdentityModule } from "./modules/identity/identity.module.ts";
import { createIngestModule } from "./modules/ingest/ingest.module.ts";
import { createIntegrationsModule } from "./modules/integrations/integrations.module.ts";
import { createMailModule } from "./modules/mail/mail.module.ts";
import { createMaintenanceModule } from "./modules/maintenance/maintenance.module.ts";
import type { Core, Module } from "./modules/module.types.ts";
import { createNotificationsModule } from "./modules/notifications/notifications.module.ts";
import { createOutboundModule } from "./modules/outbound/outbound.module.ts";
import { createPipelinesModule } from "./modules/pipelines/pipelines.module.ts";
import { createProfilesModule } from "./modules/profiles/profiles.module.ts";
import { createProvisioningModule } from "./modules/provisioning/provisioning.module.ts";
import { createRealtimeModule } from "./modules/realtime/realtime.module.ts";
import { createSchedulerModule } from "./modules/scheduler/scheduler.module.ts";
import { createScriptSandboxModule } from "./modules/script-sandbox/script-sandbox.module.ts";
import { createStorageModule } from "./modules/telemetry/storage.module.ts";
import { createTelemetryModule } from "./modules/telemetry/telemetry.module.ts";
import { createTenantsModule } from "./modules/tenants/tenants.module.ts";
import { createUsersModule } from "./modules/users/users.module.ts";
import { createMqttModule } from "./mqtt/mqtt.module.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import { openDataDirectory } from "./platform/data-directory.ts";
import { openMainDatabase } from "./platform/database.ts";
import type { ReadSpace } from "./platform/disk-guard.ts";
import { createEventBus } from "./platform/event-bus.ts";
import { createLifecycle, createReadiness } from "./platform/lifecycle.ts";
import { createLogger } from "./platform/log.ts";
import { OwnPorts } from "./platform/own-ports.ts";
import { getCommit, version } from "./version.ts";

interface Overrides {
  readonly clock?: Clock;
  readonly readSpace?: ReadSpace;
}

/** Opens what every module is built on. */
function openCore(config: Config, clock: Clock): Core {
  const log = createLogger();
  const data = openDataDirectory(config.data, log.child("data"));
  return {
    version,
    commit: getCommit(),
    config,
    data,
    database: openMainDatabase(data.file("lineside.db"), "lineside", log.child("database")),
    identityDatabase: openMainDatabase(data.file("identity.db"), "identity", log.child("database")),
    clock,
    events: createEventBus<DomainEvents>(log.child("events")),
    ports: new OwnPorts(),
    log,
  };
}

/** Tenants, people and how they sign in. */
function createUserModules(core: Core) {
  const tenancy = createTenantsModule(core);
  const { tenants, plans, branding, quotas } = tenancy;
  const auditing = createAuditModule(core, { tenants, quotas });
  const mailing = createMailModule(core, { tenants, branding });
  const { users, usersRepository } = createUsersModule(core);
  const apiKeys = createApiKeysModule(core, { users });
  const identity = createIdentityModule(core, {
    tenants,
    plans,
    branding,
    users,
    usersRepository,
    audit: auditing.audit,
    mail: mailing.mail,
    keys: apiKeys.keys,
  });
  return { tenancy, auditing, mailing, users, apiKeys, identity };
}

type UserModules = ReturnType<typeof createUserModules>;

/** Devices, what is kept of them, and the one way of their telemetry into the store. */
function createDeviceModules(core: Core, userModules: UserModules, readSpace: ReadSpace | undefined) {
  const { tenants, plans, quotas, messageRate, created } = userModules.tenancy;
  const storage = createStorageModule(core, { quotas, readSpace });
  const { store, diskGuard } = storage;
  const outbounds = createOutboundModule(core, { tenants });
  const { outbound } = outbounds;
  const profiling = createProfilesModule(core);
  const { profiles } = profiling;
  created.connect(({ tenantId }) => profiles.createDefault(tenantId));
  profiling.checkAlarmRules.connect((tenantId, rules) =>
    checkAlarmRules(rules, (url) => outbound.refusalOf(tenantId, url)),
  );
  const fleet = createDevicesModule(core, { tenants, plans, messageRate, profiles, store });
  const { devices, devicesRepository, directory, activity, rejections, tokens } = fleet;
  userModules.auditing.isDevice.connect((id) => directory.find(id as DeviceId) !== undefined);
  const attributing = createAttributesModule(core, { devices, activity });
  const { attributes } = attributing;
  fleet.saveDevEui.connect((deviceId, devEui) => attributes.saveServer(deviceId, DEV_EUI_KEY, devEui));
  const pipelines = createPipelinesModule(core, {
    devices,
    devicesRepository,
    profiles,
    directory,
    attributes,
    outbound,
  });
  const ingesting = createIngestModule(core, {
    store,
    diskGuard,
    devices,
    directory,
    activity,
    rejections,
    tokens,
    attributes,
    pipelines: pipelines.engine,
    outbound,
  });
  const telemetry = createTelemetryModule(core, {
    store,
    tenants,
    plans,
    devices,
    devicesRepository,
    profiles,
  });
  return { storage, outbounds, profiling, fleet, attributing, pipelines, ingesting, telemetry };
}

/** Services for commands and tests that act from inside. */
const servicesOf = (
  { tenancy, users, auditing, mailing, identity }: UserModules,
  { telemetry, storage }: ReturnType<typeof createDeviceModules>,
) => ({
  tenants: tenancy.tenants,
  tenantAttributes: tenancy.attributes,
  branding: tenancy.branding,
  users,
  audit: auditing.audit,
  mail: mailing.mail,
  account: identity.account,
  provider: identity.provider,
  setup: identity.setup,
  sessions: identity.sessions,
  identity: identity.identity,
  retention: telemetry.retention,
  store: storage.store,
});

/** A whole Lineside: what `start` began, `stop` ends. The services are for commands and tests that act from inside. */
export type App = ReturnType<typeof createApp>;

/** The composition root: opens the data directory and creates the modules; nothing listens before `start`. */
export function createApp(config: Config, overrides: Overrides = {}) {
  const core = openCore(config, overrides.clock ?? systemClock);
  const { data, database, identityDatabase, ports, log } = core;
  const userModules = createUserModules(core);
  const { tenancy, auditing, mailing, users, apiKeys, identity } = userModules;
  const { tenants, plans, quotas, messageRate } = tenancy;
  const base = createDeviceModules(core, userModules, overrides.readSpace);
  const { storage, outbounds, profiling, fleet, attributing, pipelines, ingesting, telemetry } = base;
  const { store } = storage;
  const { outbound, reach } = outbounds;
  const { profiles } = profiling;
  const { devices, devicesRepository, directory, activity, tokens, credentials } = fleet;
  const { attributes } = attributing;
  const { ingest, observers } = ingesting;

  const provisioning = createProvisioningModule(core, {
    profiles,
    devices,
    credentials,
    activity,
    audit: auditing.audit,
  });
  const commanding = createCommandsModule(core, { devices, profiles, directory, tokens });
  const { commands, engine, ways } = commanding;
  const maintenance = createMaintenanceModule(core, { devices });
  fleet.maintenanceOf.connect((device) => maintenance.maintenance.of(device));
  const alarming = createAlarmsModule(core, {
    devices,
    directory,
    profiles,
    attributes,
    commands,
    outbound,
    maintenance: maintenance.watch,
    store,
  });
  const notifications = createNotificationsModule(core, {
    users,
    tenants,
    mail: mailing.mail,
    directory,
    outbound,
    mutedMs: alarming.mutedMs,
    notified: alarming.notified,
    alarmHooks: alarming.hooks,
  });
  const boards = createDashboardsModule(core, {
    devices,
    activity,
    telemetry: telemetry.telemetry,
    alarms: alarming.alarms,
  });
  const realtime = createRealtimeModule(core, {
    authenticator: identity.authenticator,
    shares: boards.shares,
    devices,
    activity,
    store,
    observers,
  });
  observers.push(alarming.observe);
  const tls = createOwnTls({ config, data, clock: core.clock, log: log.child("tls") });
  const messaging = createMqttModule(core, {
    quotas,
    devices,
    ingest,
    observers,
    directory,
    signIn: fleet.signIn,
    provisioning: provisioning.provisioning,
    tokens,
    tls,
    keys: apiKeys.keys,
    store,
    activity,
    attributes,
    commands: engine,
    ways,
    openAlarms: alarming.openAlarms,
  });
  const { mqtt, sockets } = messaging;
  const generators = createGeneratorsModule(core, { devices, directory, ingest, store });
  const demoPlant = createDemoPlantModule(core, {
    devices,
    directory,
    profiles,
    dashboards: boards.dashboards,
    ingest,
    commands: engine,
  });
  const scheduler = createSchedulerModule(core, {
    devices,
    attributes,
    commands,
    checkCommand: commanding.checkCommand,
  });
  const connectivity = createConnectivityModule(core, { tls });
  const scripts = createScriptSandboxModule(core);
  const codecs = createCodecsModule(core, { trials: scripts.trials });
  const integrations = createIntegrationsModule(core, {
    devices,
    directory,
    profiles,
    attributes,
    ingest,
    reach,
    scripts,
    codecs,
    connectivity,
  });
  const downlinks = createDownlinksModule(core, {
    devices,
    attributes,
    integrations,
    codecs: codecs.codecs,
    sandbox: scripts.sandbox,
    reach,
    commands: engine,
    ways,
  });
  const administration = createTenantAdministrationModule(core, {
    tenants,
    plans,
    quotas,
    messageRate,
    users,
    sessions: identity.sessions,
    provider: identity.provider,
    audit: auditing.audit,
    devices,
    devicesRepository,
    store,
    mqtt,
  });

  const readiness = createReadiness();
  /** Sorted in the order in which they start, before the HTTP server. */
  const first: readonly Module[] = [
    storage,
    telemetry,
    fleet,
    tenancy,
    auditing,
    mailing,
    outbounds,
    apiKeys,
    { parts: tls === undefined ? [] : [tls] },
    messaging,
  ];
  /** After it. Commands stop before the server: it waits for requests, and they wait for what devices ask. */
  const last: readonly Module[] = [
    commanding,
    maintenance,
    notifications,
    alarming,
    scheduler,
    pipelines,
    generators,
    demoPlant,
    integrations,
    downlinks,
    attributing,
    realtime,
    profiling,
    ingesting,
    provisioning,
    identity,
    boards,
    connectivity,
    codecs,
    administration,
    createBulkModule({ devices, attributes }),
    createBackupsModule(core, { tenants }),
  ];
  const { http, server, parts } = createHttpModule(core, {
    routes: [...first, ...last].flatMap(({ routes }) => routes?.(identity.auth) ?? []),
    auth: identity.auth,
    requestAudit: identity.requestAudit,
    tokens,
    realtime: realtime.realtime,
    mqtt,
    sockets,
    tls,
    isReady: readiness.isReady,
  });
  const partsOf = (modules: readonly Module[]) => modules.flatMap((module) => module.parts ?? []);
  const { start, stop } = createLifecycle(
    [
      { name: "data directory", stop: () => data.release() },
      { name: "identity database", stop: () => identityDatabase.close() },
      { name: "database", stop: () => database.close() },
      ...partsOf(first),
      ...parts,
      ...partsOf(last),
      readiness.part,
    ],
    log,
  );

  return {
    start,
    stop,
    http,
    services: servicesOf(userModules, base),
    /** `http://host:port`, once started. */
    get url(): string {
      const host = ["0.0.0.0", "::"].includes(config.http_host) ? "localhost" : config.http_host;
      return config.public_url ?? `http://${host}:${server.port}`;
    },
    get mqttPort(): number {
      return mqtt.port;
    },
    /** Of the ways in with TLS, where there are any. */
    get tlsPorts(): { readonly https: number | undefined; readonly mqtt: number | undefined } {
      return { https: ports.get("https"), mqtt: ports.get("mqttTls") };
    },
  };
}
