import { nonBlank } from "../../lib/core/defined.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import type { CommandEngine } from "../commands/command-engine.ts";
import type { CommandWays } from "../commands/command-ways.ts";
import type { createIntegrationsModule } from "../integrations/integrations.module.ts";
import type { Integration } from "../integrations/integrations.resource.ts";
import { EXTERNAL_ID_KEY, INTEGRATION_ID_KEY, SHARED_SENT_KEY } from "../integrations/integrations.types.ts";
import type { Core } from "../module.types.ts";
import { BrokerCommands, isInUse } from "./broker-commands.ts";
import { SharedAttributes } from "./shared-attributes.ts";

interface BrokerTransports {
  /** Reports that a device sent a message through an integration. */
  seen(integration: Integration, deviceId: DeviceId): void;
}

/** Creates and registers the transports of commands and SHARED attributes to devices of brokers. */
export function createBrokerCommands(
  { events, clock, log }: Pick<Core, "events" | "clock" | "log">,
  deps: {
    attributes: Pick<AttributesService, "valueOf" | "saveServer" | "sharedSince">;
    integrations: Pick<
      ReturnType<typeof createIntegrationsModule>,
      "integrations" | "repository" | "publish" | "announcedCommand"
    >;
    commands: Pick<CommandEngine, "answered" | "left" | "wayOpened">;
    ways: Pick<CommandWays, "add">;
  },
): BrokerTransports {
  const { attributes, integrations, commands } = deps;
  const attributeOf = (deviceId: DeviceId, key: string) =>
    nonBlank(attributes.valueOf(deviceId, "SERVER", key));
  const brokerCommands = new BrokerCommands({
    commands,
    externalIdOf: (deviceId) => attributeOf(deviceId, EXTERNAL_ID_KEY),
    savedIntegrationOf: (deviceId) => attributeOf(deviceId, INTEGRATION_ID_KEY),
    saveIntegration: (deviceId, integrationId) =>
      attributes.saveServer(deviceId, INTEGRATION_ID_KEY, integrationId),
    find: integrations.repository.find,
    announcedCommand: integrations.announcedCommand,
    metricType: ({ integrationId }, externalId, name) =>
      integrations.integrations.liveOf(integrationId)?.adapter.metricType?.(externalId, name),
    publish: integrations.publish,
    now: () => clock.now(),
    log: log.child("commands"),
  });
  deps.ways.add("broker", brokerCommands);
  const sharedAttributes = new SharedAttributes({
    externalIdOf: (deviceId) => attributeOf(deviceId, EXTERNAL_ID_KEY),
    integrationOf(deviceId) {
      const id = attributeOf(deviceId, INTEGRATION_ID_KEY);
      const integration = id === undefined ? undefined : integrations.repository.findAcrossTenants(id);
      return integration && isInUse(integration) ? integration : undefined;
    },
    changesSince: attributes.sharedSince,
    sentChange: (deviceId) => Number(attributes.valueOf(deviceId, "SERVER", SHARED_SENT_KEY) ?? 0),
    saveSent: (deviceId, changeId) => attributes.saveServer(deviceId, SHARED_SENT_KEY, changeId),
    publish: integrations.publish,
    log: log.child("shared attributes"),
  });
  events.on("attributes.changed", ({ deviceId, scope }) => {
    if (scope === "SHARED") sharedAttributes.changed(deviceId);
  });
  events.on("integration.changed", () => sharedAttributes.recheck());
  // The connection to a broker may have been restored.
  events.on("integration.events", () => {
    commands.wayOpened();
    sharedAttributes.retry();
  });
  return {
    seen(integration, deviceId) {
      brokerCommands.seen(integration, deviceId);
      sharedAttributes.seen(integration, deviceId);
    },
  };
}
