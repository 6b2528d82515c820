import type { DeviceId } from "../../lib/ids.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { createFaultsRepository } from "./faults.repository.ts";
import { faultsRoutes } from "./faults.routes.ts";
import { Faults } from "./faults.service.ts";
import { refusalsRoutes } from "./refusals.routes.ts";
import { SubjectNames } from "./subject-names.ts";

/** Creates the module that keeps what went wrong, at all edges and for all things. */
export function createFaultsModule(
  { database, ports, clock, events, log }: Core,
  deps: { tenants: TenantsService; devices: DevicesService; directory: DeviceDirectory },
) {
  const repository = createFaultsRepository(database);
  const faults = new Faults({ repository, ports, clock, events, log: log.child("faults") });
  faults.subscribe();
  const subjects = new SubjectNames();
  subjects.add("device", { nameOf: (id) => deps.directory.find(id as DeviceId)?.name }); // written by us
  return {
    faults,
    subjects,
    parts: [{ name: "faults", start: () => faults.start(), stop: () => faults.stop() }],
    routes: (auth: AuthPlugin) => [
      ...faultsRoutes({ ...deps, subjects, faults, auth }),
      ...refusalsRoutes({ ...deps, subjects, faults, auth }),
    ],
  };
}
