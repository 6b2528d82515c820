import type { AttributesService } from "../../attributes/attributes.service.ts";
import type { AuthPlugin } from "../../identity/identity.plugin.ts";
import type { Core } from "../../module.types.ts";
import type { DeviceActivityTracker } from "../device-activity.ts";
import type { DeviceImports } from "../device-imports.ts";
import type { DevicesService } from "../devices.service.ts";
import { bulkRoutes } from "./bulk.routes.ts";
import { createBulkService } from "./bulk.service.ts";
import { bulkChangesRoutes } from "./bulk-changes.routes.ts";
import { createBulkChanges } from "./bulk-changes.service.ts";

/** Import, export, changes and deletion of many devices. */
export function createBulkModule(
  { answers, events }: Core,
  deps: {
    devices: DevicesService;
    imports: DeviceImports;
    activity: DeviceActivityTracker;
    attributes: AttributesService;
  },
) {
  const { devices, activity } = deps;
  const changes = createBulkChanges({ devices, activityOf: (deviceId) => activity.get(deviceId) });
  const bulk = createBulkService({
    devices,
    imports: deps.imports,
    saveAttributes: deps.attributes.set,
    events,
  });
  return {
    routes: (auth: AuthPlugin) => [
      bulkRoutes({ bulk, answers, auth }),
      bulkChangesRoutes({ changes, devices, auth }),
    ],
  };
}
