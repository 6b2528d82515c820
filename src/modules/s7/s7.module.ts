import { createFieldModule, type FieldCore, type FieldModules } from "../field/field.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { s7Protocol } from "./s7.protocol.ts";
import { s7ConnectionResource } from "./s7.resource.ts";
import { s7ConnectionsRoutes, s7TagMapsRoutes, s7UnitsRoutes } from "./s7.routes.ts";
import { s7Connections, s7Units } from "./s7.tables.ts";

/** Creates the module that reads Siemens S7 controllers. */
export function createS7Module(core: FieldCore, modules: FieldModules) {
  const { service: s7, parts } = createFieldModule(core, modules, {
    protocol: s7Protocol,
    tables: {
      connections: s7Connections,
      units: s7Units,
      unitId: "s7UnitId",
      entries: "tags",
      unitOrder: "createdAt",
    },
    store: s7ConnectionResource.createStore(core.database, core.clock),
  });
  return {
    routes: (auth: AuthPlugin) => [
      s7ConnectionsRoutes({ s7, auth }),
      s7UnitsRoutes({ s7, auth }),
      s7TagMapsRoutes({ auth }),
    ],
    parts,
  };
}
