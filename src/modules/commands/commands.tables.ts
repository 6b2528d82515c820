import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";
import { deviceColumn } from "../devices/devices.tables.ts";
import { COMMAND_STATES } from "./commands.types.ts";

export const commands = sqliteTable(
  "commands",
  {
    /** Number of the command for the device; never reused, even after a restart. */
    rpcId: integer("rpc_id").primaryKey({ autoIncrement: true }),
    commandId: text("command_id").notNull().unique(),
    tenantId: text("tenant_id").$type<TenantId>().notNull(),
    deviceId: deviceColumn(),
    /** Id chosen by the issuer. */
    requestId: text("request_id").notNull(),
    method: text("method").notNull(),
    /** JSON string. */
    params: text("params").notNull(),
    status: text("status", { enum: COMMAND_STATES }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    retries: integer("retries").notNull(),
    retryIntervalMs: integer("retry_interval_ms").notNull(),
    timeoutMs: integer("timeout_ms").notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    sentAt: integer("sent_at"),
    deliveredAt: integer("delivered_at"),
    finishedAt: integer("finished_at"),
    /** Time of the next action if nothing happens; null once finished. */
    dueAt: integer("due_at"),
    /** JSON string. */
    response: text("response"),
    /** Code and parameters, as a JSON string. */
    error: text("error"),
  },
  (table) => [
    uniqueIndex("commands_request").on(table.deviceId, table.requestId),
    index("commands_device_status").on(table.deviceId, table.status),
    index("commands_due").on(table.dueAt),
    index("commands_finished").on(table.finishedAt),
  ],
);
