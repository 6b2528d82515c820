import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Settings of the gateway that users change at runtime, by name. */
export const gatewaySettings = sqliteTable("gateway_settings", {
  name: text("name").primaryKey(),
  /** Sealed JSON, which may contain passwords and keys. */
  valueSealed: text("value_sealed").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
