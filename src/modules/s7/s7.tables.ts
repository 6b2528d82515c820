import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { connectionColumns, unitColumns } from "../field/field.tables.ts";
import type { S7Tag } from "./s7.types.ts";

/** Siemens S7 controllers. */
export const s7Connections = sqliteTable(
  "s7_connections",
  {
    ...connectionColumns(),
    rack: integer("rack").notNull(),
    slot: integer("slot").notNull(),
  },
  (table) => [uniqueIndex("s7_connections_name").on(table.tenantId, table.name)],
);

/** Tags that the connections read, by device. */
export const s7Units = sqliteTable(
  "s7_units",
  {
    s7UnitId: text("s7_unit_id").primaryKey(),
    ...unitColumns(() => s7Connections.connectionId),
    tags: text("tags", { mode: "json" }).notNull().$type<readonly S7Tag[]>(),
  },
  (table) => [
    uniqueIndex("s7_units_device").on(table.deviceId),
    index("s7_units_connection").on(table.connectionId),
  ],
);
