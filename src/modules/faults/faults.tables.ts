import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Refused credentials, aggregated. There are as many rows as the list in memory has entries. */
export const refusals = sqliteTable("refusals", {
  refusalId: text("refusal_id").primaryKey(),
  edge: text("edge").notNull(),
  reason: text("reason").notNull(),
  address: text("address").notNull(),
  protocol: text("protocol").notNull(),
  port: integer("port"),
  identityKind: text("identity_kind").notNull(),
  identityName: text("identity_name").notNull(),
  client: text("client"),
  tenantId: text("tenant_id"),
  deviceId: text("device_id"),
  userId: text("user_id"),
  firstAt: integer("first_at").notNull(),
  lastAt: integer("last_at").notNull(),
  count: integer("count").notNull(),
});
