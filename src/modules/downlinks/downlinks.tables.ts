import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { DownlinkPayload } from "../../lib/devices/downlink-payload.ts";
import type { Text } from "../../lib/texts/text.ts";
import { devices } from "../devices/devices.tables.ts";
import { integrations } from "../integrations/integrations.tables.ts";
import { DOWNLINK_STATES } from "./downlinks.types.ts";

/** Downlinks and their states. */
export const integrationDownlinks = sqliteTable(
  "integration_downlinks",
  {
    seq: integer("sequence").primaryKey({ autoIncrement: true }),
    downlinkId: text("downlink_id").notNull().unique(),
    tenantId: text("tenant_id").$type<TenantId>().notNull(),
    integrationId: text("integration_id")
      .notNull()
      .references(() => integrations.integrationId, { onDelete: "cascade" }),
    deviceId: text("device_id")
      .$type<DeviceId>()
      .references(() => devices.deviceId, { onDelete: "cascade" }),
    deviceKey: text("device_key").notNull(),
    /** Unique: a command becomes one downlink, however often it is handed over. */
    commandRpcId: integer("command_rpc_id").unique(),
    fPort: integer("f_port"),
    confirmed: integer("confirmed", { mode: "boolean" }).notNull(),
    priority: text("priority"),
    payload: text("payload", { mode: "json" }).notNull().$type<DownlinkPayload>(),
    state: text("state", { enum: DOWNLINK_STATES }).notNull(),
    networkId: text("network_id"),
    attempts: integer("attempts").notNull(),
    error: text("error", { mode: "json" }).$type<Text>(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    dueAt: integer("next_attempt_at").notNull(),
    changedAt: integer("changed_at").notNull(),
  },
  (table) => [
    index("integration_downlinks_queued")
      .on(table.integrationId, table.deviceKey, table.seq)
      .where(sql`state = 'QUEUED'`),
    index("integration_downlinks_device").on(table.integrationId, table.deviceKey, table.seq),
    index("integration_downlinks_network").on(table.integrationId, table.networkId),
    index("integration_downlinks_of_device").on(table.deviceId),
    index("integration_downlinks_changed").on(table.changedAt),
  ],
);

/** Routes to devices of other networks, written only on change. */
export const integrationRoutes = sqliteTable(
  "integration_routes",
  {
    tenantId: text("tenant_id").$type<TenantId>().notNull(),
    deviceKey: text("device_key").notNull(),
    integrationId: text("integration_id")
      .notNull()
      .references(() => integrations.integrationId, { onDelete: "cascade" }),
    applicationId: text("application_id"),
    networkDeviceId: text("network_device_id"),
    topicApplication: text("topic_application"),
    pushUrl: text("push_url"),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.deviceKey] }),
    index("integration_routes_integration").on(table.integrationId),
  ],
);
