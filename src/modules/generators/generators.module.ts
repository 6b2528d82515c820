import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestModule } from "../ingest/ingest.module.ts";
import type { Core } from "../module.types.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import { GeneratorEngine } from "./generator-engine.ts";
import { createGeneratorsRepository } from "./generators.repository.ts";
import { generatorsRoutes } from "./generators.routes.ts";
import { createGeneratorsService } from "./generators.service.ts";

/** Creates the generators of simulated telemetry, which use the regular ingest. */
export function createGeneratorsModule(
  { responses, database, clock, events, log: root }: Core,
  modules: {
    readonly devices: DevicesModule;
    readonly ingest: IngestModule;
    readonly storage: StorageModule;
  },
) {
  const { devices, directory } = modules.devices;
  const { ingest } = modules.ingest;
  const { store } = modules.storage;
  const log = root.child("generators");
  const repository = createGeneratorsRepository(database, clock);
  const engine = new GeneratorEngine({
    ingest,
    findDevice: (deviceId) => directory.find(deviceId),
    latest: (device, keys) => store.latestScalars(device, keys),
    onOrphaned: (generator) => generators.pauseOrphaned(generator),
    clock,
    random: Math.random,
    log,
  });
  const generators = createGeneratorsService({
    repository,
    engine,
    devices,
    directory,
    clock,
    events,
    log,
  });
  return {
    routes: (auth: AuthPlugin) => [generatorsRoutes({ generators, responses, auth })],
    parts: [
      { name: "generators", start: () => engine.start(repository.listActive()), stop: () => engine.stop() },
    ],
  };
}
