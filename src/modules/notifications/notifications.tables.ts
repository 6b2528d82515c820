import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MessagePart } from "../../lib/message-parts.ts";
import { alarmSeverities } from "../../lib/severity.ts";
import type { Text } from "../../lib/texts/text.ts";
import { alarms } from "../alarms/alarms.tables.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import { users } from "../users/users.tables.ts";
import { channels, type Digest, type Messaging, notificationTriggers } from "./notifications.types.ts";

/** Events of alarms without a notification. A row is deleted when its mails and messages are stored. */
export const notificationQueue = sqliteTable(
  "notification_notices",
  {
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    tenantId: text("tenant_id").notNull(),
    alarmId: text("alarm_id")
      .notNull()
      .references(() => alarms.alarmId, { onDelete: "cascade" }),
    deviceId: text("device_id").notNull(),
    trigger: text("trigger", { enum: notificationTriggers }).notNull(),
    severity: text("severity", { enum: alarmSeverities }).notNull(),
    formerSeverity: text("former_severity", { enum: alarmSeverities }),
    level: integer("level").notNull(),
    alarmType: text("alarm_type").notNull(),
    message: text("message").notNull(),
    messageParts: text("message_parts", { mode: "json" }).$type<readonly MessagePart[]>(),
    cause: text("cause", { mode: "json" }).$type<Text>(),
    at: integer("at").notNull(),
  },
  (table) => [index("notification_notices_alarm").on(table.alarmId)],
);

/** Number of notifications that a recipient received in the current window, and events collected for its end. */
export const notificationFlows = sqliteTable(
  "notification_flows",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.userId, { onDelete: "cascade" }),
    channel: text("channel", { enum: channels }).notNull(),
    /** Steady epoch ms. */
    endsAt: integer("ends_at").notNull(),
    sent: integer("sent").notNull(),
    digest: text("gathered", { mode: "json" }).$type<Digest>(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.channel] }),
    index("notification_flows_end").on(table.endsAt),
  ],
);

export const notificationSettings = sqliteTable("notification_settings", {
  tenantId: text("tenant_id")
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: "cascade" }),
  language: text("language", { enum: ["en", "de"] }).notNull(),
  timezone: text("timezone").notNull(),
  digestAfter: integer("digest_after").notNull(),
  digestMinutes: integer("digest_minutes").notNull(),
  messaging: text("messaging", { mode: "json" }).$type<Messaging>(),
});
