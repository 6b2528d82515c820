import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { apiKeys } from "../api-keys/api-keys.tables.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";
import { MQTT_SIGN_INS } from "./mqtt-clients.types.ts";

/** MQTT clients that use their own topics. */
export const mqttClients = sqliteTable(
  "mqtt_clients",
  {
    mqttClientId: text("mqtt_client_id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    signIn: text("sign_in", { enum: MQTT_SIGN_INS }).notNull(),
    /** PASSWORD only; unique among the clients and devices of the tenant. */
    username: text("username"),
    passwordHash: text("password_hash"),
    /** CERTIFICATE only: SHA-256, 64 lower-case hexadecimal digits. */
    fingerprint: text("fingerprint"),
    /** End of the certificate's validity, epoch ms; null if only a fingerprint was given. */
    validTo: integer("valid_to"),
    /** API_KEY only. */
    apiKeyId: text("api_key_id").references(() => apiKeys.apiKeyId, { onDelete: "cascade" }),
    publish: text("publish", { mode: "json" }).notNull().$type<readonly string[]>(),
    subscribe: text("subscribe", { mode: "json" }).notNull().$type<readonly string[]>(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** Max. published messages per second; null for the gateway's default. */
    messagesPerSecond: integer("messages_per_second"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("mqtt_clients_name").on(table.tenantId, table.name),
    uniqueIndex("mqtt_clients_api_key").on(table.apiKeyId),
  ],
);
