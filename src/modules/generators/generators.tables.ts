import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeviceId } from "../../lib/core/ids.ts";
import { lastErrorColumns } from "../../platform/database/last-error-columns.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";
import { type GeneratorConfig, STATUSES } from "./generators.types.ts";

/** Generators of telemetry. */
export const generators = sqliteTable(
  "rule_chains",
  {
    id: text("id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    description: text("description"),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** Active only while it is enabled. */
    status: text("status", { enum: STATUSES }).notNull(),
    config: text("config", { mode: "json" }).notNull().$type<GeneratorConfig>(),
    /** Not a foreign key, because the device of a generator can be deleted like any other. */
    virtualDeviceId: text("virtual_device_id").$type<DeviceId>(),
    /** Reason for an automatic pause. */
    ...lastErrorColumns(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [index("rule_chains_tenant").on(table.tenantId, table.name)],
);
