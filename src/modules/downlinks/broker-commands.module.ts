import type { DeviceId } from "../../lib/ids.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import type { CommandEngine } from "../commands/command-engine.ts";
import type { CommandWays } from "../commands/command-ways.ts";
import type { createIntegrationsModule } from "../integrations/integrations.module.ts";
import { EXTERNAL_ID_KEY, INTEGRATION_ID_KEY } from "../integrations/integrations.types.ts";
import type { Core } from "../module.types.ts";
import { BrokerCommands } from "./broker-commands.ts";

/** Creates the transport of commands to devices of brokers, and registers it. */
export function createBrokerCommands(
  { events, clock, log }: Pick<Core, "events" | "clock" | "log">,
  deps: {
    attributes: Pick<AttributesService, "valueOf" | "saveServer">;
    integrations: Pick<
      ReturnType<typeof createIntegrationsModule>,
      "repository" | "publish" | "announcedCommand"
    >;
    commands: Pick<CommandEngine, "answered" | "left" | "wayOpened">;
    ways: Pick<CommandWays, "add">;
  },
): BrokerCommands {
  const { attributes, integrations, commands } = deps;
  const textOf = (deviceId: DeviceId, key: string) => {
    const value = attributes.valueOf(deviceId, "SERVER", key);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const brokerCommands = new BrokerCommands({
    commands,
    externalIdOf: (deviceId) => textOf(deviceId, EXTERNAL_ID_KEY),
    savedIntegrationOf: (deviceId) => textOf(deviceId, INTEGRATION_ID_KEY),
    saveIntegration: (deviceId, integrationId) =>
      attributes.saveServer(deviceId, INTEGRATION_ID_KEY, integrationId),
    list: (tenantId) => integrations.repository.list(tenantId),
    announcedCommand: integrations.announcedCommand,
    publish: integrations.publish,
    now: () => clock.now(),
    log: log.child("commands"),
  });
  deps.ways.add("broker", brokerCommands);
  // The connection to a broker may have been restored.
  events.on("integration.events", () => commands.wayOpened());
  return brokerCommands;
}
