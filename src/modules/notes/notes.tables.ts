import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { deviceColumn } from "../devices/devices.tables.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";

/** Users' notes on a time or time range of a device. */
export const deviceNotes = sqliteTable(
  "device_notes",
  {
    noteId: text("note_id").primaryKey(),
    tenantId: tenantColumn(),
    deviceId: deviceColumn(),
    text: text("text").notNull(),
    at: integer("at").notNull(),
    /** End of a time range; null for a single time. */
    until: integer("until"),
    /** Email address of the author, or name of the API key. */
    by: text("by").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    index("device_notes_device").on(table.deviceId, table.at),
    index("device_notes_tenant").on(table.tenantId, table.at),
  ],
);
