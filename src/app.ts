import {
  createAutomationModules,
  createConnectionModules,
  createDeviceModules,
  createOperationModules,
  createUserModules,
  type DeviceModules,
  inOrder,
  type Overrides,
  type UserModules,
} from "./app/modules.ts";
import { createOwnTls } from "./app/own-tls.ts";
import { createHttpModule } from "./http/http.module.ts";
import type { DomainEvents } from "./modules/events.types.ts";
import type { Core, Module } from "./modules/module.types.ts";
import { withProxySettings } from "./modules/proxies/proxy-settings.ts";
import { createSettingsRepository } from "./modules/settings/settings.repository.ts";
import type { Config } from "./platform/config/config.ts";
import { createEventBus } from "./platform/core/event-bus.ts";
import { Health } from "./platform/core/health.ts";
import { createLogger } from "./platform/core/log.ts";
import { SlowOperations } from "./platform/core/slow-operations.ts";
import { type MainDatabase, openVerifiedDatabases } from "./platform/database/database.ts";
import { type DataDirectory, openDataDirectory } from "./platform/files/data-directory.ts";
import { DiskWait } from "./platform/files/disk-wait.ts";
import { InventoryKeeper } from "./platform/files/inventory-keeper.ts";
import { BodySpace } from "./platform/load/body-space.ts";
import { ResponseSpace } from "./platform/load/response-space.ts";
import { OwnPorts } from "./platform/network/own-ports.ts";
import { createLifecycle, createReadiness, type Part } from "./platform/process/lifecycle.ts";
import { RestartRequest } from "./platform/process/restart.ts";
import { type Clock, systemClock } from "./platform/time/clock.ts";
import { TrustedClock } from "./platform/time/trusted-clock.ts";
import { getCommit, version } from "./version.ts";

interface AppOverrides extends Overrides {
  readonly clock?: Clock;
}

/** Opens the resources that all modules share. */
function openCore(configured: Config, system: Clock): Core {
  const data = openDataDirectory(configured.data, createLogger().child("data"));
  try {
    return createCore(configured, system, data);
  } catch (error) {
    data.release();
    throw error;
  }
}

/** Returns the configuration with the settings in the database. If they cannot be read, closes the databases and leaves their logs in place. */
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
  const diskWait = new DiskWait(log.child("disk"));
  health.add(() => diskWait.problem());
  const names = ["lineside", "identity"] as const;
  const [database, identityDatabase] = openVerifiedDatabases(
    data.path,
    names,
    log.child("database"),
    diskWait,
  );
  for (const { failure, stamp, beforeCheckpoint } of [database, identityDatabase]) {
    health.add(failure);
    inventory.addStamper(stamp);
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
    responses: new ResponseSpace(),
    bodySpace: new BodySpace(),
    ports: new OwnPorts(),
    health,
    diskWait,
    slow: new SlowOperations(clock),
    restart: new RestartRequest(),
    log,
  };
}

/** Returns the services for commands and tests that run inside the process. */
const servicesOf = ({ bodySpace }: Core, modules: UserModules & DeviceModules) => {
  const { tenants, audit, mail, users, identity, storage, loginIdentities, telemetry } = modules;
  return {
    tenants: tenants.tenants,
    tenantAttributes: tenants.attributes,
    branding: tenants.branding,
    users: users.users,
    audit: audit.audit,
    mail: mail.mail,
    account: identity.account,
    provider: identity.provider,
    setup: identity.setup,
    sessions: identity.sessions,
    identity: identity.identity,
    retention: telemetry.retention,
    store: storage.store,
    logins: loginIdentities.logins,
    bodySpace,
  };
};

/** Returns the data directory and databases of `openCore`, which are closed last. */
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

/** A whole gateway. `stop` ends everything that `createApp` and `start` began. The services are for commands and tests inside the process. */
export type App = ReturnType<typeof createApp>;

/** Opens the data directory and creates the modules; nothing listens before `start`. */
export function createApp(configured: Config, overrides: AppOverrides = {}) {
  const core = openCore(configured, overrides.clock ?? systemClock);
  try {
    return compose(core, overrides);
  } catch (error) {
    for (const database of [core.database, core.identityDatabase]) database.abandon();
    core.data.release();
    throw error;
  }
}

/** Composition root: creates the modules on the opened resources. */
function compose(core: Core, overrides: Overrides) {
  const tls = createOwnTls(core);
  const people = createUserModules(core, overrides);
  const base = { ...people, ...createDeviceModules(core, people, overrides), tls };
  const modules = { ...base, ...createAutomationModules(core, base) };
  const connections = createConnectionModules(core, modules);
  const operations = createOperationModules(core, modules);
  const { identity, mqtt } = modules;
  const readiness = createReadiness();
  const { first, last } = inOrder(core, modules, connections, operations);
  const { http, server, parts } = createHttpModule(core, {
    routes: [...first, ...last].flatMap(({ routes }) => routes?.(identity.auth) ?? []),
    auth: identity.auth,
    requestAudit: identity.requestAudit,
    tokens: modules.devices.tokens,
    realtime: modules.realtime.realtime,
    mqtt: mqtt.mqtt,
    sockets: mqtt.sockets,
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
    services: servicesOf(core, modules),
    /** `public_url`, or after the start the local address of the gateway. */
    get url(): string {
      return server.url;
    },
    /** Port for devices: with TLS if the port without it is off, 0 if both are off. */
    get mqttPort(): number {
      return mqtt.mqtt.port ?? mqtt.mqtt.tlsPort ?? 0;
    },
    /** Ports of the TLS listeners, if there are any. */
    get tlsPorts(): { readonly https: number | undefined; readonly mqtt: number | undefined } {
      return { https: core.ports.get("https"), mqtt: core.ports.get("mqttTls") };
    },
  };
}
