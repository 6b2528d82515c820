import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeviceId } from "../../lib/core/ids.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";
import type { ChangeCursor } from "./uplink.protocol.ts";
import type { UplinkOptions } from "./uplinks.types.ts";

/** Uplinks: targets to which the gateway sends stored data. The progress of telemetry is in the telemetry file. */
export const uplinks = sqliteTable(
  "uplinks",
  {
    uplinkId: text("uplink_id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** Settings of the target without their secrets. */
    target: text("target", { mode: "json" }).notNull().$type<Readonly<Record<string, unknown>>>(),
    /** Sealed object of secrets by path in the settings. */
    secrets: text("secrets"),
    options: text("options", { mode: "json" }).notNull().$type<UplinkOptions>(),
    /** Last delivered changes of attributes, alarms and devices. */
    cursor: text("cursor", { mode: "json" }).notNull().$type<ChangeCursor>(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [index("uplinks_tenant").on(table.tenantId, table.name)],
);

/** Created, changed or deleted devices, until all uplinks have sent the change. */
export const uplinkDeviceChanges = sqliteTable(
  "uplink_device_changes",
  {
    /** Unique and ascending in order of arrival; never reused. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    tenantId: tenantColumn(),
    deviceId: text("device_id").$type<DeviceId>().notNull(),
    change: text("change", { enum: ["created", "updated", "deleted"] }).notNull(),
    /** Name and type at the time of the change. */
    name: text("name").notNull(),
    deviceType: text("device_type").notNull(),
    at: integer("at").notNull(),
  },
  (table) => [index("uplink_device_changes_tenant").on(table.tenantId, table.seq)],
);
