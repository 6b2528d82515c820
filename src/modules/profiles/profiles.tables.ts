import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ProfileId, TenantId } from "../../lib/core/ids.ts";
import { PAYLOAD_ENCODINGS } from "../../lib/json/body.ts";
import type { KeyMetadata } from "../../lib/keys/key-metadata.ts";
import { tenantColumn, tenants } from "../tenants/tenants.tables.ts";
import { type CommandDefinition, type DeviceRequestRule, SESSIONS_WHEN_FULL } from "./profiles.types.ts";

export const deviceProfiles = sqliteTable(
  "device_profiles",
  {
    profileId: text("profile_id").primaryKey().$type<ProfileId>(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    isDefault: integer("is_default", { mode: "boolean" }).notNull().default(false),
    /** Alarm rules as submitted; the alarm engine compiles them. */
    alarmRules: text("alarm_rules", { mode: "json" }).notNull().$type<readonly unknown[]>(),
    /** `null` for three times each device's observed interval. */
    inactivityTimeoutMs: integer("inactivity_timeout_ms"),
    /** `null` if the tenant's plan decides. */
    retentionDays: integer("retention_days"),
    telemetryTopic: text("telemetry_topic"),
    payload: text("payload", { enum: PAYLOAD_ENCODINGS }).notNull(),
    commandTimeoutMs: integer("command_timeout_ms").notNull(),
    /** True if gateways with this profile create child devices by naming them. */
    createsChildren: integer("creates_children", { mode: "boolean" }).notNull().default(true),
    /** Max. simultaneous sessions of a device, each with its own client id. */
    sessionsMax: integer("sessions_max").notNull().default(1),
    sessionsWhenFull: text("sessions_when_full", { enum: SESSIONS_WHEN_FULL }).notNull().default("REPLACE"),
    /** Limit of one device; null for the gateway's setting. */
    messagesPerSecond: integer("messages_per_second"),
    /** Max. burst of messages of one device; null for ten seconds' worth. */
    messagesBurst: integer("messages_burst"),
    /** True to store telemetry strings that are plain decimal numbers as numbers. */
    convertsNumericText: integer("converts_numeric_text", { mode: "boolean" }).notNull().default(false),
    /** Replies to requests that its devices send. */
    deviceRequests: text("device_requests", { mode: "json" })
      .notNull()
      .$type<readonly DeviceRequestRule[]>()
      .default([]),
    commands: text("commands", { mode: "json" }).notNull().$type<readonly CommandDefinition[]>().default([]),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [uniqueIndex("device_profiles_name").on(table.tenantId, table.name)],
);

/** Key metadata of profiles, in a separate table because devices read their profile often without needing it. */
export const profileKeys = sqliteTable("profile_keys", {
  profileId: text("profile_id")
    .$type<ProfileId>()
    .primaryKey()
    .references(() => deviceProfiles.profileId, { onDelete: "cascade" }),
  metadata: text("metadata", { mode: "json" }).notNull().$type<readonly KeyMetadata[]>(),
});

/** Key metadata that is the default in all of a tenant's profiles. */
export const tenantKeys = sqliteTable("tenant_keys", {
  tenantId: text("tenant_id")
    .$type<TenantId>()
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: "cascade" }),
  metadata: text("metadata", { mode: "json" }).notNull().$type<readonly KeyMetadata[]>(),
});
