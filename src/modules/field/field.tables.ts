import { integer, type SQLiteColumn, text } from "drizzle-orm/sqlite-core";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { devices } from "../devices/devices.tables.ts";
import { tenants } from "../tenants/tenants.tables.ts";

/** Columns of the connections of every protocol. */
export const connectionColumns = () => ({
  connectionId: text("connection_id").primaryKey(),
  tenantId: text("tenant_id")
    .notNull()
    .$type<TenantId>()
    .references(() => tenants.tenantId, { onDelete: "cascade" }),
  name: text("name").notNull(),
  enabled: integer("enabled", { mode: "boolean" }).notNull(),
  /** Address or name. */
  host: text("host").notNull(),
  port: integer("port").notNull(),
  timeoutMs: integer("timeout_ms").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** Columns of the units of every protocol. A device has the values of one unit. */
export const unitColumns = (connectionId: () => SQLiteColumn) => ({
  connectionId: text("connection_id").notNull().references(connectionId, { onDelete: "cascade" }),
  deviceId: text("device_id")
    .notNull()
    .$type<DeviceId>()
    .references(() => devices.deviceId, { onDelete: "cascade" }),
  intervalMs: integer("interval_ms").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
