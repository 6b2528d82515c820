import type { AttributesService } from "../../attributes/attributes.service.ts";
import type { AuthPlugin } from "../../identity/identity.plugin.ts";
import type { DevicesService } from "../devices.service.ts";
import { bulkRoutes } from "./bulk.routes.ts";
import { createBulkService } from "./bulk.service.ts";

/** Import and export of many devices with their attributes. */
export function createBulkModule(deps: { devices: DevicesService; attributes: AttributesService }) {
  const bulk = createBulkService({ devices: deps.devices, saveAttributes: deps.attributes.set });
  return { routes: (auth: AuthPlugin) => [bulkRoutes({ bulk, auth })] };
}
