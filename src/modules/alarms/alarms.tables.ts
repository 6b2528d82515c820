import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { ALARM_SEVERITIES } from "../../lib/alarms/severity.ts";
import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import type { Params } from "../../lib/texts/text.ts";
import { deviceColumn, devices } from "../devices/devices.tables.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import { ALARM_EVENT_TYPES, ALARM_STATUSES } from "./alarms.types.ts";

export const alarms = sqliteTable(
  "alarms",
  {
    /** Order of the last raises, independent of the clock; a reopened alarm gets a new number. */
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    alarmId: text("alarm_id").notNull().unique(),
    tenantId: text("tenant_id").$type<TenantId>().notNull(),
    deviceId: deviceColumn(),
    alarmType: text("alarm_type").notNull(),
    /** Profile whose rule last raised the alarm. */
    profileId: text("profile_id").$type<ProfileId | "">().notNull().default(""),
    severity: text("severity", { enum: ALARM_SEVERITIES }).notNull(),
    status: text("status", { enum: ALARM_STATUSES }).notNull(),
    message: text("message").notNull(),
    /** JSON string: the message with its values separate; null if it has none. */
    messageParts: text("message_parts"),
    createdAt: integer("created_at").notNull(),
    /** Time at which the alarm was last raised. */
    raisedAt: integer("raised_at").notNull(),
    raiseCount: integer("raise_count").notNull(),
    updatedAt: integer("updated_at").notNull(),
    acknowledgedAt: integer("acknowledged_at"),
    acknowledgedBy: text("acknowledged_by"),
    clearedAt: integer("cleared_at"),
    /** `null` if cleared by the rule. */
    clearedBy: text("cleared_by"),
    /** The device's gateway at the time of the raise, if the rule propagates to it. */
    gatewayId: text("gateway_id").$type<DeviceId>(),
    escalationLevel: integer("escalation_level").notNull().default(1),
    /** Monotonic start of the current level; `null` if the alarm escalates no further. */
    escalationSince: integer("escalation_since"),
  },
  (table) => [
    index("alarms_tenant").on(table.tenantId, table.sequence),
    index("alarms_device").on(table.deviceId, table.sequence),
    index("alarms_rule").on(table.profileId, table.alarmType, table.sequence),
    index("alarms_standing").on(table.tenantId, table.sequence).where(sql`cleared_at IS NULL`),
    index("alarms_unacknowledged").on(table.tenantId, table.sequence).where(sql`acknowledged_at IS NULL`),
    index("alarms_gateway").on(table.gatewayId, table.sequence).where(sql`gateway_id IS NOT NULL`),
    index("alarms_escalating").on(table.escalationSince).where(sql`escalation_since IS NOT NULL`),
    uniqueIndex("alarms_open").on(table.deviceId, table.alarmType).where(sql`cleared_at IS NULL`),
  ],
);

/** Condition for alarms that the engine does not hold, so that they can be deleted directly. */
export const SETTLED_ALARMS = "cleared_at IS NOT NULL";

/** Rank of a severity for sorting; CRITICAL has the highest. */
export const severityRank = sql<number>`CASE ${alarms.severity} ${sql.join(
  ALARM_SEVERITIES.map((severity, rank) => sql`WHEN ${severity} THEN ${rank}`),
  sql` `,
)} END`;

/** Matches raises and acknowledgements, which statistics count. */
export const isCountedEvent = sql`event_type IN ('CREATED', 'REOPENED', 'ACK')`;

export const alarmEvents = sqliteTable(
  "alarm_events",
  {
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    eventId: text("event_id").notNull(),
    alarmId: text("alarm_id")
      .notNull()
      .references(() => alarms.alarmId, { onDelete: "cascade" }),
    /** Tenant of the alarm, so that reading a tenant's events does not depend on the number of others' events. */
    tenantId: text("tenant_id").$type<TenantId>().notNull(),
    eventType: text("event_type", { enum: ALARM_EVENT_TYPES }).notNull(),
    code: text("code").notNull(),
    params: text("params", { mode: "json" }).notNull().$type<Params>(),
    /** User who caused the event; `null` for the gateway itself. */
    by: text("by"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("alarm_events_alarm").on(table.alarmId, table.sequence),
    index("alarm_events_counted").on(table.tenantId, table.createdAt, table.sequence).where(isCountedEvent),
    index("alarm_events_tenant").on(table.tenantId, table.sequence),
  ],
);

/** Devices with events that were deleted because there were too many. */
export const alarmTrims = sqliteTable("alarm_trims", {
  deviceId: text("device_id")
    .$type<DeviceId>()
    .primaryKey()
    .references(() => devices.deviceId, { onDelete: "cascade" }),
  /** Epoch ms of the newest deleted raise or acknowledgement. */
  deletedUntil: integer("deleted_until").notNull(),
});

/** State of the engine per device: values, and durations and counts of conditions. */
export const alarmStates = sqliteTable(
  "alarm_states",
  {
    deviceId: text("device_id")
      .$type<DeviceId>()
      .primaryKey()
      .references(() => devices.deviceId, { onDelete: "cascade" }),
    /** Command parameters as JSON. */
    state: text("state").notNull(),
    /** Time of the next evaluation if no message arrives. */
    dueAt: integer("due_at"),
  },
  (table) => [index("alarm_states_due").on(table.dueAt)],
);

/** One row with the time of the engine's last run. */
export const alarmRun = sqliteTable("alarm_run", {
  one: integer("one").primaryKey(),
  /** Epoch ms. */
  runningUntil: integer("running_until").notNull(),
  /** Total time in ms for which the engine did not run. */
  stoppedMs: integer("stopped_ms").notNull(),
  /** `false` while running and after a power failure. */
  isStopped: integer("is_stopped", { mode: "boolean" }).notNull(),
});

/** Commands of rules, written together with their event; a row is deleted once the command is queued. */
export const alarmCommands = sqliteTable("alarm_commands", {
  sequence: integer("sequence").primaryKey({ autoIncrement: true }),
  alarmId: text("alarm_id")
    .notNull()
    .references(() => alarms.alarmId, { onDelete: "cascade" }),
  /** Id of the command's request; prevents the command of an event from being sent twice. */
  requestId: text("request_id").notNull(),
  deviceId: text("device_id").$type<DeviceId>().notNull(),
  method: text("method").notNull(),
  /** JSON string. */
  params: text("params").notNull(),
});

export const alarmEscalation = sqliteTable("alarm_escalation", {
  tenantId: text("tenant_id")
    .$type<TenantId>()
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: "cascade" }),
  level1To2Minutes: integer("level1_to2_minutes").notNull(),
  level2To3Minutes: integer("level2_to3_minutes").notNull(),
  stopOnAck: integer("stop_on_ack", { mode: "boolean" }).notNull(),
  stopOnClear: integer("stop_on_clear", { mode: "boolean" }).notNull(),
});
