import {
  createDeviceModules,
  createUserModules,
  type DeviceModules,
  type UserModules,
} from "./app/base-modules.ts";
import { createIntegrationModules } from "./app/integration-modules.ts";
import { createOperationModules } from "./app/operation-modules.ts";
import { createSimulationModules } from "./app/simulation-modules.ts";
import { createTenantAdministrationModule } from "./app/tenant-administration.ts";
import { createOwnTls } from "./app/tls.ts";
import { createHttpModule } from "./http/http.module.ts";
import { createAlarmsModule } from "./modules/alarms/alarms.module.ts";
import { createCommandsModule } from "./modules/commands/commands.module.ts";
import { createDashboardsModule } from "./modules/dashboards/dashboards.module.ts";
import { createBulkModule } from "./modules/devices/bulk/bulk.module.ts";
import type { DomainEvents } from "./modules/events.types.ts";
import type { PasswordHasher } from "./modules/identity/provider/password.ts";
import { createMaintenanceModule } from "./modules/maintenance/maintenance.module.ts";
import type { Core, Module } from "./modules/module.types.ts";
import { createNotificationsModule } from "./modules/notifications/notifications.module.ts";
import { createProvisioningModule } from "./modules/provisioning/provisioning.module.ts";
import { withProxySettings } from "./modules/proxies/proxy-settings.ts";
import { createRealtimeModule } from "./modules/realtime/realtime.module.ts";
import { createSchedulerModule } from "./modules/scheduler/scheduler.module.ts";
import { createSettingsRepository } from "./modules/settings/settings.repository.ts";
import { createMqttModule } from "./mqtt/mqtt.module.ts";
import { AnswerSpace } from "./platform/answer-space.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import { type DataDirectory, openDataDirectory } from "./platform/data-directory.ts";
import { type MainDatabase, openVerifiedDatabases } from "./platform/database.ts";
import type { ReadOnlyCheck, ReadSpace } from "./platform/disk-guard.ts";
import { createEventBus } from "./platform/event-bus.ts";
import { Health } from "./platform/health.ts";
import { InventoryKeeper } from "./platform/inventory-keeper.ts";
import { createLifecycle, createReadiness, type Part } from "./platform/lifecycle.ts";
import { createLogger } from "./platform/log.ts";
import { OwnPorts } from "./platform/own-ports.ts";
import { RestartRequest } from "./platform/restart.ts";
import { SlowOperations } from "./platform/slow-operations.ts";
import { TrustedClock } from "./platform/trusted-clock.ts";
import { getCommit, version } from "./version.ts";

interface Overrides {
  readonly clock?: Clock;
  readonly readSpace?: ReadSpace;
  readonly isReadOnly?: ReadOnlyCheck;
  readonly hasher?: PasswordHasher;
}

/** Opens what every module is built on. */
function openCore(configured: Config, system: Clock): Core {
  const data = openDataDirectory(configured.data, createLogger().child("data"));
  try {
    return createCore(configured, system, data);
  } catch (error) {
    data.release();
    throw error;
  }
}

/** Returns the configuration with what the database adds to it. If that cannot be read, the databases are closed with their logs left in place. */
function storedConfig(configured: Config, databases: readonly [MainDatabase, MainDatabase]): Config {
  try {
    return withProxySettings(configured, createSettingsRepository(databases[0]));
  } catch (error) {
    for (const database of databases) database.abandon();
    throw error;
  }
}

function createCore(configured: Config, system: Clock, data: DataDirectory): Core {
  const log = createLogger();
  const health = new Health();
  const clock = new TrustedClock(system, data.path, {
    hasHistory: data.inventory.record.generation > 0,
  });
  health.add(() => clock.problem());
  const inventory = new InventoryKeeper({
    dataPath: data.path,
    ...data.inventory,
    clock,
    log: log.child("data"),
  });
  health.add(() => inventory.problem());
  const names = ["lineside", "identity"] as const;
  const [database, identityDatabase] = openVerifiedDatabases(data.path, names, log.child("database"));
  for (const { failure, stamp, beforeCheckpoint } of [database, identityDatabase]) {
    health.add(failure);
    inventory.add(stamp);
    beforeCheckpoint(() => inventory.advance());
  }
  return {
    version,
    commit: getCommit(),
    configured,
    config: storedConfig(configured, [database, identityDatabase]),
    data,
    inventory,
    database,
    identityDatabase,
    clock,
    events: createEventBus<DomainEvents>(log.child("events")),
    answers: new AnswerSpace(),
    ports: new OwnPorts(),
    health,
    slow: new SlowOperations(clock),
    restart: new RestartRequest(),
    log,
  };
}

/** Services for commands and tests that act from inside. */
const servicesOf = (
  { tenancy, users, auditing, mailing, identity }: UserModules,
  { telemetry, storage, signIns }: DeviceModules,
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
  logins: signIns.logins,
});

