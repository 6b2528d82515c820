import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { TenantId } from "../../lib/core/ids.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import type { DemoPlantParts } from "./demo-plant.types.ts";

/** Simulated factories, at most one per tenant. */
export const demoPlants = sqliteTable("demo_plants", {
  tenantId: text("tenant_id")
    .$type<TenantId>()
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: "cascade" }),
  isRunning: integer("is_running", { mode: "boolean" }).notNull(),
  parts: text("parts", { mode: "json" }).notNull().$type<DemoPlantParts>(),
  createdAt: integer("created_at").notNull(),
});
