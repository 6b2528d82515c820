import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import type { CommandEngine } from "../modules/commands/command-engine.ts";
import type { CommandTransport } from "../modules/commands/commands.types.ts";
import { DEV_EUI_KEY } from "../modules/devices/devices.repository.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import { createDownlinkAttempt, type DownlinkAttemptDeps } from "../modules/downlinks/downlink-attempt.ts";
import { createDownlinkEvents } from "../modules/downlinks/downlink-events.ts";
import { createDownlinkLife } from "../modules/downlinks/downlink-life.ts";
import { createDownlinkSender } from "../modules/downlinks/downlink-sender.ts";
import { createDownlinkWays } from "../modules/downlinks/downlink-ways.ts";
import { createDownlinksRepository } from "../modules/downlinks/downlinks.repository.ts";
import { createDownlinksService, type DownlinksService } from "../modules/downlinks/downlinks.service.ts";
import { wayOf } from "../modules/downlinks/network-servers.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import {
  type DeviceIdentities,
  EXTERNAL_ID_KEY,
} from "../modules/integrations/device-identities.repository.ts";
import type { EventLog } from "../modules/integrations/event-log.service.ts";
import type { IntegrationsRepository } from "../modules/integrations/integrations.repository.ts";
import type { IntegrationsService } from "../modules/integrations/integrations.service.ts";
import type {
  DeviceReference,
  DownlinkReport,
  Integration,
} from "../modules/integrations/integrations.types.ts";
import { type Clock, createSteadyNow } from "../platform/clock.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";
import { version } from "../version.ts";
import type { OutboundReach } from "./outbound.ts";

/** Wires the way back to devices of LoRaWAN networks. */
export function createDownlinks(deps: {
  database: MainDatabase;
  devices: Pick<DevicesService, "ensureVisible">;
  attributes: Pick<AttributesService, "valueOf">;
  identities: DeviceIdentities;
  repository: Pick<IntegrationsRepository, "find" | "list">;
  integrations: () => Pick<IntegrationsService, "ensure" | "readyOf">;
  eventLog: Pick<EventLog, "add">;
  reach: Pick<OutboundReach, "exchange" | "isHost">;
  publish: DownlinkAttemptDeps["publish"];
  encode: DownlinkAttemptDeps["encode"];
  commandEngine: Pick<CommandEngine, "delivered" | "answered" | "listening" | "wayOpened">;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): {
  downlinks: DownlinksService;
  radio: CommandTransport;
  onDownlink: (integration: Integration, report: DownlinkReport) => void;
  onHeard: (integration: Integration, device: IngestDevice, reference: DeviceReference) => void;
  downlinksPart: Part;
} {
  const { database, attributes, commandEngine, clock, log } = deps;
  const { transact } = database;
  const now = createSteadyNow(clock);
  const repository = createDownlinksRepository(database);
  const readyOf = (integration: Integration) => deps.integrations().readyOf(integration);
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

  function canSend(integration: Integration): boolean {
    const { status, type, settings } = integration;
    if ((status !== "active" && status !== "error") || settings.downlink === undefined) return false;
    if (type !== "CHIRPSTACK" && type !== "THE_THINGS_STACK") return false;
    return wayOf(settings.downlink) === "rest" || settings.mqtt !== undefined;
  }

  const ways = createDownlinkWays({
    repository,
    namesOf: (deviceId) => ({
      devEui: text(attributes.valueOf(deviceId, "SERVER", DEV_EUI_KEY)),
      networkDeviceId: text(attributes.valueOf(deviceId, "SERVER", EXTERNAL_ID_KEY)),
    }),
    sendersOf: (tenantId) => deps.repository.list(tenantId).filter(canSend),
  });
  const downlinkEvents = createDownlinkEvents(deps);
  const life = createDownlinkLife({
    repository,
    commands: () => commandEngine,
    transact,
    onFailed: downlinkEvents.failed,
    clock,
    now,
  });
  const attempt = createDownlinkAttempt({
    ...deps,
    exchange: deps.reach.exchange,
    isHost: deps.reach.isHost,
    routeOf: ways.routeOf,
    userAgent: `Lineside/${version}`,
    wallClock: () => clock.now(),
  });
  const sender = createDownlinkSender({
    repository,
    attempt,
    life,
    readyOf(integrationId) {
      const integration = deps.repository.find(integrationId);
      return integration && readyOf(integration);
    },
    onAttempted: downlinkEvents.attempted,
    clock,
    now,
    random: Math.random,
    log: log.child("downlinks"),
  });
  const downlinks = createDownlinksService({
    repository,
    attempt,
    life,
    sender,
    ways,
    ensure: (...asked) => deps.integrations().ensure(...asked),
    readyOf,
    ensureDevice: (...asked) => deps.devices.ensureVisible(...asked),
    findByDevEui: (...asked) => deps.identities.findByDevEui(...asked),
    // Later: whoever hands the command over writes first that it was sent.
    refuse: ({ deviceId, rpcId }, error) =>
      queueMicrotask(() => void commandEngine.answered(deviceId, rpcId, { error })),
    durable: () => database.durable(),
    now,
  });
  deps.events.on("integration.deleting", ({ integrationId }) => downlinks.abandon(integrationId));
  deps.events.on("integration.changed", ({ integrationId }) => {
    sender.hasten(integrationId);
    commandEngine.wayOpened();
  });
  return {
    downlinks,
    radio: {
      send: (command) => (downlinks.carry(command) ? "kept" : false),
      keepsFor: (deviceId) => downlinks.carriesTo(deviceId),
    },
    onDownlink: ({ integrationId }, report) => void life.reported(integrationId, report),
    onHeard(integration, { deviceId }, reference) {
      ways.heard(integration, reference);
      commandEngine.listening(deviceId);
    },
    downlinksPart: { name: "downlinks", start: () => sender.start(), stop: () => sender.stop() },
  };
}
