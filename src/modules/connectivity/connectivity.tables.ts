import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";
import { tenants } from "../tenants/tenants.tables.ts";

/** Secrets with which network servers and other programs authenticate webhooks. Only hashes are stored. */
export const webhookSecrets = sqliteTable("webhook_secrets", {
  tenantId: text("tenant_id")
    .$type<TenantId>()
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: "cascade" }),
  hash: text("hash").notNull(),
  updatedAt: integer("updated_at").notNull(),
  /** Hash of the previous secret, if it is still valid for a while. */
  oldHash: text("old_hash"),
  oldUntil: integer("old_until"),
});
