import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { createMaintenanceRepository } from "./maintenance.repository.ts";
import { bulkMaintenanceRoutes, maintenanceRoutes } from "./maintenance.routes.ts";
import { createMaintenanceService } from "./maintenance.service.ts";
import { MaintenanceWatch } from "./maintenance-watch.ts";

/** Creates the maintenance windows of devices, during which alarms are muted. */
export function createMaintenanceModule(
  { database, clock, events, log }: Core,
  modules: { readonly devices: DevicesModule },
) {
  const { devices } = modules.devices;
  const repository = createMaintenanceRepository(database);
  const watch = new MaintenanceWatch({ repository, clock, events, log: log.child("maintenance") });
  watch.subscribe();
  const maintenance = createMaintenanceService({ watch, devices, clock });
  return {
    maintenance,
    watch,
    routes: (auth: AuthPlugin) => [
      maintenanceRoutes({ maintenance, auth }),
      bulkMaintenanceRoutes({ maintenance, auth }),
    ],
    parts: [{ name: "maintenance", start: () => watch.start(), stop: () => watch.stop() }],
  };
}

export type MaintenanceModule = ReturnType<typeof createMaintenanceModule>;
