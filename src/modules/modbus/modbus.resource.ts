import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { defineResource } from "../api/resource.ts";
import { connectionOperations, connectionResource } from "../field/connection-resource.ts";
import { connectionBody, createConnectionBody, updateConnectionBody } from "./modbus.schemas.ts";
import { modbusConnections } from "./modbus.tables.ts";

export const modbusConnectionResource = defineResource({
  name: "modbus_connection",
  table: modbusConnections,
  ...connectionResource,
  path: "/api/modbus/connections",
  tag: "modbus",
  notFound: () => notFound("modbus.connection_not_found"),
  unique: [{ column: "name", taken: () => conflict("modbus.name_taken") }],
  limit: { max: 100, reached: (max) => conflict("modbus.too_many", { max }) },
  schemas: { item: connectionBody, create: createConnectionBody, update: updateConnectionBody },
  operations: connectionOperations({
    connection: "a Modbus connection",
    lists: "Modbus TCP servers and serial lines",
    examples: {
      create: { name: "Energy meters", host: "192.168.1.50", port: 502, framing: "TCP" },
      update: { pauseMs: 50 },
    },
  }),
});

/** Modbus TCP server or serial line; the line is behind a device server or at a port of the gateway. */
export type ModbusConnectionRecord = typeof modbusConnectionResource.$item;
