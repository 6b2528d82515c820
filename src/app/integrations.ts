import type { TenantId } from "../lib/ids.ts";
import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import type { CodecsService } from "../modules/codecs/codecs.service.ts";
import { functionsOf } from "../modules/codecs/script-check.ts";
import type { CommandEngine } from "../modules/commands/command-engine.ts";
import type { CommandTransport } from "../modules/commands/commands.types.ts";
import type { WebhookSecretsService } from "../modules/connectivity/webhook-secrets.service.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import { createDownlinkCodec } from "../modules/downlinks/downlink-codec.ts";
import type { DownlinksService } from "../modules/downlinks/downlinks.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { IngestService } from "../modules/ingest/ingest.service.ts";
import type { BridgeFleet } from "../modules/integrations/bridge/bridge-fleet.ts";
import { createDeviceIdentities } from "../modules/integrations/device-identities.repository.ts";
import { createDeviceResolution } from "../modules/integrations/device-resolution.ts";
import { createEventLog } from "../modules/integrations/event-log.service.ts";
import { createFrameDecoding } from "../modules/integrations/frame-decoding.ts";
import { createInboundPipeline } from "../modules/integrations/inbound-pipeline.ts";
import { createIntegrationEventsRepository } from "../modules/integrations/integration-events.repository.ts";
import {
  createIntegrationEventsService,
  type IntegrationEventsService,
} from "../modules/integrations/integration-events.service.ts";
import { createIntegrationsRepository } from "../modules/integrations/integrations.repository.ts";
import {
  createIntegrationsService,
  type IntegrationsService,
} from "../modules/integrations/integrations.service.ts";
import { createMessageWorker } from "../modules/integrations/message-worker.ts";
import { createPendingMessages } from "../modules/integrations/pending-messages.ts";
import { createWaitingRoom } from "../modules/integrations/waiting-room.ts";
import { createWebhooksService, type WebhooksService } from "../modules/integrations/webhooks.service.ts";
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { DataDirectory } from "../platform/data-directory.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";
import { createSealedBox } from "../platform/sealed-box.ts";
import { createBridges } from "./bridges.ts";
import { createDownlinks } from "./downlinks.ts";
import type { OutboundReach } from "./outbound.ts";
import { createScripts } from "./scripts.ts";

export interface IntegrationsContext {
  readonly config: Config;
  readonly data: DataDirectory;
  readonly database: MainDatabase;
  readonly devices: DevicesService;
  readonly directory: DeviceDirectory;
  readonly profiles: ProfilesService;
  readonly attributes: AttributesService;
  readonly ingest: IngestService;
  readonly commandEngine: Pick<CommandEngine, "delivered" | "answered" | "listening" | "wayOpened">;
  readonly secrets: WebhookSecretsService;
  readonly reach: OutboundReach;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/** Wires what comes from other networks: their messages, and the devices behind them. */
export function createIntegrations(context: IntegrationsContext): {
  integrations: IntegrationsService;
  integrationEvents: IntegrationEventsService;
  webhooks: WebhooksService;
  codecs: CodecsService;
  bridgeOf: BridgeFleet["stateOf"];
  hasWebhookSecret: (tenantId: TenantId) => boolean;
  downlinks: DownlinksService;
  radio: CommandTransport;
  clock: Clock;
  integrationsPart: Part;
} {
  const { config, data, database, directory, profiles, attributes, ingest, clock, events, log } = context;
  const { transact } = database;
  const repository = createIntegrationsRepository(database);
  const eventsRepository = createIntegrationEventsRepository(database);
  const eventLog = createEventLog({
    repository: eventsRepository,
    integrations: repository,
    transact,
    durable: () => database.durable(),
    onLogged(integrationId) {
      const tenantId = repository.find(integrationId)?.tenantId;
      if (tenantId !== undefined) events.emit("integration.events", { tenantId, integrationId });
    },
    clock,
    log,
  });
  const identities = createDeviceIdentities(database);
  const resolution = createDeviceResolution({
    ...context,
    identities,
    saveServer: (...attribute) => attributes.saveServer(...attribute),
  });
  const { sandbox, trials, codecs } = createScripts({ database, integrations: repository, clock, log });
  const { run: runScript } = sandbox;
  const toDecode = { ...context, codecs, resolution };
  const decodeFrame = createFrameDecoding({ ...toDecode, run: runScript });
  const { downlinks, radio, onDownlink, onHeard, downlinksPart } = createDownlinks({
    ...context,
    identities,
    repository,
    integrations: () => integrations,
    eventLog,
    publish: (...message) => bridges.fleet.publish(...message),
    encode: createDownlinkCodec({ sandbox, codecs, devices: context.devices }),
  });
  const pipeline = createInboundPipeline({
    eventLog,
    repository: eventsRepository,
    waitingRoom: createWaitingRoom({ repository: eventsRepository, clock }),
    workThrough: createMessageWorker({
      resolution,
      ingest,
      attributes,
      runScript,
      decodeFrame,
      onDownlink,
      onHeard,
    }),
    reply: (integration, replies) => bridges.reply(integration, replies),
    clock,
  });
  const integrations = createIntegrationsService({
    repository,
    eventLog,
    resolution,
    scripts: { ...sandbox, run: trials.run },
    ensureScript: (tenantId, source) => functionsOf(sandbox, tenantId, source),
    toReadings: ingest.toReadings,
    box: createSealedBox(data.secret("outbound.key", 32), "integrations"),
    decodeFrame: createFrameDecoding({ ...toDecode, run: trials.run }),
    ensureCodecs: codecs.ensureAll,
    ensureProfile: (tenantId, profileId) => void profiles.ensure(tenantId, profileId),
    isMapped: config.integrations_mapping_enabled,
    refusalOf: (tenantId, url) => context.reach.addresses.of(tenantId).refusalOfUrl(url),
    transact,
    clock,
    events,
  });
  const integrationEvents = createIntegrationEventsService({
    repository: eventsRepository,
    integrations,
    eventLog,
    pipeline,
  });
  const pending = createPendingMessages({
    repository: eventsRepository,
    pipeline,
    liveOf: integrations.liveOf,
    clock,
    log,
  });
  const webhooks = createWebhooksService({
    integrations,
    pipeline,
    secrets: context.secrets,
    directory,
    clock,
  });
  const bridges = createBridges({ ...context, integrations, repository, pipeline });
  return {
    integrations,
    integrationEvents,
    webhooks,
    codecs,
    bridgeOf: bridges.fleet.stateOf,
    hasWebhookSecret: (tenantId) => context.secrets.status(tenantId).hasSecret,
    downlinks,
    radio,
    clock,
    integrationsPart: {
      name: "integrations",
      start() {
        eventLog.start();
        sandbox.start();
        trials.start();
        pending.start();
        bridges.fleet.start();
        void downlinksPart.start?.();
      },
      async stop() {
        await downlinksPart.stop?.();
        await bridges.fleet.stop();
        pending.stop();
        await Promise.all([sandbox.stop(), trials.stop()]);
        eventLog.stop();
      },
    },
  };
}
