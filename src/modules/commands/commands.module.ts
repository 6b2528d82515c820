import { Port } from "../../platform/core/port.ts";
import { createMonotonicNow } from "../../platform/time/clock.ts";
import type { AttributesModule } from "../attributes/attributes.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import type { ScriptResult, ScriptRun } from "../script-sandbox/script-sandbox.types.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import { bulkCommandsRoutes } from "./bulk-commands.routes.ts";
import { CommandEngine } from "./command-engine.ts";
import { reduceRequest } from "./command-request.ts";
import { CommandWays } from "./command-ways.ts";
import { createCommandsRepository } from "./commands.repository.ts";
import { commandsRoutes } from "./commands.routes.ts";
import { createCommandsService } from "./commands.service.ts";
import { deviceCommandsRoutes, deviceRequestsRoutes } from "./device-commands.routes.ts";
import { createOwnRequests } from "./own-requests.ts";

/** Creates the commands to devices; the servers of the protocols register their transports. */
export function createCommandsModule(
  { responses, config, database, clock, events, log }: Core,
  modules: {
    readonly devices: DevicesModule;
    readonly profiles: ProfilesModule;
    readonly attributes: AttributesModule;
    readonly storage: StorageModule;
  },
) {
  const { devices, directory, tokens } = modules.devices;
  const { profiles } = modules.profiles;
  const { attributes } = modules.attributes;
  const { store } = modules.storage;
  const now = createMonotonicNow(clock);
  const repository = createCommandsRepository(database);
  const ways = new CommandWays(directory);
  const engine = new CommandEngine({
    repository,
    transport: ways,
    relay: ways.relay,
    clock,
    now,
    retentionTime: () => clock.retentionTime(),
    events,
    log: log.child("commands"),
  });
  engine.subscribe();
  /** Runs a script that responds to a device's request. */
  const runScript = new Port<(run: ScriptRun) => Promise<ScriptResult>>("commands.runScript");
  const ownRequests = createOwnRequests({
    config,
    clock,
    log: log.child("requests"),
    profiles,
    attributes,
    latestJson: (...query) => store.latestJson(...query),
    runScript: (run) => runScript.call(run),
  });
  const commands = createCommandsService({ repository, engine, devices, directory, now });
  return {
    commands,
    engine,
    ways,
    ownRequests,
    runScript,
    checkCommand: reduceRequest,
    routes: (auth: AuthPlugin) => [
      commandsRoutes({ commands, responses, auth }),
      bulkCommandsRoutes({ commands, auth }),
      deviceCommandsRoutes({ engine, tokens }),
      deviceRequestsRoutes({ tokens, ownRequests }),
    ],
    parts: [{ name: "commands", start: () => engine.start(), stop: () => engine.stop() }],
  };
}

export type CommandsModule = ReturnType<typeof createCommandsModule>;
