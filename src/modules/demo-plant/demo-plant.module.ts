import type { CommandsModule } from "../commands/commands.module.ts";
import type { DashboardsModule } from "../dashboards/dashboards.module.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestModule } from "../ingest/ingest.module.ts";
import type { Core } from "../module.types.ts";
import { OverviewPins } from "../overview/overview-pins.service.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import type { SettingsModule } from "../settings/settings.module.ts";
import { createDemoPlantRepository } from "./demo-plant.repository.ts";
import { demoPlantRoutes } from "./demo-plant.routes.ts";
import { createDemoPlantService } from "./demo-plant.service.ts";
import { DemoPlantEngine } from "./demo-plant-engine.ts";

/** Creates the simulated factory, which sends data like devices. */
export function createDemoPlantModule(
  { database, clock, events, log }: Core,
  modules: {
    readonly settings: SettingsModule;
    readonly devices: DevicesModule;
    readonly profiles: ProfilesModule;
    readonly dashboards: DashboardsModule;
    readonly ingest: IngestModule;
    readonly commands: CommandsModule;
  },
) {
  const { settings } = modules.settings;
  const { devices, directory } = modules.devices;
  const { profiles } = modules.profiles;
  const { dashboards } = modules.dashboards;
  const { ingest } = modules.ingest;
  const { engine: commands } = modules.commands;
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
    pins: new OverviewPins({ settings, devices, clock }),
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
