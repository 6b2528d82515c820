import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { devices } from "../devices/devices.tables.ts";

export const attributes = sqliteTable(
  "attributes",
  {
    deviceId: text("device_id")
      .notNull()
      .references(() => devices.deviceId, { onDelete: "cascade" }),
    scope: text("scope", { enum: ["SERVER", "SHARED", "CLIENT"] }).notNull(),
    key: text("key").notNull(),
    /** JSON text. */
    value: text("value").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.scope, table.key] }),
    index("attributes_key").on(table.key),
  ],
);
