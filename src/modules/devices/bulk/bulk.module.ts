import type { AttributesModule } from "../../attributes/attributes.module.ts";
import type { AuthPlugin } from "../../identity/identity.plugin.ts";
import type { Core } from "../../module.types.ts";
import type { DevicesModule } from "../devices.module.ts";
import { bulkRoutes } from "./bulk.routes.ts";
import { createBulkService } from "./bulk.service.ts";
import { bulkChangesRoutes } from "./bulk-changes.routes.ts";
import { createBulkChanges } from "./bulk-changes.service.ts";

/** Creates the import, export, changes and deletion of many devices. */
export function createBulkModule(
  { responses, bodySpace, events }: Core,
  modules: { readonly devices: DevicesModule; readonly attributes: AttributesModule },
) {
  const { devices, imports, activity } = modules.devices;
  const { attributes } = modules.attributes;
  const changes = createBulkChanges({ devices, activityOf: (deviceId) => activity.get(deviceId) });
  const bulk = createBulkService({
    devices,
    imports,
    saveAttributes: attributes.set,
    events,
  });
  return {
    routes: (auth: AuthPlugin) => [
      bulkRoutes({ bulk, responses, bodySpace, auth }),
      bulkChangesRoutes({ changes, devices, auth }),
    ],
  };
}
