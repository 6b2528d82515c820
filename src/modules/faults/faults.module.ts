import type { DeviceId } from "../../lib/core/ids.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { createFaultsRepository } from "./faults.repository.ts";
import { faultsRoutes } from "./faults.routes.ts";
import { Faults } from "./faults.service.ts";
import { refusalsRoutes } from "./refusals.routes.ts";
import { SubjectNames } from "./subject-names.ts";

/** Creates the log of faults at all edges and for all objects. */
export function createFaultsModule(
  { database, ports, clock, events, log }: Core,
  modules: { readonly tenants: TenantsModule; readonly devices: DevicesModule },
) {
  const { tenants } = modules.tenants;
  const { devices, directory } = modules.devices;
  const repository = createFaultsRepository(database);
  const faults = new Faults({ repository, ports, clock, events, log: log.child("faults") });
  faults.subscribe();
  const subjects = new SubjectNames();
  subjects.add("device", { nameOf: (id) => directory.find(id as DeviceId)?.name }); // written by us
  return {
    faults,
    subjects,
    parts: [{ name: "faults", start: () => faults.start(), stop: () => faults.stop() }],
    routes: (auth: AuthPlugin) => [
      ...faultsRoutes({ tenants, subjects, faults, auth }),
      ...refusalsRoutes({ tenants, devices, subjects, faults, auth }),
    ],
  };
}

export type FaultsModule = ReturnType<typeof createFaultsModule>;
