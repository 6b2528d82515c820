import { createAlarms } from "./app/alarms.ts";
import { createConnectivity } from "./app/connectivity.ts";
import { createDashboards } from "./app/dashboards.ts";
import { createHttp } from "./app/http.ts";
import { createMqtt } from "./app/mqtt.ts";
import { createOutbound } from "./app/outbound.ts";
import { createOutbox } from "./app/outbox.ts";
import { createPeople, type People } from "./app/people.ts";
import { createPipelines } from "./app/pipelines.ts";
import { realtimeOf } from "./app/realtime.ts";
import { createRuleChains } from "./app/rule-chains.ts";
import { createScheduler } from "./app/scheduler.ts";
import { createSignIn } from "./app/sign-in.ts";
import { createStorage } from "./app/storage.ts";
import { createTelemetry } from "./app/telemetry.ts";
import { createTenantRemoval } from "./app/tenant-removal.ts";
import { createTenantUsage } from "./app/tenant-usage.ts";
import { createOwnTls } from "./app/tls.ts";
import { createConsoleFiles } from "./http/console.ts";
import type { HttpApp } from "./http/http-app.ts";
import { checkAlarmRules } from "./modules/alarms/alarm-rule.ts";
import { createAttributeChangesRepository } from "./modules/attributes/attribute-changes.repository.ts";
import { createAttributesRepository } from "./modules/attributes/attributes.repository.ts";
import { createAttributesService } from "./modules/attributes/attributes.service.ts";
import { createActivityRepository } from "./modules/devices/activity.repository.ts";
import { createBulkService } from "./modules/devices/bulk/bulk.service.ts";
import { createDeviceActivityTracker } from "./modules/devices/device-activity.ts";
import { createDeviceDirectory } from "./modules/devices/device-directory.ts";
import { createDeviceRejections } from "./modules/devices/device-rejections.ts";
import { createDevicesRepository, DEV_EUI_KEY } from "./modules/devices/devices.repository.ts";
import { createDevicesService } from "./modules/devices/devices.service.ts";
import { createRejectionsRepository } from "./modules/devices/rejections.repository.ts";
import type { DomainEvents } from "./modules/events.types.ts";
import { createIngestService } from "./modules/ingest/ingest.service.ts";
import { createProfilesRepository } from "./modules/profiles/profiles.repository.ts";
import { createProfilesService } from "./modules/profiles/profiles.service.ts";
import { RealtimeHub } from "./modules/realtime/realtime-hub.ts";
import { createOrphanRemoval } from "./modules/telemetry/orphans.ts";
import type { Retention } from "./modules/telemetry/retention.ts";
import type { TelemetryStore } from "./modules/telemetry/store/store.types.ts";
import { createMessageRateService } from "./modules/tenants/message-rate.service.ts";
import type { QuotasService } from "./modules/tenants/quotas.service.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import { openDataDirectory } from "./platform/data-directory.ts";
import { openMainDatabase } from "./platform/database.ts";
import type { ReadSpace } from "./platform/disk-guard.ts";
import { createEventBus } from "./platform/event-bus.ts";
import { createLifecycle, createReadiness } from "./platform/lifecycle.ts";
import { createLogger } from "./platform/log.ts";
import { createOwnOrigin } from "./platform/own-origin.ts";
import { version } from "./version.ts";

/** A whole Lineside: what `start` began, `stop` ends. The services are for commands and tests that act from inside. */
export interface App {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** `http://host:port`, once started. */
  readonly url: string;
  readonly mqttPort: number;
  /** Of the ways in with TLS, where there are any. */
  readonly tlsPorts: { readonly https: number | undefined; readonly mqtt: number | undefined };
  readonly http: HttpApp;
  readonly services: People & {
    readonly store: TelemetryStore;
    readonly retention: Retention;
  };
}

