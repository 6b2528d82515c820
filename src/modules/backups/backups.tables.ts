import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Text } from "../../lib/texts/text.ts";

/** Newest backup runs, including failed ones. */
export const backupRuns = sqliteTable("backup_runs", {
  runId: integer("run_id").primaryKey({ autoIncrement: true }),
  trigger: text("trigger", { enum: ["SCHEDULE", "USER"] }).notNull(),
  state: text("state", { enum: ["RUNNING", "DONE", "DAMAGED", "FAILED"] }).notNull(),
  startedAt: integer("started_at").notNull(),
  finishedAt: integer("finished_at"),
  snapshotId: text("snapshot_id"),
  bytes: integer("bytes"),
  addedBytes: integer("added_bytes"),
  /** True if every database of any size was restored and opened. */
  openedAll: integer("opened_all", { mode: "boolean" }).notNull().default(false),
  /** Reason for the failure, or the damage found. */
  error: text("error", { mode: "json" }).$type<Text>(),
});
