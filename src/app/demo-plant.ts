import type { CommandEngine } from "../modules/commands/command-engine.ts";
import type { DashboardsService } from "../modules/dashboards/dashboards.service.ts";
import { createDemoPlantEngine } from "../modules/demo-plant/demo-plant.engine.ts";
import { createDemoPlantRepository } from "../modules/demo-plant/demo-plant.repository.ts";
import { createDemoPlantService, type DemoPlantService } from "../modules/demo-plant/demo-plant.service.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { IngestService } from "../modules/ingest/ingest.service.ts";
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import type { Clock } from "../platform/clock.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";

/** Wires the simulated factory, which sends as devices do. */
export function createDemoPlant(deps: {
  database: MainDatabase;
  devices: DevicesService;
  profiles: ProfilesService;
  dashboards: DashboardsService;
  directory: DeviceDirectory;
  ingest: IngestService;
  commandEngine: CommandEngine;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): { demoPlant: DemoPlantService; demoPlantPart: Part } {
  const { database, directory, ingest, commandEngine, clock, events, log } = deps;
  const repository = createDemoPlantRepository(database);
  const findDevice: DeviceDirectory["find"] = (deviceId) => directory.find(deviceId);
  const engine = createDemoPlantEngine({
    ingest,
    findDevice,
    commands: commandEngine,
    onRemembered({ tenantId }, deviceId) {
      const plant = repository.find(tenantId);
      if (plant === undefined) return;
      const { parts } = plant;
      repository.save({ ...plant, parts: { ...parts, remembered: [...parts.remembered, deviceId] } });
    },
    clock,
    random: Math.random,
    log,
  });
  events.on("tenant.deleted", ({ tenantId }) => void engine.end(tenantId));
  return {
    demoPlant: createDemoPlantService({
      ...deps,
      repository,
      engine,
      findDevice,
      transact: database.transact,
    }),
    demoPlantPart: {
      name: "demo plant",
      start: () => engine.start(repository.listRunning()),
      stop: () => engine.stop(),
    },
  };
}
