import { nonBlank } from "../../lib/core/defined.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { createMonotonicNow } from "../../platform/time/clock.ts";
import type { AttributesModule } from "../attributes/attributes.module.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import type { CodecsModule } from "../codecs/codecs.module.ts";
import type { CommandsModule } from "../commands/commands.module.ts";
import { CommandFailure } from "../commands/commands.types.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import { DEV_EUI_KEY } from "../devices/devices.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IntegrationsModule } from "../integrations/integrations.module.ts";
import type { BriefIntegration } from "../integrations/integrations.resource.ts";
import { EXTERNAL_ID_KEY } from "../integrations/integrations.types.ts";
import type { Core } from "../module.types.ts";
import type { OutboundModule } from "../outbound/outbound.module.ts";
import type { ScriptSandboxModule } from "../script-sandbox/script-sandbox.module.ts";
import { createBrokerCommands } from "./broker-commands.module.ts";
import { createDownlinkAttempt, createDownlinkCodec } from "./downlink-attempt.ts";
import { createDownlinkDelivery, type DownlinkDelivery, targetOf } from "./downlink-delivery.ts";
import { createDownlinkWays } from "./downlink-ways.ts";
import { createDownlinksRepository } from "./downlinks.repository.ts";
import { downlinksRoutes } from "./downlinks.routes.ts";
import { createDownlinksService } from "./downlinks.service.ts";
import { wayOf } from "./network-servers.ts";

interface DownlinksModules {
  readonly devices: DevicesModule;
  readonly attributes: AttributesModule;
  readonly integrations: IntegrationsModule;
  readonly codecs: CodecsModule;
  readonly scripts: ScriptSandboxModule;
  readonly outbound: OutboundModule;
  readonly commands: CommandsModule;
}

const namesIn = (attributes: Pick<AttributesService, "valueOf">, deviceId: DeviceId) => ({
  devEui: nonBlank(attributes.valueOf(deviceId, "SERVER", DEV_EUI_KEY)),
  networkDeviceId: nonBlank(attributes.valueOf(deviceId, "SERVER", EXTERNAL_ID_KEY)),
});

function canSend({ status, type, settings }: BriefIntegration): boolean {
  if ((status !== "active" && status !== "error") || settings.downlink === undefined) return false;
  if (type !== "CHIRPSTACK" && type !== "THE_THINGS_STACK") return false;
  return wayOf(settings.downlink) === "rest" || settings.mqtt !== undefined;
}

const createPart = (
  delivery: Pick<DownlinkDelivery, "start" | "stop">,
  commands: { readonly wayOpened: () => void },
) => ({
  name: "downlinks",
  start() {
    delivery.start();
    commands.wayOpened();
  },
  stop: () => delivery.stop(),
});

/** Connects downlinks to events that end them, to their routes and to their senders. */
function connect(
  { clock, events, log }: Pick<Core, "clock" | "events" | "log">,
  {
    attributes: { attributes },
    integrations,
    commands: { engine: commands, ways: commandWays },
  }: DownlinksModules,
  parts: {
    readonly downlinks: ReturnType<typeof createDownlinksService>;
    readonly delivery: DownlinkDelivery;
    readonly ways: ReturnType<typeof createDownlinkWays>;
  },
): void {
  const { downlinks, ways } = parts;
  const { lifecycle, queue } = parts.delivery;
  events.on("device.deleted", () => queue.rowsDeleted());
  integrations.abandon.connect(downlinks.abandon);
  events.on("integration.changed", (changed) => {
    queue.changed(targetOf(changed), { tryNow: true });
    commands.wayOpened();
  });
  const brokers = createBrokerCommands(
    { events, clock, log },
    { attributes, integrations, commands, ways: commandWays },
  );
  commandWays.add("radio", {
    send: (command) => (downlinks.carry(command) ? "kept" : false),
    keepsFor: (deviceId) => downlinks.carriesTo(deviceId),
  });
  integrations.downlinkReported.connect(({ integrationId }, report) =>
    lifecycle.reported(integrationId, report),
  );
  integrations.deviceSeen.connect((integration, { deviceId }, reference) => {
    ways.uplinkSeen(integration, reference);
    brokers.seen(integration, deviceId);
    commands.listening(deviceId);
  });
}

/** Creates the downlinks to devices of LoRaWAN networks. */
export function createDownlinksModule(
  { responses, database, clock, events, version, log }: Core,
  modules: DownlinksModules,
) {
  const { integrations: integrationsModule } = modules;
  const { devices } = modules.devices;
  const { attributes } = modules.attributes;
  const { codecs } = modules.codecs;
  const { sandbox } = modules.scripts;
  const { reach } = modules.outbound;
  const { engine: commands } = modules.commands;
  const { integrations, repository: integrationsRepository, identities, eventLog } = integrationsModule;
  const now = createMonotonicNow(clock);
  const repository = createDownlinksRepository(database);
  const ways = createDownlinkWays({
    repository,
    namesOf: (deviceId) => namesIn(attributes, deviceId),
    sendersOf: (tenantId) => integrationsRepository.listBriefly(tenantId).filter(canSend),
    find: integrationsRepository.find,
  });
  const attempt = createDownlinkAttempt({
    exchange: reach.exchange,
    isHost: reach.isHost,
    publish: integrationsModule.publish,
    encode: createDownlinkCodec({ sandbox, codecs, devices }),
    routeOf: ways.routeOf,
    userAgent: `Lineside/${version}`,
    wallClock: () => clock.now(),
  });
  const delivery = createDownlinkDelivery({
    repository,
    attempt,
    commands,
    transact: database.transact,
    eventLog,
    readyOf(integrationId) {
      const integration = integrationsRepository.findAcrossTenants(integrationId);
      return integration && integrations.readyOf(integration);
    },
    clock,
    now,
    retentionTime: () => clock.retentionTime(),
    random: Math.random,
    log: log.child("downlinks"),
  });
  const { lifecycle, queue } = delivery;
  const downlinks = createDownlinksService({
    repository,
    attempt,
    lifecycle,
    queue,
    ways,
    ensure: integrations.ensure,
    readyOf: integrations.readyOf,
    ensureDevice: devices.ensureVisible,
    findByDevEui: identities.findByDevEui,
    // Deferred, because the caller first records that the command was sent.
    refuse: ({ deviceId, rpcId }, error) =>
      queueMicrotask(() => void commands.answered(deviceId, rpcId, new CommandFailure(error))),
    durable: database.durable,
    now,
  });
  connect({ clock, events, log }, modules, { downlinks, delivery, ways });
  return {
    routes: (auth: AuthPlugin) => [downlinksRoutes({ downlinks, responses, auth })],
    parts: [createPart(delivery, commands)],
  };
}
