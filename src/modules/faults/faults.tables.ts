import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Params } from "../../lib/texts/text.ts";

/** Aggregated faults; one row per entry of the list in memory. */
export const faults = sqliteTable("faults", {
  faultId: text("fault_id").primaryKey(),
  source: text("source").notNull(),
  code: text("code").notNull(),
  params: text("params", { mode: "json" }).notNull().$type<Params>(),
  tenantId: text("tenant_id").$type<TenantId>(),
  subjectKind: text("subject_kind"),
  subjectId: text("subject_id"),
  subjectName: text("subject_name"),
  identityKind: text("identity_kind"),
  identityName: text("identity_name"),
  where: text("where"),
  sample: text("sample"),
  address: text("address"),
  protocol: text("protocol"),
  port: integer("port"),
  client: text("client"),
  firstAt: integer("first_at").notNull(),
  lastAt: integer("last_at").notNull(),
  count: integer("count").notNull(),
});
