import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { defineResource } from "../api/resource.ts";
import { connectionOperations, connectionResource } from "../field/connection-resource.ts";
import { connectionBody, createConnectionBody, updateConnectionBody } from "./bacnet.schemas.ts";
import { bacnetConnections } from "./bacnet.tables.ts";

export const bacnetConnectionResource = defineResource({
  name: "bacnet_connection",
  table: bacnetConnections,
  ...connectionResource,
  parameter: "bacnetConnectionId",
  path: "/api/bacnet/connections",
  tag: "bacnet",
  notFound: () => notFound("bacnet.connection_not_found"),
  unique: [{ column: "name", taken: () => conflict("bacnet.name_taken") }],
  limit: { max: 250, reached: (max) => conflict("bacnet.too_many", { max }) },
  schemas: { item: connectionBody, create: createConnectionBody, update: updateConnectionBody },
  operations: connectionOperations({
    connection: "a BACnet connection",
    lists: "BACnet devices",
    begins: "asks the device at the address for its number immediately",
    examples: {
      create: { name: "Air handling unit 1", host: "192.168.1.70", deviceInstance: 1201 },
      update: { deviceInstance: 1202 },
    },
  }),
});

export type BacnetConnectionRecord = typeof bacnetConnectionResource.$item;
