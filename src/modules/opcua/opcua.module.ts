import { hostname } from "node:os";
import { join } from "node:path";
import { OpcUaThread } from "../../platform/opcua/opcua-thread.ts";
import { createFieldModule, type FieldCore, type FieldModules } from "../field/field.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { createOpcUaProtocol } from "./opcua.protocol.ts";
import { opcuaConnectionResource } from "./opcua.resource.ts";
import {
  opcuaConnectionsRoutes,
  opcuaItemMapsRoutes,
  opcuaServersRoutes,
  opcuaUnitsRoutes,
} from "./opcua.routes.ts";
import { opcuaConnections, opcuaUnits } from "./opcua.tables.ts";

/** Folder of the OPC UA library in the data directory. */
const FOLDER = "opcua";

/** Creates the module that reads OPC UA servers. */
export function createOpcUaModule(core: FieldCore & Pick<Core, "config">, modules: FieldModules) {
  const thread = new OpcUaThread({
    folder: join(core.config.data, FOLDER),
    secrets: join(core.config.data, "secrets"),
    hostName: hostname(),
  });
  const { service: opcua, parts } = createFieldModule(core, modules, {
    protocol: createOpcUaProtocol({ thread, box: core.database.secrets("opcua") }),
    tables: {
      connections: opcuaConnections,
      units: opcuaUnits,
      unitId: "opcuaUnitId",
      entries: "items",
      unitOrder: "createdAt",
    },
    store: opcuaConnectionResource.createStore(core.database, core.clock),
  });
  const { reach } = modules.outbound;
  return {
    routes: (auth: AuthPlugin) => [
      opcuaConnectionsRoutes({ opcua, auth }),
      opcuaUnitsRoutes({ opcua, auth }),
      opcuaItemMapsRoutes({ auth }),
      opcuaServersRoutes({ opcua, thread, reach, auth }),
    ],
    parts,
  };
}
