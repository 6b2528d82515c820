import { createSteadyNow } from "../../platform/clock.ts";
import { Port } from "../../platform/port.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { TokenSignIn } from "../devices/token-sign-in.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { ScriptResult, ScriptRun } from "../script-sandbox/script-sandbox.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import { bulkCommandsRoutes } from "./bulk-commands.routes.ts";
import { CommandEngine } from "./command-engine.ts";
import { reduceRequest } from "./command-request.ts";
import { CommandWays } from "./command-ways.ts";
import { createCommandsRepository } from "./commands.repository.ts";
import { commandsRoutes } from "./commands.routes.ts";
import { createCommandsService } from "./commands.service.ts";
import { deviceCommandsRoutes, deviceRequestsRoutes } from "./device-commands.routes.ts";
import { createOwnRequests } from "./own-requests.ts";

/** Commands to devices; the servers of the protocols add the ways on which they go out. */
export function createCommandsModule(
  { config, database, clock, events, log }: Core,
  deps: {
    devices: DevicesService;
    profiles: ProfilesService;
    directory: DeviceDirectory;
    tokens: TokenSignIn;
    attributes: AttributesService;
    store: Pick<TelemetryStore, "latest">;
  },
) {
  const { devices, profiles, directory, tokens } = deps;
  const now = createSteadyNow(clock);
  const repository = createCommandsRepository(database);
  const ways = new CommandWays(directory);
  const engine = new CommandEngine({
    repository,
    transport: ways,
    relay: ways.relay,
    clock,
    now,
    events,
    log: log.child("commands"),
  });
  engine.subscribe();
  /** Runs the script that answers a request of a device. */
  const runScript = new Port<(run: ScriptRun) => Promise<ScriptResult>>("commands.runScript");
  const ownRequests = createOwnRequests({
    config,
    clock,
    log: log.child("requests"),
    profiles,
    attributes: deps.attributes,
    latest: (...query) => deps.store.latest(...query),
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
      commandsRoutes({ commands, auth }),
      bulkCommandsRoutes({ commands, auth }),
      deviceCommandsRoutes({ engine, tokens }),
      deviceRequestsRoutes({ tokens, ownRequests }),
    ],
    parts: [{ name: "commands", start: () => engine.start(), stop: () => engine.stop() }],
  };
}
