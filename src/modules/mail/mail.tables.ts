import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { tenants } from "../tenants/tenants.tables.ts";

/** Outbox. Stores a mail's values instead of its text, so that secrets can be removed. */
export const mails = sqliteTable(
  "mails",
  {
    mailId: text("mail_id").primaryKey(),
    /** Null for a recipient without a tenant. */
    tenantId: text("tenant_id")
      .$type<TenantId>()
      .references(() => tenants.tenantId, { onDelete: "cascade" }),
    recipient: text("recipient").notNull(),
    language: text("language", { enum: ["en", "de"] }).notNull(),
    template: text("template").notNull(),
    /** True for alarm mails, which are sent after all account mails. */
    isAlarm: integer("is_alarm", { mode: "boolean" }).notNull().default(false),
    /** Sealed JSON, which may contain temporary passwords and codes. */
    valuesSealed: text("values_sealed").notNull(),
    state: text("state", { enum: ["QUEUED", "SENT", "FAILED", "HELD"] }).notNull(),
    /** Number of attempts, incremented before each attempt, so that a crash while sending counts. */
    attempts: integer("attempts").notNull().default(0),
    dueAt: integer("next_attempt_at").notNull(),
    lastError: text("last_error", { mode: "json" }).$type<Text>(),
    /** Expiry of the secret in the values; null if there is none or it was removed. */
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
