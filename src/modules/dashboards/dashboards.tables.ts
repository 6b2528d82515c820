import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeviceId, UserId } from "../../lib/core/ids.ts";
import { tenantColumn } from "../tenants/tenants.tables.ts";
import { users } from "../users/users.tables.ts";
import { DASHBOARD_TYPES, type Item } from "./dashboards.types.ts";
import type { ShareRotation } from "./shares.types.ts";

type Fields = Readonly<Record<string, unknown>>;
const items = (name: string) => text(name, { mode: "json" }).notNull().$type<readonly Item[]>();
const fields = (name: string) => text(name, { mode: "json" }).$type<Fields>();

/** Dashboards of users. */
export const dashboards = sqliteTable(
  "dashboards",
  {
    id: text("id").primaryKey(),
    tenantId: tenantColumn(),
    name: text("name").notNull(),
    type: text("type", { enum: DASHBOARD_TYPES }).notNull(),
    states: items("states"),
    layout: items("layout"),
    widgets: items("widgets"),
    aliases: items("aliases"),
    timeWindow: fields("time_window"),
    configuration: fields("configuration"),
    settings: fields("settings"),
    tags: text("tags", { mode: "json" }).notNull().$type<readonly string[]>().default([]),
    /** Version of the current content; each change of the content increments it. */
    version: integer("version").notNull().default(1),
    /** Email address of the user, or name of the API key, that saved the version; empty if unknown. */
    updatedBy: text("updated_by").notNull().default(""),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [index("dashboards_tenant").on(table.tenantId, table.name)],
);

/** Earlier versions of dashboards, with their content. */
export const dashboardVersions = sqliteTable(
  "dashboard_versions",
  {
    dashboardId: text("dashboard_id")
      .notNull()
      .references(() => dashboards.id, { onDelete: "cascade" }),
    version: integer("version").notNull(),
    tenantId: tenantColumn(),
    savedBy: text("saved_by").notNull(),
    savedAt: integer("saved_at").notNull(),
    name: text("name").notNull(),
    /** Number of widgets. */
    widgets: integer("widgets").notNull(),
    bytes: integer("bytes").notNull(),
    /** Last column, because reading a later column would read all of it. */
    content: text("content").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.dashboardId, table.version] }),
    index("dashboard_versions_tenant").on(table.tenantId, table.savedAt),
  ],
);

/** Favorites and start pages by user. */
export const dashboardChoices = sqliteTable(
  "dashboard_choices",
  {
    userId: text("user_id")
      .$type<UserId>()
      .notNull()
      .references(() => users.userId, { onDelete: "cascade" }),
    dashboardId: text("dashboard_id")
      .notNull()
      .references(() => dashboards.id, { onDelete: "cascade" }),
    isFavorite: integer("is_favorite", { mode: "boolean" }).notNull(),
    /** True for the start page; at most one per user. */
    isStart: integer("is_start", { mode: "boolean" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.dashboardId] })],
);

/**
 * Links that show a dashboard without signing in. The token is looked up by its keyed hash, and also stored sealed, so that the link can be shown
 * again.
 */
export const dashboardShares = sqliteTable(
  "dashboard_shares",
  {
    shareId: text("share_id").primaryKey(),
    tenantId: tenantColumn(),
    dashboardId: text("dashboard_id")
      .notNull()
      .references(() => dashboards.id, { onDelete: "cascade" }),
    tokenHash: text("token_hash").notNull().unique(),
    tokenSealed: text("token_sealed").notNull(),
    name: text("name").notNull(),
    deviceId: text("device_id").$type<DeviceId>(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    rotation: text("rotation", { mode: "json" }).$type<ShareRotation>(),
  },
  (table) => [index("dashboard_shares_dashboard").on(table.dashboardId)],
);