/** The composition root: opens the data directory and wires every part; nothing listens before `start`. */
export function createApp(config: Config, overrides: { clock?: Clock; readSpace?: ReadSpace } = {}): App {
  const clock = overrides.clock ?? systemClock;
  const log = createLogger();
  const data = openDataDirectory(config.data, log.child("data"));
  const database = openMainDatabase(data.file("lineside.db"), "lineside", log.child("database"));
  const identityDatabase = openMainDatabase(data.file("identity.db"), "identity", log.child("database"));
  const { transact } = database;
  const events = createEventBus<DomainEvents>(log.child("events"));
  const durable = async () => void (await Promise.all([database.durable(), identityDatabase.durable()]));

  const quotasOf: QuotasService["of"] = (tenantId) => people.quotas.of(tenantId);
  const { readSpace } = overrides;
  const { diskGuard, store } = createStorage({ config, data, readSpace, quotasOf, clock, log });
  const profiles = createProfilesService({
    repository: createProfilesRepository(database),
    transact,
    checkAlarmRules: (tenantId, rules) => checkAlarmRules(rules, (url) => outbound.refusalOf(tenantId, url)),
    clock,
    events,
  });
  // Not a tenant's own: whoever may sign up must not send mail in any name.
  const productName = () => people.branding.appearance().name;
  const mail = createOutbox({ config, database, clock, events, productName, log: log.child("mail") });
  const people = createPeople({
    config,
    database,
    identityDatabase,
    tokenKey: data.secret("jwt.key", 32),
    clock,
    events,
    mail,
    log: log.child("people"),
    onTenantCreated: ({ tenantId }) => profiles.createDefault(tenantId),
  });
  const { tenants, plans, audit } = people;
  const messageRate = createMessageRateService({ tenants, plans, quotasOf, clock, log: log.child("rate") });

  const devicesRepository = createDevicesRepository(database);
  const devices = createDevicesService({
    repository: devicesRepository,
    profiles,
    devicesMax: (tenantId) => plans.of(tenants.find(tenantId)?.planName ?? "").limits.devices,
    transact,
    saveDevEui: (deviceId, devEui) => attributes.saveServer(deviceId, DEV_EUI_KEY, devEui),
    deleteTelemetry: (deviceId) => store.deleteDevice(deviceId),
    clock,
    events,
  });
  const directory = createDeviceDirectory({
    repository: devicesRepository,
    profiles,
    storeDevice: ({ tenantId, deviceId }) => store.device(tenantId, deviceId),
    rates: {
      metersOf: messageRate.metersOf,
      perDevice: config.device_messages_per_second,
      bytesPerDevice: config.device_bytes_per_second,
    },
    events,
  });
  const activity = createDeviceActivityTracker({
    repository: createActivityRepository(database),
    devices: devicesRepository,
    profiles,
    findDevice: (deviceId) => directory.find(deviceId),
    transact,
    clock,
    events,
    log: log.child("activity"),
  });
  const late = { commands: () => commands, outbound: () => outbound };
  const base = { config, database, devices, people, ...late, clock, events };
  const signIn = createSignIn({ ...base, devicesRepository, directory, profiles, activity, audit });
  const rejections = createDeviceRejections({
    ...base,
    repository: createRejectionsRepository(database),
    transact,
    log: log.child("rejections"),
  });
  const attributes = createAttributesService({
    repository: createAttributesRepository(database),
    changes: createAttributeChangesRepository(database, config.attribute_changes_max),
    devices,
    activityOf: (deviceId) => activity.get(deviceId),
    transact,
    clock,
    events,
  });
  const hub = new RealtimeHub(events);
  const alarming = createAlarms({ ...base, store, directory, profiles, attributes, log });
  const ownPorts = () => [server.port, server.httpsPort, mqtt.port, mqtt.tlsPort];
  const toReach = { ...base, data, ownPorts, log: log.child("outbound") };
  const { outbound, outboundPart, reach } = createOutbound(toReach);
  const toPipe = { ...base, devicesRepository, profiles, directory, attributes, outbound };
  const piped = createPipelines({ ...toPipe, log: log.child("pipelines") });
  const ingest = createIngestService({
    store,
    attributes,
    transform: piped.transform,
    forward: outbound.enqueueAfter,
    attributesDurable: () => database.durable(),
    onRejected: (device, rejection) => rejections.record(device, rejection),
    observers: [hub.onTelemetry, alarming.observeAlarms, (...heard) => feed.onTelemetry(...heard)],
    touch: (device) => activity.touch(device),
    ensureRoom: () => diskGuard.ensureRoom(),
    clock,
  });
  const stored = createTelemetry({ ...base, store, people, profiles, directory, ingest, log });

  const tls = createOwnTls({ config, data, clock, log: log.child("tls") });
  const { mqtt, sockets, commands, commandEngine, feed } = createMqtt({
    config,
    tls,
    keys: people.keys,
    store,
    database,
    sessionFile: data.file("mqtt.db"),
    quotasOf,
    openAlarms: alarming.openAlarms,
    devices,
    profiles,
    ingest,
    directory,
    signIn,
    activity,
    attributes,
    ...{ radio: () => connected.radio, clock, events, log: log.child("mqtt") },
  });
  const generating = createRuleChains({ ...base, directory, ingest, store, log: log.child("rule chains") });
  const looked = createDashboards({
    ...base,
    telemetry: stored.telemetry,
    alarms: alarming.alarms,
    ...{ activity, profiles, directory, ingest, commandEngine, log },
  });
  const timed = createScheduler({ ...base, attributes, commands, log: log.child("scheduler") });
  const tied = { ...base, data, directory, profiles, attributes, ingest, mqtt, tls, reach };
  const connected = createConnectivity({
    ...tied,
    commandEngine,
    httpsPort: () => server.httpsPort,
    log: log.child("integrations"),
  });
  const readiness = createReadiness();
  const { http, server } = createHttp({
    version,
    tls,
    config,
    log: log.child("http"),
    people: {
      ...people,
      mailOriginFor: createOwnOrigin(config, { http: () => server.port, https: () => server.httpsPort }),
      removeTenant: createTenantRemoval({ people, devices, store, transact, events }),
      usageOf: createTenantUsage({ people, devices: devicesRepository, store, mqtt, messageRate }),
    },
    devices,
    directory,
    signIn,
    activity,
    rejections,
    profiles,
    attributes,
    bulk: createBulkService({ devices, saveAttributes: attributes.set }),
    commands,
    commandEngine,
    automation: { ...timed, ...piped, ...alarming, ...generating, ...looked },
    telemetry: stored.telemetry,
    history: stored.history,
    ingest,
    realtime: realtimeOf({ ...base, hub, shares: looked.shares, activity, store, log }),
    mqtt,
    sockets,
    console: createConsoleFiles(),
    ...connected,
    isReady: readiness.isReady,
    durable,
  });

  const lifecycle = createLifecycle(
    [
      { name: "data directory", stop: () => data.release() },
      { name: "identity database", stop: () => identityDatabase.close() },
      { name: "database", stop: () => database.close() },
      diskGuard,
      { name: "store", start: () => store.start(), stop: () => store.stop() },
      createOrphanRemoval({ store, isKnown: (id) => devicesRepository.find(id) !== undefined, log }),
      { name: "rejections", start: () => rejections.start(), stop: () => rejections.stop() },
      { name: "activity", start: () => activity.start(), stop: () => activity.stop() },
      { name: "retention", start: () => stored.retention.start(), stop: () => stored.retention.stop() },
      { name: "message rate", start: () => messageRate.start(), stop: () => messageRate.stop() },
      { name: "audit", start: () => audit.start(), stop: () => audit.stop() },
      { name: "mail", start: () => mail.start(), stop: () => mail.stop() },
      outboundPart,
      { name: "api keys", start: () => people.keys.start(), stop: () => people.keys.stop() },
      ...(tls === undefined ? [] : [tls]),
      { name: "mqtt", start: () => mqtt.start(), stop: () => mqtt.stop() },
      { name: "applications", start: () => feed.start(), stop: () => feed.stop() },
      server,
      // Stopped before the server: it waits for requests, and they for what devices ask.
      { name: "commands", start: () => commandEngine.start(), stop: () => commandEngine.stop() },
      alarming.alarmsPart,
      timed.schedulerPart,
      piped.pipelinesPart,
      generating.ruleChainsPart,
      looked.demoPlantPart,
      connected.integrationsPart,
      { name: "attributes", stop: () => attributes.stop() },
      { name: "realtime", stop: () => hub.closeAll() },
      readiness.part,
    ],
    log,
  );

  return {
    ...lifecycle,
    http,
    services: { ...people, store, retention: stored.retention },
    get url() {
      const host = ["0.0.0.0", "::"].includes(config.http_host) ? "localhost" : config.http_host;
      return config.public_url ?? `http://${host}:${server.port}`;
    },
    get mqttPort() {
      return mqtt.port;
    },
    get tlsPorts() {
      return { https: server.httpsPort, mqtt: mqtt.tlsPort };
    },
  };
}
