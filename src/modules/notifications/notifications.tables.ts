import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MessagePart } from "../../lib/alarms/message-parts.ts";
import { ALARM_SEVERITIES, type AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { alarms } from "../alarms/alarms.tables.ts";
import { tenantColumn, tenants } from "../tenants/tenants.tables.ts";
import {
  MESSENGER_KINDS,
  type MessengerFields,
  type MessengerTarget,
  RULE_SCOPES,
} from "./messengers.types.ts";
import {
  type Digest,
  FLOW_CHANNELS,
  type Messaging,
  NOTIFICATION_TRIGGERS,
  type NotificationTrigger,
} from "./notifications.types.ts";

/** Alarm events to be notified. A row is deleted when its mails and messages are stored. */
export const notificationQueue = sqliteTable(
  "notification_notices",
  {
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    tenantId: text("tenant_id").$type<TenantId>().notNull(),
    alarmId: text("alarm_id")
      .notNull()
      .references(() => alarms.alarmId, { onDelete: "cascade" }),
    deviceId: text("device_id").$type<DeviceId>().notNull(),
    trigger: text("trigger", { enum: NOTIFICATION_TRIGGERS }).notNull(),
    severity: text("severity", { enum: ALARM_SEVERITIES }).notNull(),
    formerSeverity: text("former_severity", { enum: ALARM_SEVERITIES }),
    level: integer("level").notNull(),
    alarmType: text("alarm_type").notNull(),
    message: text("message").notNull(),
    messageParts: text("message_parts", { mode: "json" }).$type<readonly MessagePart[]>(),
    cause: text("cause", { mode: "json" }).$type<Text>(),
    at: integer("at").notNull(),
    /** Id of the last recipient notified so far, in the order of ids. */
    notifiedUpTo: text("notified_up_to").notNull().default(""),
  },
  (table) => [index("notification_notices_alarm").on(table.alarmId)],
);

/** Notifications per recipient in the current window, and events collected for its digest. */
export const notificationFlows = sqliteTable(
  "notification_flows",
  {
    /** Id of the user or messenger. After its deletion, the window ends and is deleted. */
    recipientId: text("recipient_id").notNull(),
    channel: text("channel", { enum: FLOW_CHANNELS }).notNull(),
    /** End of the window, on the clock of `createMonotonicNow`: epoch ms that clock changes do not move. */
    endsAt: integer("ends_at").notNull(),
    sent: integer("sent").notNull(),
    digest: text("gathered", { mode: "json" }).$type<Digest>(),
  },
  (table) => [
    primaryKey({ columns: [table.recipientId, table.channel] }),
    index("notification_flows_end").on(table.endsAt),
  ],
);

export const notificationSettings = sqliteTable("notification_settings", {
  tenantId: text("tenant_id")
    .$type<TenantId>()
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: "cascade" }),
  language: text("language", { enum: ["en", "de"] }).notNull(),
  timezone: text("timezone").notNull(),
  digestAfter: integer("digest_after").notNull(),
  digestMinutes: integer("digest_minutes").notNull(),
  messaging: text("messaging", { mode: "json" }).$type<Messaging>(),
});

export const messengers = sqliteTable(
  "messengers",
  {
    messengerId: text("messenger_id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    kind: text("kind", { enum: MESSENGER_KINDS }).notNull(),
    isEnabled: integer("is_enabled", { mode: "boolean" }).notNull(),
    ruleScope: text("rule_scope", { enum: RULE_SCOPES }).notNull(),
    language: text("language", { enum: ["en", "de"] }).notNull(),
    severities: text("severities", { mode: "json" }).notNull().$type<readonly AlarmSeverity[]>(),
    triggers: text("triggers", { mode: "json" }).notNull().$type<readonly NotificationTrigger[]>(),
    fields: text("fields", { mode: "json" }).notNull().$type<MessengerFields>(),
    /** Sealed URL or header. */
    target: text("target", { mode: "json" }).notNull().$type<MessengerTarget>(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [index("messengers_tenant").on(table.tenantId)],
);
