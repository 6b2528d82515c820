import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { createRefusalsRepository } from "./refusals.repository.ts";
import { refusalsRoutes } from "./refusals.routes.ts";
import { Refusals } from "./refusals.service.ts";

/** Creates the module that counts and lists refused credentials of all edges. */
export function createRefusalsModule(
  { database, ports, clock, events, log }: Core,
  deps: { tenants: TenantsService; devices: DevicesService; directory: DeviceDirectory },
) {
  const repository = createRefusalsRepository(database);
  const refusals = new Refusals({ repository, ports, clock, events, log: log.child("refusals") });
  refusals.subscribe();
  return {
    refusals,
    parts: [{ name: "refusals", start: () => refusals.start(), stop: () => refusals.stop() }],
    routes: (auth: AuthPlugin) => refusalsRoutes({ ...deps, refusals, auth }),
  };
}
