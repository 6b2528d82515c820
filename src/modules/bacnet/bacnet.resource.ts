import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { NEEDS_ALL } from "../field/field.schemas.ts";
import { defineResource } from "../resource.ts";
import { connectionBody, createConnectionBody, updateConnectionBody } from "./bacnet.schemas.ts";
import { bacnetConnections } from "./bacnet.tables.ts";

export const bacnetConnectionResource = defineResource({
  name: "bacnet_connection",
  table: bacnetConnections,
  key: "connectionId",
  parameter: "bacnetConnectionId",
  path: "/api/bacnet/connections",
  tag: "bacnet",
  permissions: { read: "integrations:read", write: "integrations:write" },
  order: { by: "name", ignoresCase: true },
  list: { sort: ["name", "host", "createdAt", "updatedAt"], search: ["name", "host"] },
  // Runners tell by it whether they run the newest version.
  isVersioned: true,
  notFound: () => notFound("bacnet.connection_not_found"),
  unique: [{ column: "name", taken: () => conflict("bacnet.name_taken") }],
  limit: { max: 250, reached: (max) => conflict("bacnet.too_many", { max }) },
  schemas: { item: connectionBody, create: createConnectionBody, update: updateConnectionBody },
  operations: {
    list: {
      summary: "List BACnet connections",
      description: "Lists the BACnet devices that the gateway reads, with their states.",
    },
    create: {
      summary: "Create a BACnet connection",
      description: `The gateway asks the device at the address for its number immediately; if there is no response, it retries after 0.5 s to 3 s. 409 if another connection has the name. ${NEEDS_ALL}`,
      example: { name: "Air handling unit 1", host: "192.168.1.70", deviceInstance: 1201 },
    },
    get: { summary: "Read a BACnet connection", description: "404 unknown." },
    update: {
      summary: "Change a BACnet connection",
      description: `Every change reconnects. 404 unknown; 409 if another connection has the name. ${NEEDS_ALL}`,
      example: { deviceInstance: 1202 },
    },
    delete: {
      summary: "Delete a BACnet connection",
      description: `Its units are deleted too; the devices and their values stay. 404 unknown. ${NEEDS_ALL}`,
    },
  },
});

export type BacnetConnectionRecord = typeof bacnetConnectionResource.$item;
