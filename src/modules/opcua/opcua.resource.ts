import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { NEEDS_ALL } from "../field/field.schemas.ts";
import { defineResource } from "../resource.ts";
import { connectionBody, createConnectionBody, updateConnectionBody } from "./opcua.schemas.ts";
import { opcuaConnections } from "./opcua.tables.ts";

export const opcuaConnectionResource = defineResource({
  name: "opcua_connection",
  table: opcuaConnections,
  key: "connectionId",
  parameter: "opcuaConnectionId",
  path: "/api/opcua/connections",
  tag: "opcua",
  permissions: { read: "integrations:read", write: "integrations:write" },
  order: { by: "name", ignoresCase: true },
  list: { sort: ["name", "host", "createdAt", "updatedAt"], search: ["name", "host"] },
  // Runners tell by it whether they run the newest version.
  isVersioned: true,
  notFound: () => notFound("opcua.connection_not_found"),
  unique: [{ column: "name", taken: () => conflict("opcua.name_taken") }],
  limit: { max: 100, reached: (max) => conflict("opcua.too_many", { max }) },
  schemas: { item: connectionBody, create: createConnectionBody, update: updateConnectionBody },
  operations: {
    list: {
      summary: "List OPC UA connections",
      description: "Lists the OPC UA servers that the gateway reads, with their states.",
    },
    create: {
      summary: "Create an OPC UA connection",
      description: `The gateway connects immediately and keeps the session open; if there is no response, it retries after 0.5 s to 3 s. With a security mode it connects only to a server whose certificate has the accepted fingerprint. 400 for a mode without a policy, or a user without a name; 409 if another connection has the name. ${NEEDS_ALL}`,
      example: { name: "Filling line", host: "192.168.1.80", path: "/server" },
    },
    get: { summary: "Read an OPC UA connection", description: "404 unknown." },
    update: {
      summary: "Change an OPC UA connection",
      description: `Every change reconnects. Another address forgets the accepted certificate and the password unless the change has them. 400 as for a new one; 404 unknown; 409 if another connection has the name. ${NEEDS_ALL}`,
      example: { storesUncertain: true },
    },
    delete: {
      summary: "Delete an OPC UA connection",
      description: `Its units are deleted too; the devices and their values stay. 404 unknown. ${NEEDS_ALL}`,
    },
  },
});

export type OpcUaConnectionRecord = typeof opcuaConnectionResource.$item;
