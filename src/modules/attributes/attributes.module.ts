import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { createAttributeChangesRepository } from "./attribute-changes.repository.ts";
import { createAttributeSearch } from "./attribute-search.repository.ts";
import { createAttributesRepository } from "./attributes.repository.ts";
import { attributesRoutes } from "./attributes.routes.ts";
import { createAttributesService } from "./attributes.service.ts";

/** Creates the attributes of devices, and their history. */
export function createAttributesModule(
  { config, database, responses, clock, events }: Core,
  modules: { readonly devices: DevicesModule },
) {
  const { devices, activity } = modules.devices;
  const attributes = createAttributesService({
    repository: createAttributesRepository(database),
    changes: createAttributeChangesRepository(database, config.attribute_changes_max),
    devices,
    activityOf: (deviceId) => activity.get(deviceId),
    transact: database.transact,
    clock,
    events,
  });
  return {
    attributes,
    search: createAttributeSearch(database),
    routes: (auth: AuthPlugin) => [attributesRoutes({ attributes, responses, auth })],
    parts: [{ name: "attributes", stop: () => attributes.stop() }],
  };
}

export type AttributesModule = ReturnType<typeof createAttributesModule>;
