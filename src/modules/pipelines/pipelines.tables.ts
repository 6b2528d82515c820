import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { lastErrorColumns } from "../../platform/database/last-error-columns.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";
import type { PipelineScope } from "./pipelines.types.ts";
import type { Step } from "./step-engine.ts";

/** Data pipelines, which change telemetry before it is stored. */
export const dataPipelines = sqliteTable(
  "data_pipelines",
  {
    pipelineId: text("pipeline_id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    status: text("status", { enum: ["draft", "active", "paused"] }).notNull(),
    /** Order of active pipelines, ascending. */
    order: integer("order").notNull(),
    scope: text("scope", { mode: "json" }).notNull().$type<PipelineScope>(),
    steps: text("steps", { mode: "json" }).notNull().$type<readonly Step[]>(),
    /** Number of changes of scope and steps. */
    version: integer("version").notNull(),
    messagesIn: integer("messages_in").notNull(),
    messagesOut: integer("messages_out").notNull(),
    messagesDropped: integer("messages_dropped").notNull(),
    errors: integer("errors").notNull(),
    ...lastErrorColumns(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [index("data_pipelines_tenant").on(table.tenantId, table.order)],
);

/** Earlier scopes and steps, one row per change. */
export const dataPipelineVersions = sqliteTable(
  "data_pipeline_versions",
  {
    pipelineId: text("pipeline_id")
      .notNull()
      .references(() => dataPipelines.pipelineId, { onDelete: "cascade" }),
    version: integer("version").notNull(),
    scope: text("scope", { mode: "json" }).notNull().$type<PipelineScope>(),
    steps: text("steps", { mode: "json" }).notNull().$type<readonly Step[]>(),
    by: text("by").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.pipelineId, table.version] })],
);
