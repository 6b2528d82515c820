import type { CommandEngine } from "../modules/commands/command-engine.ts";
import type { DashboardsService } from "../modules/dashboards/dashboards.service.ts";
import { createDemoPlantModule } from "../modules/demo-plant/demo-plant.module.ts";
import { createGeneratorsModule } from "../modules/generators/generators.module.ts";
import type { Core } from "../modules/module.types.ts";
import { OverviewPins } from "../modules/overview/overview-pins.service.ts";
import type { SettingsService } from "../modules/settings/settings.service.ts";
import type { DeviceModules } from "./base-modules.ts";

/** Generators and the demo plant: telemetry of machines that do not exist. */
export function createSimulationModules(
  core: Core,
  { fleet, profiling, ingesting, storage }: DeviceModules,
  deps: { settings: SettingsService; dashboards: DashboardsService; commands: CommandEngine },
) {
  const { devices, directory } = fleet;
  const { ingest } = ingesting;
  const { settings, dashboards, commands } = deps;
  const generators = createGeneratorsModule(core, { devices, directory, ingest, store: storage.store });
  const demoPlant = createDemoPlantModule(core, {
    devices,
    directory,
    profiles: profiling.profiles,
    dashboards,
    pins: new OverviewPins({ settings, devices, clock: core.clock }),
    ingest,
    commands,
  });
  return { generators, demoPlant };
}
