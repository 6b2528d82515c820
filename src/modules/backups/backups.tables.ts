import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Text } from "../../lib/texts/text.ts";

/** Settings of the gateway that people change in the console, by name. */
export const gatewaySettings = sqliteTable("gateway_settings", {
  name: text("name").primaryKey(),
  /** JSON, sealed: passwords and keys are among it. */
  valueSealed: text("value_sealed").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** The newest runs of backups, those that failed included. */
export const backupRuns = sqliteTable("backup_runs", {
  runId: integer("run_id").primaryKey({ autoIncrement: true }),
  trigger: text("trigger", { enum: ["SCHEDULE", "USER"] }).notNull(),
  state: text("state", { enum: ["RUNNING", "DONE", "FAILED"] }).notNull(),
  startedAt: integer("started_at").notNull(),
  finishedAt: integer("finished_at"),
  snapshotId: text("snapshot_id"),
  bytes: integer("bytes"),
  addedBytes: integer("added_bytes"),
  /** Whether every database was restored and opened, whatever its size. */
  openedAll: integer("opened_all", { mode: "boolean" }).notNull().default(false),
  error: text("error", { mode: "json" }).$type<Text>(),
});
