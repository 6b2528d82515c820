import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { tenants } from "../tenants/tenants.tables.ts";

export const users = sqliteTable(
  "users",
  {
    userId: text("user_id").primaryKey(),
    /** Null until the user has chosen a tenant (onboarding). */
    tenantId: text("tenant_id").references(() => tenants.tenantId, { onDelete: "cascade" }),
    email: text("email").notNull().unique(),
    fullName: text("full_name").notNull().default(""),
    role: text("role", { enum: ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] }).notNull(),
    status: text("status", { enum: ["ACTIVE", "DISABLED"] }).notNull(),
    canAcknowledgeAlarms: integer("can_acknowledge_alarms", { mode: "boolean" }).notNull().default(false),
    hasGlobalDeviceAccess: integer("has_global_device_access", { mode: "boolean" }).notNull().default(true),
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
      .notNull()
      .references(() => users.userId, { onDelete: "cascade" }),
    deviceId: text("device_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.deviceId] })],
);
