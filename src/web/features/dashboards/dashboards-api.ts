import type {
  customAliasSchema,
  customWidgetSchema,
  stateSchema,
} from "../../../modules/dashboards/dashboard-parts.schemas.ts";
import type {
  alarmRow,
  choicesBody,
  dashboardBody,
  executedBody,
  resolvedDevice,
  shareBody,
  versionEntryBody,
  widgetData,
} from "../../../modules/dashboards/dashboards.schemas.ts";
import type { LatestSnapshot, Series } from "../../lib/api-types.ts";
import type { JsonValue, Refined, Wire } from "../../lib/wire.ts";
import { get, load, patch, post, queryOf, remove } from "../../platform/api-client.ts";
import { type ResolvedKeys, takeKeyMetadata } from "../../platform/key-metadata.ts";

export type ResolvedDevice = Wire<typeof resolvedDevice>;
/** Link to a dashboard without sign-in. */
export type Share = Wire<typeof shareBody>;

export type WidgetConfig = Readonly<Record<string, JsonValue | undefined>>;
export type Widget = Refined<Wire<typeof customWidgetSchema>, { config: WidgetConfig }>;
export type Alias = Wire<typeof customAliasSchema> & Readonly<Record<string, unknown>>;
export type BoardState = Wire<typeof stateSchema>;

/** `{from, to}`; `{mode: live | relative, durationMs}`; `{mode: calendar, unit, offset, timezone}`. */
export type WindowSpec = Readonly<Record<string, unknown>>;

export interface Content {
  readonly states: readonly unknown[];
  readonly layout: readonly unknown[];
  readonly widgets: readonly unknown[];
  readonly aliases: readonly unknown[];
  readonly tags?: readonly string[];
  readonly timeWindow?: WindowSpec;
  readonly settings?: Readonly<Record<string, unknown>>;
}
export type Dashboard = Content &
  Pick<Wire<typeof dashboardBody>, "id" | "name" | "type" | "updatedAt" | "updatedBy">;
export type Choices = Wire<typeof choicesBody>;
export type VersionEntry = Wire<typeof versionEntryBody>;
export type DashboardVersion = Content & Omit<VersionEntry, "widgets">;
export type BoardAlarm = Wire<typeof alarmRow>;
export type WidgetData = Refined<
  Wire<typeof widgetData>,
  {
    series?: ReadonlyArray<{ readonly deviceId: string; readonly series: readonly Series[] }>;
    previous?: ReadonlyArray<{ readonly deviceId: string; readonly series: readonly Series[] }>;
    previousSoFar?: ReadonlyArray<{ readonly deviceId: string; readonly series: readonly Series[] }>;
    low?: ReadonlyArray<{ readonly deviceId: string; readonly series: readonly Series[] }>;
    high?: ReadonlyArray<{ readonly deviceId: string; readonly series: readonly Series[] }>;
    latest?: readonly LatestSnapshot[];
  }
>;
export type Executed = Refined<
  Dashboard,
  {
    timeWindow: Wire<typeof executedBody>["timeWindow"];
    devices: Readonly<Record<string, readonly ResolvedDevice[]>>;
    data: Readonly<Record<string, WidgetData>>;
  }
>;

/** Dashboards in the rotation of a link. */
export type ShareRotation = NonNullable<Share["rotation"]>;

/** Content of a shared link. `ownWindow` is the time window of the dashboard itself. */
export type SharedDashboard = Omit<Executed, "aliases" | "settings"> & {
  readonly ownWindow?: WindowSpec;
  readonly rotation?: ShareRotation;
  readonly keyMetadata?: ResolvedKeys;
};

export interface ExecuteRequest {
  readonly timeRange?: WindowSpec | undefined;
  readonly dashboardStateId?: string | undefined;
  /** Limits the response to these widgets. */
  readonly widgetIds?: readonly string[] | undefined;
  readonly context?: { readonly deviceId: string } | undefined;
}

export type DashboardForm = Partial<Omit<Dashboard, "id" | "updatedAt" | "updatedBy">>;

const BASE = "/api/dashboards";
const pathOf = (id: string) => `${BASE}/${encodeURIComponent(id)}`;

/** Templates for the dashboard of a device type, by their first widgets. */
export const TEMPLATES = ["AUTO", "CLIMATE", "ENERGY", "MOTOR", "LORAWAN"] as const;
type DashboardTemplate = (typeof TEMPLATES)[number];

export const dashboardsApi = {
  list: (search = "") => get<Dashboard[]>(`${BASE}?${queryOf({ search: search || undefined })}`),
  get: (id: string) => get<Dashboard>(pathOf(id)),
  create: (form: DashboardForm & { name: string }) => post<Dashboard>(BASE, form),
  /** @param updatedAt that of the changed dashboard; 412 if somebody has saved it since */
  update: (id: string, changes: DashboardForm, updatedAt: string) =>
    patch<Dashboard>(pathOf(id), changes, updatedAt),
  choices: () => get<Choices>(`${BASE}/mine`),
  choose: (id: string, changes: { isFavorite?: boolean; isStart?: boolean }) =>
    patch<Choices>(`${pathOf(id)}/mine`, changes),
  versions: (id: string) => get<VersionEntry[]>(`${pathOf(id)}/versions`),
  version: (id: string, version: number) => get<DashboardVersion>(`${pathOf(id)}/versions/${version}`),
  /** @param updatedAt that of the replaced version; 412 if somebody has saved the dashboard since */
  restore: (id: string, version: number, updatedAt: string) =>
    post<Dashboard>(`${pathOf(id)}/versions/${version}/restore`, undefined, updatedAt),
  delete: (id: string) => remove(pathOf(id)),
  execute: (id: string, request: ExecuteRequest) => post<Executed>(`${pathOf(id)}/execute`, request),
  preview: (dashboard: DashboardForm, request: ExecuteRequest) =>
    post<Executed>(`${BASE}/preview`, { dashboard, ...request }),
  forType: (request: { deviceType: string; name?: string; template: DashboardTemplate; timezone: string }) =>
    post<Dashboard>(`${BASE}/for-type`, request),
  import: (file: unknown) => post<Dashboard>(`${BASE}/import`, file),
  shares: (id: string) => get<Share[]>(`${pathOf(id)}/shares`),
  share: (
    id: string,
    form: { name: string; expiresAt: string | null; deviceId?: string; rotation?: ShareRotation },
  ) => post<Share>(`${pathOf(id)}/shares`, form),
  endShare: (id: string, shareId: string) => remove(`${pathOf(id)}/shares/${shareId}`),
  /** Returns the dashboard of the link of this page. */
  shared: async (request: ExecuteRequest & { readonly dashboardId?: string }) => {
    const response = await post<SharedDashboard>("/api/shared/dashboard", request);
    if (response.keyMetadata !== undefined) takeKeyMetadata(response.keyMetadata);
    return response;
  },
  exportFile: (id: string) => load(`${pathOf(id)}/export`),
  resolve: async (alias: Alias, deviceId?: string) =>
    (
      await post<{ devices: ResolvedDevice[] }>(`${BASE}/resolve-alias`, {
        alias,
        ...(deviceId !== undefined && { dashboardState: { deviceId } }),
      })
    ).devices,
};
