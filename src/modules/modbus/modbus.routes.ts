import { readRequest, readResponse } from "../../lib/modbus/modbus-pdu.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import { connectionToWire, fieldMapRoutes, fieldUnitRoutes, unitOperations } from "../field/field.routes.ts";
import type { FieldService } from "../field/field.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { ModbusKind } from "./modbus.protocol.ts";
import { modbusConnectionResource } from "./modbus.resource.ts";
import {
  createUnitBody,
  readBody,
  readResponseBody,
  registerMapBody,
  registerMapResponseBody,
  templateBody,
  unitBody,
  updateUnitBody,
} from "./modbus.schemas.ts";
import { modbusTemplates } from "./modbus-templates.ts";
import { readRegisterMap } from "./register-map.ts";

interface RoutesDeps {
  readonly modbus: FieldService<ModbusKind>;
  readonly auth: AuthPlugin;
}

export const modbusConnectionsRoutes = ({ modbus, auth }: RoutesDeps) =>
  resourceRoutes(modbusConnectionResource, {
    service: modbus,
    toWire: connectionToWire,
    read: ({ principal }, id) => itemToWire(modbus.get(principal, id).connection),
    auth,
  }).post(
    "/:connectionId/read",
    async ({ principal, params, body: { unitId, ...range } }) => {
      const values = await modbus.perform(principal, params.connectionId, async (line) =>
        readResponse(range, await line.request(unitId, readRequest(range))),
      );
      return { area: range.area, address: range.address, values: [...values] };
    },
    {
      auth: "integrations:read",
      body: readBody,
      response: { 200: readResponseBody },
      detail: {
        operationId: "readModbusRegisters",
        summary: "Read Modbus registers now",
        description: "Reads a range of registers or bits between two regular reads.",
        errors: {
          ...ALL_DEVICES_ONLY,
          404: "The connection is unknown.",
          409: "The connection is not open, or the device refuses; the message names the exception.",
        },
        example: { unitId: 1, area: "HOLDING_REGISTER", address: 0, count: 10 },
      },
    },
  );

export const modbusUnitsRoutes = ({ modbus, auth }: RoutesDeps) =>
  fieldUnitRoutes({
    path: "/api/modbus/connections/:connectionId/units",
    tag: "modbus",
    connection: "connectionId",
    key: "modbusUnitId",
    name: "modbus_unit",
    sort: ["unitId", "deviceName"],
    schemas: { item: unitBody, create: createUnitBody, update: updateUnitBody },
    refusedToWire: (key, exceptionCode) => ({ key, exceptionCode }),
    operations: unitOperations({
      connection: "a Modbus connection",
      entry: "register",
      examples: {
        create: {
          unitId: 1,
          intervalMs: 5_000,
          registers: [{ key: "power", area: "INPUT_REGISTER", address: 52, type: "FLOAT32" }],
        },
        update: { intervalMs: 1_000 },
      },
    }),
    service: modbus,
    auth,
  });

export const modbusRegisterMapsRoutes = ({ auth }: Pick<RoutesDeps, "auth">) =>
  fieldMapRoutes({
    path: "/api/modbus",
    tag: "modbus",
    maps: "register-maps",
    entries: "registers",
    readMap: readRegisterMap,
    schemas: { body: registerMapBody, map: registerMapResponseBody },
    operation: {
      operationId: "parseModbusRegisterMap",
      summary: "Read a register map from CSV",
      description:
        "Returns the registers of a table without storing anything, and the lines that are not registers. At most 1,000 lines are read. Columns: key, area, address, type, order, length, bit, bits, scale, offset, absent, intervalMs, writable.",
      errors: { 400: "The text cannot be read as a table." },
      example: { csv: "key,area,address,type,scale\npower,input,52,float,1" },
    },
    templates: {
      list: modbusTemplates,
      schema: templateBody,
      operation: {
        operationId: "listModbusTemplates",
        summary: "List register maps of common devices",
        description: "Lists the registers of common meters, drives and controllers, to begin with.",
      },
    },
    auth,
  });
