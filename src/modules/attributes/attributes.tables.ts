import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";
import { deviceColumn } from "../devices/devices.tables.ts";

export const attributes = sqliteTable(
  "attributes",
  {
    deviceId: deviceColumn(),
    scope: text("scope", { enum: ["SERVER", "SHARED", "CLIENT"] }).notNull(),
    key: text("key").notNull(),
    /** JSON string. */
    value: text("value").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.scope, table.key] }),
    index("attributes_key").on(table.key),
    // What other networks call devices: looked up for their messages.
    index("attributes_dev_eui").on(table.value).where(sql`key = 'integration.lorawan.dev_eui'`),
    index("attributes_external_id").on(table.value).where(sql`key = 'integration.external_id'`),
  ],
);

/** Changes of attributes: new values and authors. */
export const attributeChanges = sqliteTable(
  "attribute_changes",
  {
    /** Id that is never reused, so that a client can request later changes. */
    changeId: integer("change_id").primaryKey({ autoIncrement: true }),
    /** Tenant of the device, so that reading a tenant's changes does not depend on the number of others' changes. */
    tenantId: text("tenant_id").$type<TenantId>().notNull(),
    deviceId: deviceColumn(),
    scope: text("scope", { enum: ["SERVER", "SHARED", "CLIENT"] }).notNull(),
    key: text("key").notNull(),
    /** JSON string; null for a deletion. */
    value: text("value"),
    at: integer("at").notNull(),
    source: text("source", { enum: ["USER", "DEVICE", "SYSTEM"] }).notNull(),
    /** Email address, or name of the key. */
    by: text("by"),
  },
  (table) => [
    index("attribute_changes_device").on(table.deviceId, table.changeId),
    index("attribute_changes_tenant").on(table.tenantId, table.changeId),
  ],
);
