import { integer, type SQLiteColumn, text } from "drizzle-orm/sqlite-core";
import { deviceColumn } from "../devices/devices.tables.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";

/** Returns the connection columns common to all protocols. */
export const connectionColumns = () => ({
  connectionId: text("connection_id").primaryKey(),
  tenantId: tenantColumn(),
  name: text("name").notNull(),
  enabled: integer("enabled", { mode: "boolean" }).notNull(),
  /** IP address or host name. */
  host: text("host").notNull(),
  port: integer("port").notNull(),
  timeoutMs: integer("timeout_ms").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** Returns the unit columns common to all protocols. A device has the values of at most one unit. */
export const unitColumns = (connectionId: () => SQLiteColumn) => ({
  connectionId: text("connection_id").notNull().references(connectionId, { onDelete: "cascade" }),
  deviceId: deviceColumn(),
  intervalMs: integer("interval_ms").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
