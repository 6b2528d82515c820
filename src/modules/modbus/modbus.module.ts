import { createFieldModule, type FieldCore, type FieldModules } from "../field/field.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { createModbusProtocol } from "./modbus.protocol.ts";
import { modbusConnectionResource } from "./modbus.resource.ts";
import { modbusConnectionsRoutes, modbusRegisterMapsRoutes, modbusUnitsRoutes } from "./modbus.routes.ts";
import { modbusConnections, modbusUnits } from "./modbus.tables.ts";

/** Creates the module that reads Modbus devices over TCP or a serial line. */
export function createModbusModule(core: FieldCore, modules: FieldModules) {
  const { service: modbus, parts } = createFieldModule(core, modules, {
    protocol: createModbusProtocol({ isHost: modules.outbound.reach.isHost }),
    tables: {
      connections: modbusConnections,
      units: modbusUnits,
      unitId: "modbusUnitId",
      entries: "registers",
      unitOrder: "unitId",
    },
    store: modbusConnectionResource.createStore(core.database, core.clock),
  });
  return {
    routes: (auth: AuthPlugin) => [
      modbusConnectionsRoutes({ modbus, auth }),
      modbusUnitsRoutes({ modbus, auth }),
      modbusRegisterMapsRoutes({ auth }),
    ],
    parts,
  };
}
