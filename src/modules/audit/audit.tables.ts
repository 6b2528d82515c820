import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import { AUDIT_SHARES } from "./audit-shares.ts";

/** Entries of the audit log; `sequence` is the order of events, independent of the clock. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    auditId: text("audit_id").notNull().unique(),
    /** Tenant of the entry; `null` for an unknown caller, such as a sign-in with an address that has no account. */
    tenantId: text("tenant_id")
      .$type<TenantId>()
      .references(() => tenants.tenantId, { onDelete: "cascade" }),
    at: integer("at").notNull(),
    actorType: text("actor_type", { enum: ["USER", "API_KEY", "COMMAND_LINE", "ANONYMOUS"] }).notNull(),
    actorId: text("actor_id"),
    actorName: text("actor_name").notNull(),
    impersonatorId: text("impersonator_id"),
    impersonatorName: text("impersonator_name"),
    action: text("action").notNull(),
    outcome: text("outcome", { enum: ["SUCCESS", "REFUSED", "FAILED"] }).notNull(),
    /** Share of the log to which the entry counts. */
    share: text("share", { enum: AUDIT_SHARES }).notNull().default("members"),
    holder: text("holder").notNull().default(""),
    targetType: text("target_type"),
    targetId: text("target_id"),
    targetName: text("target_name"),
    /** Network address of the caller. */
    address: text("address"),
    userAgent: text("user_agent"),
    /** JSON of the changed fields, before and after. */
    before: text("before"),
    after: text("after"),
  },
  (table) => [
    index("audit_entries_tenant").on(table.tenantId, table.sequence),
    index("audit_entries_at").on(table.at),
    index("audit_entries_target").on(table.tenantId, table.targetId),
    index("audit_entries_action").on(table.tenantId, table.action),
    index("audit_entries_holder").on(table.tenantId, table.share, table.holder, table.sequence),
  ],
);
