import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Settings of the gateway that people change while it runs, by name. */
export const gatewaySettings = sqliteTable("gateway_settings", {
  name: text("name").primaryKey(),
  /** JSON, sealed: passwords and keys are among it. */
  valueSealed: text("value_sealed").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
