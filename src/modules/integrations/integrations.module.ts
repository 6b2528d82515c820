import type { BrokerMessage } from "../../platform/broker/broker.types.ts";
import { Port } from "../../platform/core/port.ts";
import { createSealedBox } from "../../platform/secrets/sealed-box.ts";
import type { AttributesModule } from "../attributes/attributes.module.ts";
import type { CodecsModule } from "../codecs/codecs.module.ts";
import { functionsOf } from "../codecs/script-functions.service.ts";
import type { ConnectivityModule } from "../connectivity/connectivity.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestModule } from "../ingest/ingest.module.ts";
import type { Core } from "../module.types.ts";
import type { LocalTopics } from "../mqtt-clients/mqtt-clients.types.ts";
import type { OutboundModule } from "../outbound/outbound.module.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import type { ScriptSandboxModule } from "../script-sandbox/script-sandbox.module.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { AnnouncementRegistry } from "./announcements/announcement-registry.ts";
import { createAnnouncementsRepository } from "./announcements/announcements.repository.ts";
import { discoveredNetworksRoutes } from "./announcements/discovered-networks.routes.ts";
import { createOwnAnnouncementsModule } from "./announcements/own-announcements.module.ts";
import { createBridges } from "./bridge/bridges.ts";
import { createEventGroupsRepository } from "./events/event-groups.repository.ts";
import { EventLog } from "./events/event-log.ts";
import { createEventTokens } from "./events/event-tokens.ts";
import { createIntegrationEventsRepository } from "./events/integration-events.repository.ts";
import { createIntegrationEventsService } from "./events/integration-events.service.ts";
import { createFailureReporter, createNewEventsPublisher } from "./events/new-events.ts";
import { createBacklog } from "./inbound/backlog.ts";
import { createDeviceIdentities } from "./inbound/device-identities.repository.ts";
import { DeviceResolution } from "./inbound/device-resolution.ts";
import { createFrameDecoding } from "./inbound/frame-decoding.ts";
import { InboundPipeline } from "./inbound/inbound-pipeline.ts";
import {
  MessageWorker,
  type MessageWorkerDeps,
  type PartStoreDeps,
  storePart,
} from "./inbound/message-worker.ts";
import { PendingMessages } from "./inbound/pending-messages.ts";
import { usesOfCodecs } from "./integration-settings.ts";
import { createIntegrationsRepository } from "./integrations.repository.ts";
import type { Integration } from "./integrations.resource.ts";
import { integrationsRoutes } from "./integrations.routes.ts";
import { createIntegrationsService } from "./integrations.service.ts";
import { webhooksRoutes } from "./webhooks/webhooks.routes.ts";
import { createWebhooksService } from "./webhooks/webhooks.service.ts";

interface IntegrationsModules {
  /** Topics of the embedded broker. */
  readonly topics: LocalTopics;
  readonly tenants: TenantsModule;
  readonly devices: DevicesModule;
  readonly profiles: ProfilesModule;
  readonly attributes: AttributesModule;
  readonly ingest: IngestModule;
  readonly outbound: OutboundModule;
  readonly storage: StorageModule;
  readonly scripts: ScriptSandboxModule;
  readonly codecs: CodecsModule;
  readonly connectivity: ConnectivityModule;
}

function createResolution(
  { clock, events }: Pick<Core, "clock" | "events">,
  {
    devices: { devices, directory },
    profiles: { profiles },
    attributes: { attributes },
  }: IntegrationsModules,
  identities: ReturnType<typeof createDeviceIdentities>,
): DeviceResolution {
  const { saveServer } = attributes;
  const resolution = new DeviceResolution({
    identities,
    directory,
    devices,
    profiles,
    saveServer,
    clock,
    events,
  });
  resolution.subscribe();
  return resolution;
}

function createAnnouncements(
  { database, events }: Pick<Core, "database" | "events">,
  onTopics: (integrationId: string) => void,
): AnnouncementRegistry {
  const announced = new AnnouncementRegistry(createAnnouncementsRepository(database), onTopics);
  events.on("integration.deleting", ({ integrationId }) => announced.forget(integrationId));
  return announced;
}

