import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { connectionColumns, unitColumns } from "../field/field.tables.ts";
import type { BacnetObject } from "./bacnet.types.ts";

/** BACnet/IP devices, and devices behind BACnet routers. */
export const bacnetConnections = sqliteTable(
  "bacnet_connections",
  {
    ...connectionColumns(),
    deviceInstance: integer("device_instance").notNull(),
    /** Network of a device behind a router; the next column has its address there in hexadecimal digits. */
    network: integer("network"),
    mac: text("mac"),
  },
  (table) => [uniqueIndex("bacnet_connections_name").on(table.tenantId, table.name)],
);

/** Objects that the connections read, by device. */
export const bacnetUnits = sqliteTable(
  "bacnet_units",
  {
    bacnetUnitId: text("bacnet_unit_id").primaryKey(),
    ...unitColumns(() => bacnetConnections.connectionId),
    objects: text("objects", { mode: "json" }).notNull().$type<readonly BacnetObject[]>(),
  },
  (table) => [
    uniqueIndex("bacnet_units_device").on(table.deviceId),
    index("bacnet_units_connection").on(table.connectionId),
  ],
);
