import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { NEEDS_ALL } from "../field/field.schemas.ts";
import { defineResource } from "../resource.ts";
import { connectionBody, createConnectionBody, updateConnectionBody } from "./modbus.schemas.ts";
import { modbusConnections } from "./modbus.tables.ts";

export const modbusConnectionResource = defineResource({
  name: "modbus_connection",
  table: modbusConnections,
  key: "connectionId",
  path: "/api/modbus/connections",
  tag: "modbus",
  permissions: { read: "integrations:read", write: "integrations:write" },
  order: { by: "name", ignoresCase: true },
  list: { sort: ["name", "host", "createdAt", "updatedAt"], search: ["name", "host"] },
  // Runners tell by it whether they run the newest version.
  isVersioned: true,
  notFound: () => notFound("modbus.connection_not_found"),
  unique: [{ column: "name", taken: () => conflict("modbus.name_taken") }],
  limit: { max: 100, reached: (max) => conflict("modbus.too_many", { max }) },
  schemas: { item: connectionBody, create: createConnectionBody, update: updateConnectionBody },
  operations: {
    list: {
      summary: "List Modbus connections",
      description: "Lists the Modbus TCP servers and serial lines that the gateway reads, with their states.",
    },
    create: {
      summary: "Create a Modbus connection",
      description: `The gateway connects immediately and keeps the connection open; if there is no response, it retries after 1 s to 60 s. 409 if another connection has the name. ${NEEDS_ALL}`,
      example: { name: "Energy meters", host: "192.168.1.50", port: 502, framing: "TCP" },
    },
    get: { summary: "Read a Modbus connection", description: "404 unknown." },
    update: {
      summary: "Change a Modbus connection",
      description: `Every change reconnects. 404 unknown; 409 if another connection has the name. ${NEEDS_ALL}`,
      example: { pauseMs: 50 },
    },
    delete: {
      summary: "Delete a Modbus connection",
      description: `Its units are deleted too; the devices and their values stay. 404 unknown. ${NEEDS_ALL}`,
    },
  },
});

/** A Modbus TCP server, or a serial line: behind a device server or at a port of the gateway. */
export type ModbusConnectionRecord = typeof modbusConnectionResource.$item;
