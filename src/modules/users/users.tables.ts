import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type AlarmSeverity, SEVERITIES_DEFAULT } from "../../lib/alarms/severity.ts";
import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import { tenants } from "../tenants/tenants.tables.ts";

export const users = sqliteTable(
  "users",
  {
    userId: text("user_id").$type<UserId>().primaryKey(),
    /** `null` until the user has a tenant (onboarding). */
    tenantId: text("tenant_id")
      .$type<TenantId>()
      .references(() => tenants.tenantId, { onDelete: "cascade" }),
    email: text("email").notNull().unique(),
    fullName: text("full_name").notNull().default(""),
    role: text("role", { enum: ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] }).notNull(),
    status: text("status", { enum: ["ACTIVE", "DISABLED"] }).notNull(),
    canAcknowledgeAlarms: integer("can_acknowledge_alarms", { mode: "boolean" }).notNull().default(false),
    hasGlobalDeviceAccess: integer("has_global_device_access", { mode: "boolean" }).notNull().default(true),
    hasGlobalAssetAccess: integer("has_global_asset_access", { mode: "boolean" }).notNull().default(false),
    notificationsEmailEnabled: integer("notifications_email_enabled", { mode: "boolean" })
      .notNull()
      .default(true),
    notificationsMessagingEnabled: integer("notifications_messaging_enabled", { mode: "boolean" })
      .notNull()
      .default(false),
    notificationPhone: text("notification_phone").notNull().default(""),
    /** Escalation level (1 to 3) from which the user is notified of an alarm. */
    notificationEscalationLevel: integer("notification_escalation_level").notNull().default(1),
    notificationSeverities: text("notification_severities", { mode: "json" })
      .notNull()
      .$type<AlarmSeverity[]>()
      .default([...SEVERITIES_DEFAULT]),
    notifyOnAlarmCreated: integer("notify_on_alarm_created", { mode: "boolean" }).notNull().default(true),
    notifyOnAlarmEscalated: integer("notify_on_alarm_escalated", { mode: "boolean" }).notNull().default(true),
    notifyOnAlarmCleared: integer("notify_on_alarm_cleared", { mode: "boolean" }).notNull().default(false),
    /** Delivery of the user's invitation. */
    inviteDelivery: text("invite_delivery", { enum: ["EMAIL", "MANUAL"] })
      .notNull()
      .default("MANUAL"),
    /** Time at which the user signed in with the address or confirmed it; null before. */
    confirmedAt: integer("confirmed_at"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [index("users_tenant").on(table.tenantId)],
);

/** Devices that a user without global access may see. */
export const userDevices = sqliteTable(
  "user_devices",
  {
    userId: text("user_id")
      .$type<UserId>()
      .notNull()
      .references(() => users.userId, { onDelete: "cascade" }),
    deviceId: text("device_id").$type<DeviceId>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.deviceId] }),
    index("user_devices_device").on(table.deviceId),
  ],
);

/** Assets that a user may see, including devices with one as their `assetId`. */
export const userAssets = sqliteTable(
  "user_assets",
  {
    userId: text("user_id")
      .$type<UserId>()
      .notNull()
      .references(() => users.userId, { onDelete: "cascade" }),
    assetId: text("asset_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.assetId] })],
);
