import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DeviceId, UserId } from "../../lib/core/ids.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";

/** Credentials of programs. They belong to the tenant, and remain when their creator leaves. */
export const apiKeys = sqliteTable(
  "api_keys",
  {
    apiKeyId: text("api_key_id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    /** SHA-256 of the whole key: 238 random bits need no slow hash. */
    secretHash: text("secret_hash").notNull(),
    /** First characters of the key, which identify it to users. */
    hint: text("hint").notNull(),
    role: text("role", { enum: ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] }).notNull(),
    /** True if the key sees its creator's devices instead of its own list. */
    hasGlobalDeviceAccess: integer("has_global_device_access", { mode: "boolean" }).notNull(),
    /** User who created the key; `null` if it was created on the command line. */
    createdBy: text("created_by").$type<UserId>(),
    createdAt: integer("created_at").notNull(),
    /** Time of expiry; `null` for never. */
    expiresAt: integer("expires_at"),
    /** Epoch ms, about a minute late; null if never used. */
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [
    uniqueIndex("api_keys_secret").on(table.secretHash),
    uniqueIndex("api_keys_name").on(table.tenantId, table.name),
    index("api_keys_creator").on(table.createdBy),
  ],
);

/** Devices visible to keys with their own list of devices. */
export const apiKeyDevices = sqliteTable(
  "api_key_devices",
  {
    apiKeyId: text("api_key_id")
      .notNull()
      .references(() => apiKeys.apiKeyId, { onDelete: "cascade" }),
    deviceId: text("device_id").$type<DeviceId>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.apiKeyId, table.deviceId] }),
    index("api_key_devices_device").on(table.deviceId),
  ],
);
