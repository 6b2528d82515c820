import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { devices } from "../devices/devices.tables.ts";

/** Devices in maintenance; a row is deleted when its time is over. */
export const deviceMaintenance = sqliteTable("device_maintenance", {
  deviceId: text("device_id")
    .$type<DeviceId>()
    .primaryKey()
    .references(() => devices.deviceId, { onDelete: "cascade" }),
  tenantId: text("tenant_id").$type<TenantId>().notNull(),
  since: integer("since").notNull(),
  until: integer("until").notNull(),
  reason: text("reason").notNull(),
  by: text("by").notNull(),
});
