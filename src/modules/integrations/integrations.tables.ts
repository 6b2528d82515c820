import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { deviceProfiles } from "../profiles/profiles.tables.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import type { IntegrationSettings, MessageOrigin } from "./integrations.types.ts";

/** Other networks and programs from which devices come. */
export const integrations = sqliteTable(
  "integrations",
  {
    integrationId: text("integration_id").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .$type<TenantId>()
      .references(() => tenants.tenantId, { onDelete: "cascade" }),
    name: text("name").notNull(),
    type: text("type", { enum: ["HTTP", "MQTT", "CHIRPSTACK", "THE_THINGS_STACK"] }).notNull(),
    status: text("status", { enum: ["draft", "active", "paused", "error"] }).notNull(),
    isDefault: integer("is_default", { mode: "boolean" }).notNull(),
    /** Settings without their secrets. */
    settings: text("settings", { mode: "json" }).notNull().$type<IntegrationSettings>(),
    /** Sealed: an object of paths in the settings to secrets. */
    secrets: text("secrets"),
    mappingSteps: text("mapping_steps", { mode: "json" }).notNull().$type<readonly unknown[]>(),
    received: integer("received").notNull(),
    stored: integer("stored").notNull(),
    dropped: integer("dropped").notNull(),
    failed: integer("failed").notNull(),
    sent: integer("sent").notNull(),
    lastMessageAt: integer("last_message_at"),
    lastError: text("last_error", { mode: "json" }).$type<Text>(),
    lastErrorAt: integer("last_error_at"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [index("integrations_tenant").on(table.tenantId, table.type)],
);

/** Device profiles that integrations created, and whose keys they may describe. */
export const integrationProfiles = sqliteTable("integration_profiles", {
  profileId: text("profile_id")
    .primaryKey()
    .references(() => deviceProfiles.profileId, { onDelete: "cascade" }),
  /** Creator of the profile. If it is deleted, another integration may take over the profile. */
  integrationId: text("integration_id").notNull(),
});

/** Messages in both directions, with their payload as received. */
export const integrationEvents = sqliteTable(
  "integration_events",
  {
    /** Never given twice, and in the order in which they came. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    eventId: text("event_id").notNull(),
    integrationId: text("integration_id")
      .notNull()
      .references(() => integrations.integrationId, { onDelete: "cascade" }),
    direction: text("direction", { enum: ["IN", "OUT"] }).notNull(),
    /** PENDING: kept, and not worked on to its end yet. */
    status: text("status", { enum: ["PENDING", "OK", "ERROR", "DROPPED"] }).notNull(),
    stage: text("stage").notNull(),
    text: text("text", { mode: "json" }).notNull().$type<Text>(),
    payload: blob("payload", { mode: "buffer" }),
    origin: text("origin", { mode: "json" }).$type<MessageOrigin>(),
    /** JSON text. */
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

/** Events that have no rows of their own yet. */
export const integrationEventGroups = sqliteTable("integration_event_groups", {
  groupId: integer("group_id").primaryKey(),
  /** JSON: a list of events, each with the length of its payload. */
  events: text("events").notNull(),
  /** Payloads of the events, one after the other. */
  payloads: blob("payloads", { mode: "buffer" }).notNull(),
});

/** Announcements of devices, by which the messages of their other topics are read. */
export const integrationAnnouncements = sqliteTable(
  "integration_announcements",
  {
    integrationId: text("integration_id")
      .notNull()
      .references(() => integrations.integrationId, { onDelete: "cascade" }),
    topic: text("topic").notNull(),
    /** Broker and topics of the integration, when it received the announcement. */
    source: text("source").notNull(),
    body: blob("body", { mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.integrationId, table.topic] })],
);

/** Messages that were taken, so that the same one is not taken twice. */
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
