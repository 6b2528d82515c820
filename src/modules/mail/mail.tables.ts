import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Text } from "../../lib/texts/text.ts";
import { tenants } from "../tenants/tenants.tables.ts";

/** The outbox: a mail's values are kept rather than its text, so that a secret among them can be taken out again. */
export const mails = sqliteTable(
  "mails",
  {
    mailId: text("mail_id").primaryKey(),
    /** Null: to somebody without a tenant. */
    tenantId: text("tenant_id").references(() => tenants.tenantId, { onDelete: "cascade" }),
    recipient: text("recipient").notNull(),
    language: text("language", { enum: ["en", "de"] }).notNull(),
    template: text("template").notNull(),
    /** Alarm mails are sent after mails about accounts, however many of them wait. */
    isAlarm: integer("is_alarm", { mode: "boolean" }).notNull().default(false),
    /** JSON, sealed: temporary passwords and codes are among them. */
    valuesSealed: text("values_sealed").notNull(),
    state: text("state", { enum: ["QUEUED", "SENT", "FAILED", "HELD"] }).notNull(),
    /** Number of attempts. It is increased before each attempt, so that a crash while sending counts. */
    attempts: integer("attempts").notNull().default(0),
    dueAt: integer("next_attempt_at").notNull(),
    lastError: text("last_error", { mode: "json" }).$type<Text>(),
    /** Time at which the secret among the values expires; null if it has none or the secret was removed. */
    secretUntil: integer("secret_until"),
    createdAt: integer("created_at").notNull(),
    sentAt: integer("sent_at"),
  },
  (table) => [
    index("mails_tenant").on(table.tenantId, table.createdAt),
    index("mails_due").on(table.state, table.isAlarm, table.tenantId, table.dueAt),
    index("mails_secret").on(table.secretUntil),
  ],
);
