import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";

/** Targets of requests. Requests to the same target share a row; a waiting request keeps its original target. */
export const outboundTargets = sqliteTable(
  "outbound_targets",
  {
    targetId: text("target_id").primaryKey(),
    tenantId: tenantColumn(),
    sourceKind: text("source_kind").notNull(),
    sourceId: text("source_id").notNull(),
    url: text("url").notNull(),
    /** Whole sealed URL, if it is a secret. */
    urlSealed: text("url_sealed"),
    method: text("method").notNull(),
    /** Header values by name; secrets are sealed. */
    headers: text("headers", { mode: "json" }).notNull().$type<Record<string, string | { sealed: string }>>(),
    timeoutMs: integer("timeout_ms").notNull(),
    secretSealed: text("secret_sealed"),
    /** Digest of all columns above. */
    fingerprint: text("fingerprint").notNull(),
  },
  (table) => [
    uniqueIndex("outbound_targets_fingerprint").on(table.fingerprint),
    index("outbound_targets_source").on(table.tenantId, table.sourceKind, table.sourceId),
  ],
);

/**
 * Waiting and dead requests; delivered ones are deleted. Due times refer to the queue's clock, which stands still while the gateway is off and
 * cannot be set.
 */
export const outboundRequests = sqliteTable(
  "outbound_requests",
  {
    /** Order of arrival; never reused. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** Tenant of the target, for counting dead letters. */
    tenantId: text("tenant_id").$type<TenantId>().notNull(),
    targetId: text("target_id")
      .notNull()
      .references(() => outboundTargets.targetId, { onDelete: "cascade" }),
    /** Requests of a target with the same key are sent one after the other. */
    orderKey: text("order_key").notNull(),
    contentType: text("content_type").notNull(),
    body: text("body").notNull(),
    bytes: integer("bytes").notNull(),
    state: text("state", { enum: ["WAITING", "DEAD"] }).notNull(),
    attempts: integer("attempts").notNull(),
    /** Time of the queue's clock, like `dueAt` and `triedAt`. */
    queuedAt: integer("queued_at").notNull(),
    dueAt: integer("due_at").notNull(),
    triedAt: integer("tried_at"),
    lastStatus: integer("last_status"),
    lastError: text("last_error", { mode: "json" }).$type<Text>(),
    /** Epoch ms. */
    createdAt: integer("created_at").notNull(),
    /** Epoch ms; null while waiting. */
    diedAt: integer("died_at"),
    dedupeKey: text("dedupe_key"),
  },
  (table) => [
    index("outbound_requests_lane").on(table.targetId, table.state, table.orderKey, table.seq),
    index("outbound_requests_waiting").on(table.targetId, table.seq).where(sql`state = 'WAITING'`),
    // With the size, so that the dead letters of each tenant are counted without being read.
    index("outbound_requests_dead").on(table.tenantId, table.diedAt, table.bytes).where(sql`state = 'DEAD'`),
    uniqueIndex("outbound_requests_dedupe")
      .on(table.targetId, table.dedupeKey)
      .where(sql`dedupe_key IS NOT NULL`),
  ],
);

/** Counters per source. */
export const outboundCounts = sqliteTable(
  "outbound_counts",
  {
    tenantId: tenantColumn(),
    sourceKind: text("source_kind").notNull(),
    sourceId: text("source_id").notNull(),
    sent: integer("sent").notNull(),
    died: integer("died").notNull(),
    lastSentAt: integer("last_sent_at"),
    lastError: text("last_error", { mode: "json" }).$type<Text>(),
    lastErrorAt: integer("last_error_at"),
  },
  (table) => [uniqueIndex("outbound_counts_source").on(table.tenantId, table.sourceKind, table.sourceId)],
);
