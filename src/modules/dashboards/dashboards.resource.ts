import { conflict } from "../../lib/core/domain-error.ts";
import { defineResource } from "../api/resource.ts";
import { DASHBOARDS_MAX, dashboardNotFound } from "./dashboards.errors.ts";
import { createDashboardBody, dashboardBody, updateDashboardBody } from "./dashboards.schemas.ts";
import { dashboards } from "./dashboards.tables.ts";
import type { ResolvedDevice, VersionEntry, WidgetData } from "./dashboards.types.ts";

/** Example dashboard with one widget, for the OpenAPI document. */
export const dashboardExample = {
  name: "Line 1",
  widgets: [
    {
      widgetId: "temperature",
      type: "timeseries",
      name: "Temperature",
      config: { aliasId: "machines", keys: ["temperature"], aggregation: "avg" },
    },
  ],
  layout: [{ i: "temperature", x: 0, y: 0, w: 6, h: 4 }],
  aliases: [{ id: "machines", name: "Machines", type: "deviceType", deviceType: "press" }],
};

export const dashboardResource = defineResource({
  name: "dashboard",
  table: dashboards,
  key: "id",
  path: "/api/dashboards",
  parameter: "dashboardId",
  tag: "dashboards",
  permissions: { read: "dashboards:read", write: "dashboards:write" },
  order: { by: "name", ignoresCase: true },
  isVersioned: true,
  list: { sort: ["name", "type", "createdAt", "updatedAt"], search: ["name"] },
  notFound: dashboardNotFound,
  // Pictures in plans are part of their dashboards.
  limit: { max: DASHBOARDS_MAX, mibMax: 32, reached: (limit) => conflict("dashboard.limit", { limit }) },
  schemas: { item: dashboardBody, create: createDashboardBody, update: updateDashboardBody },
  operations: {
    list: { summary: "List dashboards, by name" },
    create: {
      summary: "Create a dashboard",
      errors: {
        400: "A field is invalid; the message names it.",
        409: `There are already ${DASHBOARDS_MAX} dashboards.`,
      },
      example: dashboardExample,
    },
    get: { summary: "Get a dashboard" },
    update: {
      summary: "Change a dashboard",
      errors: { 400: "A field is invalid; the message names it." },
      example: { name: "Line 1, presses" },
    },
    delete: { summary: "Delete a dashboard" },
  },
});

export type Dashboard = typeof dashboardResource.$item;
export type DashboardContent = Omit<
  Dashboard,
  "id" | "tenantId" | "version" | "updatedBy" | "createdAt" | "updatedAt"
>;
export type DashboardChanges = { readonly [K in keyof DashboardContent]?: DashboardContent[K] | undefined };

export interface Version {
  readonly entry: VersionEntry;
  readonly content: DashboardContent;
}

export interface Executed {
  readonly dashboard: Dashboard;
  readonly timeWindow: { readonly from: number; readonly to: number };
  readonly devices: Readonly<Record<string, readonly ResolvedDevice[]>>;
  readonly data: Readonly<Record<string, WidgetData>>;
}
