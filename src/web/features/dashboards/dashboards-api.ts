import type { AlarmSeverity } from "../../../lib/severity.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { resolvedDevice, shareBody } from "../../../modules/dashboards/dashboards.schemas.ts";
import type { LatestSnapshot, Series } from "../../lib/api-types.ts";
import type { JsonValue, Wire } from "../../lib/wire.ts";
import { get, load, patch, post, queryOf, remove } from "../../platform/api-client.ts";

export type ResolvedDevice = Wire<typeof resolvedDevice>;
/** A link by which a dashboard is opened without signing in. */
export type Share = Wire<typeof shareBody>;

export type WidgetConfig = Readonly<Record<string, JsonValue | undefined>>;

export interface Widget {
  readonly widgetId: string;
  readonly type: string;
  readonly name: string;
  readonly config: WidgetConfig;
  readonly dashboardStateId?: string;
}

export interface Alias {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface BoardState {
  readonly id: string;
  readonly name: string;
}

/** `{from, to}`; `{mode: live | relative, durationMs}`; `{mode: calendar, unit, offset, timezone}`. */
export type WindowSpec = Readonly<Record<string, unknown>>;

export interface Dashboard {
  readonly id: string;
  readonly name: string;
  readonly type: "STATIC" | "CONTEXT_DEVICE";
  readonly states: readonly unknown[];
  readonly layout: readonly unknown[];
  readonly widgets: readonly unknown[];
  readonly aliases: readonly unknown[];
  readonly timeWindow?: WindowSpec;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly updatedAt: string;
}

export interface BoardAlarm {
  readonly alarmId: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly name: string;
  readonly severity: AlarmSeverity;
  readonly status: string;
  readonly message: string;
  readonly createdAt: number;
}

export interface WidgetData {
  readonly deviceIds: readonly string[];
  readonly series?: ReadonlyArray<{ readonly deviceId: string; readonly series: readonly Series[] }>;
  readonly latest?: readonly LatestSnapshot[];
  readonly alarms?: readonly BoardAlarm[];
  readonly cut?: true;
  readonly errorText?: Text;
}

export interface Executed extends Omit<Dashboard, "timeWindow"> {
  readonly timeWindow: { readonly from: number; readonly to: number };
  readonly devices: Readonly<Record<string, readonly ResolvedDevice[]>>;
  readonly data: Readonly<Record<string, WidgetData>>;
}

/** Describes what a link shows; `ownWindow`: the time that the dashboard is set to. */
export type SharedDashboard = Omit<Executed, "aliases" | "settings"> & { readonly ownWindow?: WindowSpec };

export interface ExecuteRequest {
  readonly timeRange?: WindowSpec | undefined;
  readonly dashboardStateId?: string | undefined;
  /** These alone. */
  readonly widgetIds?: readonly string[] | undefined;
  readonly context?: { readonly deviceId: string } | undefined;
}

export type DashboardForm = Partial<Omit<Dashboard, "id" | "updatedAt">>;

const BASE = "/api/dashboards";
const pathOf = (id: string) => `${BASE}/${encodeURIComponent(id)}`;

export const dashboardsApi = {
  list: (search = "") => get<Dashboard[]>(`${BASE}?${queryOf({ search: search || undefined })}`),
  get: (id: string) => get<Dashboard>(pathOf(id)),
  create: (form: DashboardForm & { name: string }) => post<Dashboard>(BASE, form),
  update: (id: string, changes: DashboardForm) => patch<Dashboard>(pathOf(id), changes),
  delete: (id: string) => remove(pathOf(id)),
  execute: (id: string, request: ExecuteRequest) => post<Executed>(`${pathOf(id)}/execute`, request),
  preview: (dashboard: DashboardForm, request: ExecuteRequest) =>
    post<Executed>(`${BASE}/preview`, { dashboard, ...request }),
  forType: (deviceType: string, name: string) => post<Dashboard>(`${BASE}/for-type`, { deviceType, name }),
  import: (file: unknown) => post<Dashboard>(`${BASE}/import`, file),
  shares: (id: string) => get<Share[]>(`${pathOf(id)}/shares`),
  share: (id: string, form: { name: string; expiresAt: string | null; deviceId?: string }) =>
    post<Share>(`${pathOf(id)}/shares`, form),
  endShare: (id: string, shareId: string) => remove(`${pathOf(id)}/shares/${shareId}`),
  /** The dashboard of the link that the page was opened by. */
  shared: (request: ExecuteRequest) => post<SharedDashboard>("/api/shared/dashboard", request),
  exportFile: (id: string) => load(`${pathOf(id)}/export`),
  resolve: async (alias: Alias, deviceId?: string) =>
    (
      await post<{ devices: ResolvedDevice[] }>(`${BASE}/resolve-alias`, {
        alias,
        ...(deviceId !== undefined && { dashboardState: { deviceId } }),
      })
    ).devices,
};
