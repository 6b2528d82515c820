import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { defineResource } from "../api/resource.ts";
import { connectionOperations, connectionResource } from "../field/connection-resource.ts";
import { connectionBody, createConnectionBody, updateConnectionBody } from "./s7.schemas.ts";
import { s7Connections } from "./s7.tables.ts";

export const s7ConnectionResource = defineResource({
  name: "s7_connection",
  table: s7Connections,
  ...connectionResource,
  parameter: "s7ConnectionId",
  path: "/api/s7/connections",
  tag: "s7",
  notFound: () => notFound("s7.connection_not_found"),
  unique: [{ column: "name", taken: () => conflict("s7.name_taken") }],
  limit: { max: 100, reached: (max) => conflict("s7.too_many", { max }) },
  schemas: { item: connectionBody, create: createConnectionBody, update: updateConnectionBody },
  operations: connectionOperations({
    connection: "an S7 connection",
    lists: "Siemens S7 controllers",
    examples: { create: { name: "Press 4", host: "192.168.1.60", rack: 0, slot: 1 }, update: { slot: 2 } },
  }),
});

export type S7ConnectionRecord = typeof s7ConnectionResource.$item;
