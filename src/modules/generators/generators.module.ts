import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { Core } from "../module.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import { GeneratorEngine } from "./generator-engine.ts";
import { createGeneratorsRepository } from "./generators.repository.ts";
import { generatorsRoutes } from "./generators.routes.ts";
import { createGeneratorsService } from "./generators.service.ts";

/** Generators of made-up telemetry, which goes the way that all telemetry goes. */
export function createGeneratorsModule(
  { database, clock, events, log: root }: Core,
  deps: { devices: DevicesService; directory: DeviceDirectory; ingest: IngestService; store: TelemetryStore },
) {
  const { devices, directory, ingest, store } = deps;
  const log = root.child("generators");
  const repository = createGeneratorsRepository(database, clock);
  const engine = new GeneratorEngine({
    ingest,
    findDevice: (deviceId) => directory.find(deviceId),
    latest: (device, keys) => store.latest(device, keys),
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
    routes: (auth: AuthPlugin) => [generatorsRoutes({ generators, auth })],
    parts: [
      { name: "generators", start: () => engine.start(repository.listActive()), stop: () => engine.stop() },
    ],
  };
}
