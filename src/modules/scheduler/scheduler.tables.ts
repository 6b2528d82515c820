import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";
import {
  type JobAction,
  MISFIRES,
  RUN_STATUSES,
  RUN_TRIGGERS,
  type Schedule,
  TARGET_STATUSES,
} from "./scheduler.types.ts";

export const schedulerJobs = sqliteTable(
  "scheduler_jobs",
  {
    jobId: text("job_id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    schedule: text("schedule", { mode: "json" }).notNull().$type<Schedule>(),
    action: text("action", { mode: "json" }).notNull().$type<JobAction>(),
    misfire: text("misfire", { enum: MISFIRES }).notNull(),
    /** Epoch ms; null if the job is paused or has no time left. */
    nextRunAt: integer("next_run_at"),
    lastRunAt: integer("last_run_at"),
    lastStatus: text("last_status", { enum: RUN_STATUSES }),
    /** Runner that holds the lease, and the time at which the lease ends. */
    leaseOwner: text("lease_owner"),
    leaseUntil: integer("lease_until"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    index("scheduler_jobs_tenant").on(table.tenantId, table.name),
    index("scheduler_jobs_due").on(table.nextRunAt),
  ],
);

export const schedulerRuns = sqliteTable(
  "scheduler_runs",
  {
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    runId: text("run_id").notNull().unique(),
    jobId: text("job_id")
      .notNull()
      .references(() => schedulerJobs.jobId, { onDelete: "cascade" }),
    scheduledFor: integer("scheduled_for").notNull(),
    trigger: text("trigger", { enum: RUN_TRIGGERS }).notNull(),
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at"),
    status: text("status", { enum: RUN_STATUSES }).notNull(),
    error: text("error", { mode: "json" }).$type<Text>(),
    missed: integer("missed").notNull().default(0),
    targetCount: integer("target_count").notNull().default(0),
    failedCount: integer("failed_count").notNull().default(0),
    attempts: integer("attempts").notNull(),
    leaseOwner: text("lease_owner"),
    leaseUntil: integer("lease_until"),
  },
  (table) => [
    // A run belongs to a job and a time, and happens once.
    uniqueIndex("scheduler_runs_time").on(table.jobId, table.scheduledFor),
    index("scheduler_runs_job").on(table.jobId, table.sequence),
    index("scheduler_runs_status").on(table.status),
  ],
);

/** Results of a run, one row per device. */
export const schedulerTargets = sqliteTable(
  "scheduler_targets",
  {
    runId: text("run_id")
      .notNull()
      .references(() => schedulerRuns.runId, { onDelete: "cascade" }),
    /** Not a foreign key, because deleted devices are listed too. */
    deviceId: text("device_id").$type<DeviceId>().notNull(),
    name: text("name"),
    status: text("status", { enum: TARGET_STATUSES }).notNull(),
    error: text("error", { mode: "json" }).$type<Text>(),
    commandId: text("command_id"),
  },
  (table) => [primaryKey({ columns: [table.runId, table.deviceId] })],
);
