import type { CommandEngine } from "../commands/command-engine.ts";
import type { DashboardsService } from "../dashboards/dashboards.service.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { Core } from "../module.types.ts";
import type { OverviewPins } from "../overview/overview-pins.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import { createDemoPlantRepository } from "./demo-plant.repository.ts";
import { demoPlantRoutes } from "./demo-plant.routes.ts";
import { createDemoPlantService } from "./demo-plant.service.ts";
import { DemoPlantEngine } from "./demo-plant-engine.ts";

/** The simulated factory, which sends as devices do. */
export function createDemoPlantModule(
  { database, clock, events, log }: Core,
  deps: {
    devices: DevicesService;
    directory: DeviceDirectory;
    profiles: ProfilesService;
    dashboards: DashboardsService;
    pins: OverviewPins;
    ingest: IngestService;
    commands: CommandEngine;
  },
) {
  const { devices, directory, profiles, dashboards, pins, ingest, commands } = deps;
  const repository = createDemoPlantRepository(database);
  const findDevice: DeviceDirectory["find"] = (deviceId) => directory.find(deviceId);
  const engine = new DemoPlantEngine({
    ingest,
    findDevice,
    commands,
    onRemembered({ tenantId }, deviceId) {
      const plant = repository.find(tenantId);
      if (plant === undefined) return;
      const { parts } = plant;
      repository.save({ ...plant, parts: { ...parts, remembered: [...parts.remembered, deviceId] } });
    },
    clock,
    random: Math.random,
    log: log.child("demo plant"),
  });
  events.on("tenant.deleted", ({ tenantId }) => void engine.end(tenantId));
  const demoPlant = createDemoPlantService({
    repository,
    engine,
    devices,
    profiles,
    dashboards,
    ingest,
    findDevice,
    pins,
    transact: database.transact,
    clock,
  });
  return {
    routes: (auth: AuthPlugin) => [demoPlantRoutes({ demoPlant, auth })],
    parts: [
      {
        name: "demo plant",
        start: () => engine.start(repository.listRunning()),
        stop: () => engine.stop(),
      },
    ],
  };
}
