import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { apiKeys } from "../api-keys/api-keys.tables.ts";
import { tenants } from "../tenants/tenants.tables.ts";

/** Clients of the broker with topics of their own. */
export const mqttClients = sqliteTable(
  "mqtt_clients",
  {
    mqttClientId: text("mqtt_client_id").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.tenantId, { onDelete: "cascade" }),
    name: text("name").notNull(),
    signIn: text("sign_in", { enum: ["PASSWORD", "CERTIFICATE", "API_KEY"] }).notNull(),
    username: text("username"),
    passwordHash: text("password_hash"),
    fingerprint: text("fingerprint"),
    validTo: integer("valid_to"),
    apiKeyId: text("api_key_id").references(() => apiKeys.apiKeyId, { onDelete: "cascade" }),
    publish: text("publish", { mode: "json" }).notNull().$type<readonly string[]>(),
    subscribe: text("subscribe", { mode: "json" }).notNull().$type<readonly string[]>(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    messagesPerSecond: integer("messages_per_second"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("mqtt_clients_name").on(table.tenantId, table.name),
    uniqueIndex("mqtt_clients_api_key").on(table.apiKeyId),
  ],
);
