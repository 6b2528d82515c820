import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";

export const tenants = sqliteTable("tenants", {
  tenantId: text("tenant_id").$type<TenantId>().primaryKey(),
  name: text("name").notNull(),
  planName: text("plan_name").notNull(),
  /** True for the gateway's own tenant, created by the setup. */
  isHost: integer("is_host", { mode: "boolean" }).notNull().default(false),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** Returns the column of a row's tenant, with which the row is deleted. */
export const tenantColumn = () =>
  text("tenant_id")
    .$type<TenantId>()
    .notNull()
    .references(() => tenants.tenantId, { onDelete: "cascade" });

/** Settings of a tenant, for example its branding. */
export const tenantAttributes = sqliteTable(
  "tenant_attributes",
  {
    tenantId: tenantColumn(),
    key: text("key").notNull(),
    /** JSON string. */
    value: text("value").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.key] })],
);
