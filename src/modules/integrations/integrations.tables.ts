import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ProfileId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { lastErrorColumns } from "../../platform/database/last-error-columns.ts";
import { deviceProfiles } from "../profiles/profiles.tables.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";
import type { IntegrationSettings, MessageOrigin } from "./integrations.types.ts";

/** Integrations with other networks and programs. */
export const integrations = sqliteTable(
  "integrations",
  {
    integrationId: text("integration_id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    type: text("type", { enum: ["HTTP", "MQTT", "CHIRPSTACK", "THE_THINGS_STACK"] }).notNull(),
    status: text("status", { enum: ["draft", "active", "paused", "error"] }).notNull(),
    isDefault: integer("is_default", { mode: "boolean" }).notNull(),
    /** Settings without their secrets. */
    settings: text("settings", { mode: "json" }).notNull().$type<IntegrationSettings>(),
    /** Sealed object of secrets by path in the settings. */
    secrets: text("secrets"),
    mappingSteps: text("mapping_steps", { mode: "json" }).notNull().$type<readonly unknown[]>(),
    received: integer("received").notNull(),
    stored: integer("stored").notNull(),
    dropped: integer("dropped").notNull(),
    failed: integer("failed").notNull(),
    sent: integer("sent").notNull(),
    lastMessageAt: integer("last_message_at"),
    ...lastErrorColumns(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [index("integrations_tenant").on(table.tenantId, table.type)],
);

/** Device profiles that integrations created, and whose keys they may describe. */
export const integrationProfiles = sqliteTable("integration_profiles", {
  profileId: text("profile_id")
    .$type<ProfileId>()
    .primaryKey()
    .references(() => deviceProfiles.profileId, { onDelete: "cascade" }),
  /** Creator of the profile. If it is deleted, another integration may take over the profile. */
  integrationId: text("integration_id").notNull(),
});

/** Messages in both directions, with their payload as received. */
export const integrationEvents = sqliteTable(
  "integration_events",
  {
    /** Unique and ascending in order of arrival; never reused. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    eventId: text("event_id").notNull(),
    integrationId: text("integration_id")
      .notNull()
      .references(() => integrations.integrationId, { onDelete: "cascade" }),
    direction: text("direction", { enum: ["IN", "OUT"] }).notNull(),
    /** PENDING: kept, processing not finished. */
    status: text("status", { enum: ["PENDING", "OK", "ERROR", "DROPPED"] }).notNull(),
    stage: text("stage").notNull(),
    text: text("text", { mode: "json" }).notNull().$type<Text>(),
    payload: blob("payload", { mode: "buffer" }),
    origin: text("origin", { mode: "json" }).$type<MessageOrigin>(),
    /** JSON string. */
    result: text("result"),
    /** True if the message can be replayed. */
    isReplayable: integer("is_replayable", { mode: "boolean" }).notNull(),
    replayedAt: integer("replayed_at"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("integration_events_id").on(table.eventId),
    index("integration_events_newest").on(table.integrationId, table.status, table.seq),
  ],
);

/** Events without rows of their own. */
export const integrationEventGroups = sqliteTable("integration_event_groups", {
  groupId: integer("group_id").primaryKey(),
  /** JSON list of events, each with the length of its payload. */
  events: text("events").notNull(),
  /** Concatenated payloads of the events. */
  payloads: blob("payloads", { mode: "buffer" }).notNull(),
});

/** Announcements of devices, needed to read their other topics. */
export const integrationAnnouncements = sqliteTable(
  "integration_announcements",
  {
    integrationId: text("integration_id")
      .notNull()
      .references(() => integrations.integrationId, { onDelete: "cascade" }),
    topic: text("topic").notNull(),
    /** Broker and topics of the integration at the time of the announcement. */
    source: text("source").notNull(),
    body: blob("body", { mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.integrationId, table.topic] })],
);

/** Keys of accepted messages, to drop duplicates. */
export const integrationSeen = sqliteTable(
  "integration_seen",
  {
    integrationId: text("integration_id")
      .notNull()
      .references(() => integrations.integrationId, { onDelete: "cascade" }),
    key: text("key").notNull(),
    at: integer("at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.key] }),
    index("integration_seen_at").on(table.at),
  ],
);
