import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { Position } from "../../lib/console/web-mercator.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { DeviceState } from "../../lib/devices/device-state.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { DeviceSeries, LatestSnapshot } from "../telemetry/telemetry.types.ts";
import type { AbsoluteWindow } from "./window-of.ts";

export const DASHBOARD_TEMPLATES = ["AUTO", "CLIMATE", "ENERGY", "MOTOR", "LORAWAN"] as const;
export type DashboardTemplate = (typeof DASHBOARD_TEMPLATES)[number];

export const DASHBOARD_TYPES = ["STATIC", "CONTEXT_DEVICE"] as const;

/** Part of a dashboard: an object, or a string that may be its JSON. Stored and returned unchanged. */
export type Item = string | Readonly<Record<string, unknown>>;

export interface Widget {
  readonly widgetId: string;
  readonly type: string;
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Only state in which the widget is shown; default: all. */
  readonly dashboardStateId?: string;
}

/** Content of an empty dashboard. */
export const EMPTY_CONTENT = {
  type: "STATIC",
  states: [],
  layout: [],
  widgets: [],
  aliases: [],
  timeWindow: null,
  configuration: null,
  settings: null,
  tags: [],
} as const;

/** Max. earlier versions of a dashboard; the oldest are deleted first. */
export const VERSIONS_MAX = 30;
/**
 * Max. bytes of the earlier versions of a dashboard, and of all dashboards of a tenant. The newest version is always kept, so the tenant's limit may
 * delete all earlier versions of a dashboard that has not changed for long.
 */
export const VERSIONS_BYTES_MAX = { dashboard: 4 * 1024 ** 2, tenant: 64 * 1024 ** 2 };

/** Version of a dashboard, without its content. */
export interface VersionEntry {
  readonly version: number;
  readonly name: string;
  /** Number of widgets. */
  readonly widgets: number;
  /** Author of the version; empty if unknown. */
  readonly savedBy: string;
  /** Epoch ms. */
  readonly savedAt: number;
}

/** Devices of a widget; further fields depend on the type. */
export interface Alias {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface ResolvedDevice {
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly deviceType: string;
  readonly active: boolean;
  readonly state: DeviceState;
  /** Highest severity of open alarms, including those of a gateway's children. */
  readonly alarmSeverity?: AlarmSeverity;
  /** Number of open alarms of the device itself; absent without any. */
  readonly openAlarms?: number;
  readonly assetId: string | null;
}

/** Space of a response for data read before it is serialized. */
export interface ResponseRoom {
  /** @throws DomainError `too_large`, or `unavailable` if other responses leave no space */
  reserve(bytes: number): void;
}

/** Time range, state, widgets and context with which a dashboard is viewed. */
export interface ExecuteRequest {
  readonly timeRange?: unknown;
  readonly dashboardStateId?: string | undefined;
  /** Ids of the widgets to show; default: those of the state. */
  readonly widgetIds?: readonly string[] | undefined;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly room: ResponseRoom;
}

export interface AlarmRow {
  readonly alarmId: string;
  readonly deviceId: DeviceId;
  readonly deviceName: string;
  readonly name: string;
  readonly severity: string;
  readonly status: string;
  readonly message: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms of the last raise. */
  readonly raisedAt: number;
}

/** Data of one widget, limited to its type's needs. */
export interface WidgetData {
  readonly deviceIds: readonly DeviceId[];
  /** Time range that the widget shows, if it has its own window. */
  readonly timeWindow?: AbsoluteWindow;
  readonly series?: readonly DeviceSeries[];
  /** Series of the comparison period, with timestamps shifted into the current one. */
  readonly previous?: readonly DeviceSeries[];
  /** Lowest and highest values per interval of `series`, for a chart that shows a band. */
  readonly low?: readonly DeviceSeries[];
  readonly high?: readonly DeviceSeries[];
  readonly latest?: readonly LatestSnapshot[];
  readonly alarms?: readonly AlarmRow[];
  /** Positions from attributes, for a map. */
  readonly positions?: ReadonlyArray<Position & { readonly deviceId: DeviceId }>;
  /** Set if there are more devices than a widget shows. */
  readonly cut?: true;
  /** Reason why nothing can be shown, in English; also as code and parameters. */
  readonly error?: string;
  readonly errorText?: Text;
}
