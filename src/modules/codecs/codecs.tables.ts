import { sql } from "drizzle-orm";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { tenantColumn } from "../tenants/tenants.tables.ts";

export const codecs = sqliteTable(
  "codecs",
  {
    codecId: text("codec_id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    description: text("description"),
    source: text("source").notNull(),
    functions: text("functions", { mode: "json" }).notNull().$type<readonly string[]>(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [uniqueIndex("codecs_name").on(table.tenantId, sql`lower(${table.name})`)],
);