/** Creates the log of messages that integrations received and sent. */
function createEventLog(
  { database, clock, events }: Pick<Core, "database" | "clock" | "events">,
  log: Core["log"],
) {
  const repository = createIntegrationsRepository(database, clock);
  const eventsRepository = createIntegrationEventsRepository(database);
  const eventLog = new EventLog({
    repository: eventsRepository,
    groups: createEventGroupsRepository(database),
    integrations: repository,
    transact: database.transact,
    durable: database.durable,
    onFailed: createFailureReporter({ repository, events }),
    onLogged: createNewEventsPublisher({ repository, events }),
    clock,
    log,
  });
  return { repository, eventsRepository, eventLog };
}

/** Creates the function that stores a part of a message: telemetry, attributes and metadata of its keys. */
function createPartStore(
  { ingest: { ingest }, attributes: { attributes }, profiles: { profiles } }: IntegrationsModules,
  resolution: DeviceResolution,
  onDeviceSeen: PartStoreDeps["onDeviceSeen"],
): MessageWorkerDeps["store"] {
  const describeKeys: PartStoreDeps["describeKeys"] = ({ tenantId, profileId }, keys) =>
    profiles.describeKeys(tenantId, profileId, keys);
  const deps = { resolution, ingest, attributes, describeKeys, onDeviceSeen };
  return (part, input) => storePart(deps, part, input);
}

/** Ports to the module of downlinks. */
const createPorts = () => ({
  /** Discards the integration's waiting downlinks, and then calls `remove`. */
  abandon: new Port<(integrationId: string, remove: () => void) => Promise<void>>("integrations.abandon"),
  /** Called with a network server's report on a downlink. */
  downlinkReported: new Port<MessageWorkerDeps["onDownlink"]>("integrations.downlinkReported"),
  /** Called when a device was received through a network and may accept waiting downlinks. */
  deviceSeen: new Port<PartStoreDeps["onDeviceSeen"]>("integrations.deviceSeen"),
});

type Reply = ConstructorParameters<typeof InboundPipeline>[0]["reply"];

/** Ports to the broker connections, which need the announcements and the pipeline. */
const createBridgePorts = () => ({
  topicsChanged: new Port<(integrationId: string) => void>("integrations.topicsChanged"),
  reply: new Port<Reply>("integrations.reply"),
});

/** Connects decoding, device resolution and storage of received messages. */
function createPipeline(
  { database, clock }: Pick<Core, "database" | "clock">,
  modules: IntegrationsModules,
  parts: {
    readonly repository: ReturnType<typeof createIntegrationsRepository>;
    readonly eventsRepository: ReturnType<typeof createIntegrationEventsRepository>;
    readonly eventLog: EventLog;
    readonly resolution: DeviceResolution;
    readonly ports: ReturnType<typeof createPorts>;
  },
  reply: Reply,
): InboundPipeline {
  const { repository, eventsRepository, eventLog, resolution, ports } = parts;
  const { devices } = modules.devices;
  const { codecs } = modules.codecs;
  const { sandbox } = modules.scripts;
  const worker = new MessageWorker({
    runScript: (run) => sandbox.run(run),
    decodeFrame: createFrameDecoding({ codecs, resolution, devices, sandbox }),
    onDownlink: (integration, report) => ports.downlinkReported.call(integration, report),
    store: createPartStore(modules, resolution, (integration, device, reference) =>
      ports.deviceSeen.call(integration, device, reference),
    ),
  });
  return new InboundPipeline({
    eventLog,
    clock,
    repository: eventsRepository,
    backlog: createBacklog({ repository: eventsRepository, integrations: repository, clock }),
    workThrough: (messages, input) => worker.workThrough(messages, input),
    tokens: createEventTokens(database.secrets("device tokens")),
    reply,
  });
}

function createService(
  { config, data, database, clock, events }: Core,
  {
    devices: { devices },
    profiles: { profiles },
    ingest: { ingest },
    outbound: { reach },
    ...modules
  }: IntegrationsModules,
  parts: {
    readonly repository: ReturnType<typeof createIntegrationsRepository>;
    readonly eventLog: EventLog;
    readonly resolution: DeviceResolution;
    readonly announced: AnnouncementRegistry;
    readonly ports: ReturnType<typeof createPorts>;
  },
) {
  const { repository, eventLog, resolution, announced, ports } = parts;
  const { scripts } = modules;
  const { codecs } = modules.codecs;
  return createIntegrationsService({
    repository,
    eventLog,
    resolution,
    scripts,
    ensureScript: (tenantId, source) => functionsOf(scripts.sandbox, tenantId, source),
    toReadings: ingest.toReadings,
    box: createSealedBox(data.secret("outbound.key", 32), "integrations"),
    decodeFrame: createFrameDecoding({ codecs, resolution, devices, sandbox: scripts.trials }),
    ensureCodecs: codecs.ensureAll,
    ensureProfile: (tenantId, profileId) => void profiles.ensure(tenantId, profileId),
    isMapped: config.integrations_mapping_enabled,
    announced,
    refusalOf: (tenantId, url) => reach.addresses.of(tenantId).refusalOfUrl(url),
    abandon: (integrationId, remove) => ports.abandon.call(integrationId, remove),
    transact: database.transact,
    clock,
    events,
  });
}

