import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { NEEDS_ALL } from "../field/field.schemas.ts";
import { defineResource } from "../resource.ts";
import { connectionBody, createConnectionBody, updateConnectionBody } from "./s7.schemas.ts";
import { s7Connections } from "./s7.tables.ts";

export const s7ConnectionResource = defineResource({
  name: "s7_connection",
  table: s7Connections,
  key: "connectionId",
  parameter: "s7ConnectionId",
  path: "/api/s7/connections",
  tag: "s7",
  permissions: { read: "integrations:read", write: "integrations:write" },
  order: { by: "name", ignoresCase: true },
  list: { sort: ["name", "host", "createdAt", "updatedAt"], search: ["name", "host"] },
  // Runners tell by it whether they run the newest version.
  isVersioned: true,
  notFound: () => notFound("s7.connection_not_found"),
  unique: [{ column: "name", taken: () => conflict("s7.name_taken") }],
  limit: { max: 100, reached: (max) => conflict("s7.too_many", { max }) },
  schemas: { item: connectionBody, create: createConnectionBody, update: updateConnectionBody },
  operations: {
    list: {
      summary: "List S7 connections",
      description: "Lists the Siemens S7 controllers that the gateway reads, with their states.",
    },
    create: {
      summary: "Create an S7 connection",
      description: `The gateway connects immediately and keeps the connection open; if there is no response, it retries after 0.5 s to 3 s. 409 if another connection has the name. ${NEEDS_ALL}`,
      example: { name: "Press 4", host: "192.168.1.60", rack: 0, slot: 1 },
    },
    get: { summary: "Read an S7 connection", description: "404 unknown." },
    update: {
      summary: "Change an S7 connection",
      description: `Every change reconnects. 404 unknown; 409 if another connection has the name. ${NEEDS_ALL}`,
      example: { slot: 2 },
    },
    delete: {
      summary: "Delete an S7 connection",
      description: `Its units are deleted too; the devices and their values stay. 404 unknown. ${NEEDS_ALL}`,
    },
  },
});

export type S7ConnectionRecord = typeof s7ConnectionResource.$item;
