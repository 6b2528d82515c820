import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { defineResource } from "../api/resource.ts";
import { connectionOperations, connectionResource } from "../field/connection-resource.ts";
import { connectionBody, createConnectionBody, updateConnectionBody } from "./opcua.schemas.ts";
import { opcuaConnections } from "./opcua.tables.ts";

export const opcuaConnectionResource = defineResource({
  name: "opcua_connection",
  table: opcuaConnections,
  ...connectionResource,
  parameter: "opcuaConnectionId",
  path: "/api/opcua/connections",
  tag: "opcua",
  notFound: () => notFound("opcua.connection_not_found"),
  unique: [{ column: "name", taken: () => conflict("opcua.name_taken") }],
  limit: { max: 100, reached: (max) => conflict("opcua.too_many", { max }) },
  schemas: { item: connectionBody, create: createConnectionBody, update: updateConnectionBody },
  operations: connectionOperations({
    connection: "an OPC UA connection",
    lists: "OPC UA servers",
    begins: "connects immediately and keeps the session open",
    rules: {
      create: {
        description:
          "With a security mode it connects only to a server whose certificate has the accepted fingerprint.",
        errors: {
          400: "A mode other than NONE has no policy, or signing in with a user name has no `userName`.",
        },
      },
      update: {
        description:
          "Another address forgets the accepted certificate and the password unless the change has them.",
        errors: {
          400: "A mode other than NONE has no policy, or signing in with a user name has no `userName`.",
        },
      },
    },
    examples: {
      create: { name: "Filling line", host: "192.168.1.80", path: "/server" },
      update: { storesUncertain: true },
    },
  }),
});

export type OpcUaConnectionRecord = typeof opcuaConnectionResource.$item;
