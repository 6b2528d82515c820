import { createFieldModule, type FieldCore, type FieldModules } from "../field/field.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { bacnetProtocol } from "./bacnet.protocol.ts";
import { bacnetConnectionResource } from "./bacnet.resource.ts";
import {
  bacnetConnectionsRoutes,
  bacnetObjectMapsRoutes,
  bacnetSearchRoutes,
  bacnetUnitsRoutes,
} from "./bacnet.routes.ts";
import { bacnetConnections, bacnetUnits } from "./bacnet.tables.ts";
import { createDeviceSearch } from "./device-search.ts";

/** Creates the module that reads BACnet/IP devices. */
export function createBacnetModule(core: FieldCore, modules: FieldModules) {
  const { service: bacnet, parts } = createFieldModule(core, modules, {
    protocol: bacnetProtocol,
    tables: {
      connections: bacnetConnections,
      units: bacnetUnits,
      unitId: "bacnetUnitId",
      entries: "objects",
      unitOrder: "createdAt",
    },
    store: bacnetConnectionResource.createStore(core.database, core.clock),
  });
  const search = createDeviceSearch(modules.outbound.reach.addresses);
  return {
    routes: (auth: AuthPlugin) => [
      bacnetConnectionsRoutes({ bacnet, auth }),
      bacnetUnitsRoutes({ bacnet, auth }),
      bacnetObjectMapsRoutes({ auth }),
      bacnetSearchRoutes({ search, auth }),
    ],
    parts,
  };
}