/** Creates the integrations of other networks and programs, and their devices. */
export function createIntegrationsModule(core: Core, modules: IntegrationsModules) {
  const { topics } = modules;
  const { metersOf } = modules.tenants.messageRate;
  const { devices, directory } = modules.devices;
  const { profiles } = modules.profiles;
  const { attributes } = modules.attributes;
  const { reach } = modules.outbound;
  const { store } = modules.storage;
  const { usesOf } = modules.codecs;
  const { secrets, endpointsFor, webhooksOf } = modules.connectivity;
  const { responses, bodySpace, database, clock, events, log: root } = core;
  const log = root.child("integrations");
  const ports = createPorts();
  const { repository, eventsRepository, eventLog } = createEventLog(core, log);
  const identities = createDeviceIdentities(database);
  const resolution = createResolution({ clock, events }, modules, identities);
  usesOf.connect((tenantId) => usesOfCodecs(repository.listBriefly(tenantId)));
  const toBridges = createBridgePorts();
  const announced = createAnnouncements(core, (integrationId) => toBridges.topicsChanged.call(integrationId));
  const integrations = createService(core, modules, { repository, eventLog, resolution, announced, ports });
  webhooksOf.connect(integrations.listWebhooks);
  const pipeline = createPipeline(
    core,
    modules,
    { repository, eventsRepository, eventLog, resolution, ports },
    (...sent) => toBridges.reply.call(...sent),
  );
  const bridges = createBridges({
    integrations,
    announced,
    eventLog,
    repository,
    pipeline,
    reach,
    topics,
    clock,
    events,
    log,
  });
  toBridges.topicsChanged.connect((integrationId) => bridges.fleet.topicsChanged(integrationId));
  toBridges.reply.connect(bridges.reply);
  const announcing = createOwnAnnouncementsModule(core, {
    devices,
    profiles,
    attributes,
    repository,
    topics,
    latest: (deviceIds) => store.latestScalars(deviceIds),
  });
  const integrationEvents = createIntegrationEventsService({
    repository: eventsRepository,
    integrations,
    eventLog,
    pipeline,
  });
  const { liveOf } = integrations;
  const pending = new PendingMessages({ repository: eventsRepository, pipeline, liveOf, clock, log });
  const webhookDeps = { integrations, pipeline, secrets, directory, metersOf, clock, events };
  const webhooks = createWebhooksService(webhookDeps);
  return {
    integrations,
    repository,
    identities,
    eventLog,
    /** Returns the command that a device has announced under a key. */
    announcedCommand: (integration: Integration, externalId: string, key: string) =>
      announced.of(integration)?.command(externalId, key),
    /** Publishes over the integration's own connection to a broker. */
    publish: (integrationId: string, message: BrokerMessage) => bridges.fleet.publish(integrationId, message),
    ...ports,
    routes: (auth: AuthPlugin) => [
      integrationsRoutes({
        integrations,
        integrationEvents,
        bridgeOf: (integrationId) => bridges.fleet.stateOf(integrationId),
        hasWebhookSecret: (tenantId) => secrets.status(tenantId).hasSecret,
        endpointsFor,
        responses,
        auth,
      }),
      discoveredNetworksRoutes({ repository, topics, announced, auth }),
      webhooksRoutes({ webhooks, bodySpace, clock }),
    ],
    /** Starts before scripts and ends after them: it notes what became of their messages. */
    eventLogParts: [
      { name: "integration events", start: () => eventLog.start(), stop: () => eventLog.stop() },
    ],
    parts: [
      { name: "pending messages", start: () => pending.start(), stop: () => pending.stop() },
      ...announcing.parts,
      { name: "broker connections", start: () => bridges.fleet.start(), stop: () => bridges.fleet.stop() },
    ],
  };
}

export type IntegrationsModule = ReturnType<typeof createIntegrationsModule>;
