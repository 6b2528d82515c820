import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DeviceId } from "../../lib/core/ids.ts";
import { devices } from "../devices/devices.tables.ts";
import { mqttClients } from "../mqtt-clients/mqtt-clients.tables.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";

/**
 * Names and certificates with which devices and MQTT clients sign in; secret tokens and API keys are stored elsewhere. Unique per tenant only,
 * so a tenant neither collides with nor learns other tenants' names.
 */
export const loginIdentities = sqliteTable(
  "login_identities",
  {
    /** Id of the device or MQTT client. */
    ownerId: text("owner_id").primaryKey(),
    deviceId: text("device_id")
      .$type<DeviceId>()
      .references(() => devices.deviceId, { onDelete: "cascade" }),
    mqttClientId: text("mqtt_client_id").references(() => mqttClients.mqttClientId, { onDelete: "cascade" }),
    tenantId: tenantColumn(),
    kind: text("kind", { enum: ["NAME", "CERTIFICATE"] }).notNull(),
    /** `[client id, user name]` as JSON, or the SHA-256 fingerprint. */
    value: text("value").notNull(),
    /** Epoch ms of the last change of name, password or certificate. If several holders match, the oldest wins. */
    since: integer("since").notNull(),
    /** Epoch ms of the sign-in that proved the owner's certificate. */
    confirmedAt: integer("confirmed_at"),
  },
  (table) => [
    uniqueIndex("login_identities_in_tenant").on(table.kind, table.value, table.tenantId),
    index("login_identities_device").on(table.deviceId),
    index("login_identities_mqtt_client").on(table.mqttClientId),
    index("login_identities_tenant").on(table.tenantId),
  ],
);
