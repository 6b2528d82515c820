import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { DeviceId, ProfileId } from "../../lib/core/ids.ts";
import { deviceProfiles } from "../profiles/profiles.tables.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";

export const devices = sqliteTable(
  "devices",
  {
    deviceId: text("device_id").$type<DeviceId>().primaryKey(),
    tenantId: tenantColumn(),
    profileId: text("profile_id")
      .$type<ProfileId>()
      .notNull()
      .references(() => deviceProfiles.profileId),
    name: text("name").notNull(),
    label: text("label").notNull().default(""),
    deviceType: text("device_type").notNull(),
    assetId: text("asset_id"),
    parentDeviceId: text("parent_device_id")
      .$type<DeviceId>()
      .references((): AnySQLiteColumn => devices.deviceId, {
        onDelete: "set null",
      }),
    /** Name used by its gateway, which may differ from the device's own name. */
    childName: text("child_name"),
    role: text("role", { enum: ["DEVICE", "GATEWAY"] }).notNull(),
    /** `null` if the profile decides. */
    inactivityTimeoutMs: integer("inactivity_timeout_ms"),
    targetDashboardId: text("target_dashboard_id"),
    targetStateId: text("target_state_id"),
    commandTransport: text("command_transport", { enum: ["WS", "MQTT"] }),
    tags: text("tags", { mode: "json" }).notNull().$type<string[]>(),
    /** Keyed hash of the access token, for look-ups. */
    tokenHash: text("token_hash").notNull(),
    /** Sealed access token, for users who may connect devices. */
    tokenSealed: text("token_sealed").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("devices_token").on(table.tokenHash),
    index("devices_name").on(table.tenantId, table.name),
    index("devices_type").on(table.tenantId, table.deviceType),
    // Of children only: a name that is kept without a gateway belongs to nobody.
    uniqueIndex("devices_child").on(table.parentDeviceId, table.childName),
    index("devices_profile").on(table.profileId),
    index("devices_asset").on(table.tenantId, table.assetId),
  ],
);

/** Returns the column of a row's device, with which the row is deleted. */
export const deviceColumn = () =>
  text("device_id")
    .$type<DeviceId>()
    .notNull()
    .references(() => devices.deviceId, { onDelete: "cascade" });

/**
 * Deleted devices whose telemetry may still exist. A database trigger adds them for every deletion: only their telemetry may be deleted without a
 * user's confirmation.
 */
export const deletedDevices = sqliteTable("deleted_devices", {
  deviceId: text("device_id").$type<DeviceId>().primaryKey(),
});

/** Activity of devices, written in batches with a delay of seconds. */
export const deviceActivity = sqliteTable("device_activity", {
  deviceId: text("device_id")
    .$type<DeviceId>()
    .primaryKey()
    .references(() => devices.deviceId, { onDelete: "cascade" }),
  active: integer("active", { mode: "boolean" }).notNull(),
  lastActivityAt: integer("last_activity_at"),
  lastConnectedAt: integer("last_connected_at"),
  lastDisconnectedAt: integer("last_disconnected_at"),
  inactivityAlarmAt: integer("inactivity_alarm_at"),
  /** Average interval between messages, and the observed time. */
  intervalMs: integer("interval_ms").notNull().default(0),
  observedMs: integer("observed_ms").notNull().default(0),
});

/** Default dashboard of a device type, set by `applyToAllOfType`. */
export const deviceTypeDefaults = sqliteTable(
  "device_type_defaults",
  {
    tenantId: tenantColumn(),
    deviceType: text("device_type").notNull(),
    targetDashboardId: text("target_dashboard_id"),
    targetStateId: text("target_state_id"),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.deviceType] })],
);