/** Data directory and databases that `openCore` opened; closed last. */
const openedParts = ({ data, inventory, identityDatabase, database, clock }: Core): Part[] => [
  { name: "data directory", isOpen: true, stop: () => data.release() },
  ...[identityDatabase, database].map((opened) => ({
    name: "database",
    isOpen: true as const,
    stop: () => (inventory.isBegun ? opened.close() : opened.abandon()),
  })),
  clock,
];

const partsOf = (modules: readonly Module[]) => modules.flatMap((module) => module.parts ?? []);

/** A whole Lineside: what `createApp` and `start` began, `stop` ends. The services are for commands and tests that act from inside. */
export type App = ReturnType<typeof createApp>;

/** Opens the data directory and creates the modules; nothing listens before `start`. */
export function createApp(configured: Config, overrides: Overrides = {}) {
  const core = openCore(configured, overrides.clock ?? systemClock);
  try {
    return compose(core, overrides);
  } catch (error) {
    for (const database of [core.database, core.identityDatabase]) database.abandon();
    core.data.release();
    throw error;
  }
}

/** The composition root: creates the modules on what is open. */
function compose(core: Core, overrides: Overrides) {
  const userModules = createUserModules(core, overrides);
  const { tenancy, auditing, mailing, users, apiKeys, identity } = userModules;
  const { tenants, plans, quotas, messageRate } = tenancy;
  const base = createDeviceModules(core, userModules, overrides);
  const { outbounds, profiling, fleet, attributing, pipelines, ingesting, telemetry } = base;
  const { store } = base.storage;
  const { outbound } = outbounds;
  const { profiles } = profiling;
  const { devices, devicesRepository, directory, activity, tokens } = fleet;
  const { attributes } = attributing;
  const { ingest, observers } = ingesting;

  const provisioning = createProvisioningModule(core, {
    profiles,
    users,
    fleet,
    ingest,
    audit: auditing.audit,
  });
  const commanding = createCommandsModule(core, { devices, profiles, directory, tokens, attributes, store });
  const { commands, engine } = commanding;
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
    alarming,
  });
  const boards = createDashboardsModule(core, { devices, activity, telemetry, alarming, attributes });
  const realtime = createRealtimeModule(core, {
    authenticator: identity.authenticator,
    shares: boards.shares,
    devices,
    activity,
    store,
    observers,
  });
  observers.push(alarming.observe);
  const tls = createOwnTls(core);
  const messaging = createMqttModule(core, {
    ...{ quotas, tenants, version, faults: base.faulting.faults },
    devices,
    ingest,
    observers,
    directory,
    ...base.signIns,
    provisioning,
    tokens,
    tls,
    keys: apiKeys.keys,
    store,
    activity,
    attributes,
    commanding,
    openAlarms: alarming.openAlarms,
  });
  const { mqtt, sockets } = messaging;
  const simulation = createSimulationModules(core, base, {
    settings: userModules.settings,
    dashboards: boards.dashboards,
    commands: engine,
  });
  const scheduler = createSchedulerModule(core, {
    devices,
    attributes,
    commands,
    checkCommand: commanding.checkCommand,
  });
  const integrating = createIntegrationModules(core, base, { commanding, tls, topics: messaging.topics });
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
    base.storage,
    { parts: [{ name: "inventory", start: () => core.inventory.begin() }] },
    ...base.first,
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
    simulation.generators,
    simulation.demoPlant,
    ...integrating.links,
    attributing,
    realtime,
    profiling,
    ingesting,
    provisioning,
    identity,
    boards,
    integrating.connectivity,
    integrating.codecs,
    administration,
    createBulkModule(core, { devices, imports: fleet.imports, activity, attributes }),
    ...createOperationModules(core, userModules, { base, commands, mqtt, notifications }),
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
  const { start, stop } = createLifecycle(
    [...openedParts(core), ...partsOf(first), ...parts, ...partsOf(last), readiness.part, core.inventory],
    core.log,
  );

  return {
    start,
    stop,
    health: core.health,
    restartRequested: core.restart.requested,
    http,
    services: servicesOf(userModules, base),
    /** `public_url`, or where this machine reaches the gateway, once started. */
    get url(): string {
      return server.url;
    },
    /** The port for devices: with TLS where the one without is off, 0 where both are. */
    get mqttPort(): number {
      return mqtt.port ?? mqtt.tlsPort ?? 0;
    },
    /** Ports of the TLS listeners, if there are any. */
    get tlsPorts(): { readonly https: number | undefined; readonly mqtt: number | undefined } {
      return { https: core.ports.get("https"), mqtt: core.ports.get("mqttTls") };
    },
  };
}
