import { DomainError } from "../../lib/domain-error.ts";
import type { DeviceId } from "../../lib/ids.ts";
import type { AlarmsService } from "../alarms/alarms.service.ts";
import type { AlarmStatus } from "../alarms/alarms.types.ts";
import type { TelemetryService } from "../telemetry/telemetry.service.ts";
import type { DeviceSeries, LatestSnapshot } from "../telemetry/telemetry.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { AlarmRow, ResolvedDevice, Widget, WidgetData } from "./dashboards.types.ts";
import type { AbsoluteWindow } from "./window-of.ts";

/*
 * What the widgets of a dashboard show, asked for together: the newest values of all of them at once, and one query for each way in
 * which series are to be thinned or aggregated, however many widgets want it.
 */

const KEYS_MAX = 50;
const SERIES_DEVICES_MAX = 50;
const POINTS_DEFAULT = 500;
const POINTS_MAX = 100_000;
const ALARMS_MAX = 200;
const ALARMS_DEFAULT = 50;
/** Of the newest, for those of some devices. */
const ALARMS_LOOKED_AT = 2_000;
const open: readonly AlarmStatus[] = ["ACTIVE_UNACK", "ACTIVE_ACK"];

/** What a widget type needs; those that are not known show newest values. */
const needs: Readonly<Record<string, "series" | "latest" | "both" | "alarms" | "none">> = {
  timeseries: "series",
  value: "both",
  gauge: "latest",
  level: "latest",
  stateTimeline: "series",
  statusGrid: "latest",
  deviceTable: "latest",
  alarmList: "alarms",
  commandButton: "latest",
  slider: "latest",
  markdown: "none",
  floorPlan: "latest",
};

interface Wanted {
  readonly widget: Widget;
  readonly devices: readonly ResolvedDevice[];
  readonly keys: readonly string[];
  readonly need: (typeof needs)[string];
}

const keysOf = ({ config }: Widget): string[] => {
  const given = Array.isArray(config.keys) ? config.keys : [config.key];
  return [...new Set(given.filter((key): key is string => typeof key === "string" && key !== ""))].slice(
    0,
    KEYS_MAX,
  );
};

/** How a widget's series are to be asked for: those with the same text are asked for together. */
function seriesSpec({ config, type }: Widget) {
  const isTimeline = type === "stateTimeline";
  const aggregation = typeof config.aggregation === "string" && !isTimeline ? config.aggregation : "none";
  const wanted = Number.isInteger(config.maxDataPoints) ? Number(config.maxDataPoints) : POINTS_DEFAULT;
  const maxDataPoints = Math.min(Math.max(1, wanted), POINTS_MAX);
  const interval =
    typeof config.interval === "string" && aggregation !== "none" ? config.interval : undefined;
  const timezone = typeof config.timezone === "string" ? config.timezone : undefined;
  return { aggregation, maxDataPoints, interval, timezone };
}

const idsOf = (devices: readonly ResolvedDevice[], max = Number.POSITIVE_INFINITY): DeviceId[] =>
  devices.slice(0, max).map(({ deviceId }) => deviceId);

export function createDashboardData(deps: {
  telemetry: Pick<TelemetryService, "latestOf" | "query">;
  alarms: Pick<AlarmsService, "list">;
}) {
  const { telemetry, alarms } = deps;

  async function latestOf(principal: Principal, wanted: readonly Wanted[]) {
    const asking = wanted.filter(({ need }) => need === "latest" || need === "both");
    const ids = [...new Set(asking.flatMap(({ devices }) => idsOf(devices)))];
    if (ids.length === 0) return new Map<DeviceId, LatestSnapshot>();
    const isAnyKey = asking.some(({ keys }) => keys.length === 0);
    const keys = isAnyKey ? undefined : [...new Set(asking.flatMap((one) => one.keys))];
    const snapshots = await telemetry.latestOf(principal, ids, keys);
    return new Map(snapshots.map((snapshot) => [snapshot.deviceId, snapshot]));
  }

  type Answer = Map<DeviceId, DeviceSeries> | string;

  async function seriesOf(principal: Principal, wanted: readonly Wanted[], window: AbsoluteWindow) {
    const groups = Map.groupBy(
      wanted.filter(({ need, keys }) => (need === "series" || need === "both") && keys.length > 0),
      ({ widget }) => JSON.stringify(seriesSpec(widget)),
    );
    const answers = new Map<string, Answer>();
    for (const [spec, members] of groups) {
      const [first] = members;
      if (first === undefined) continue;
      const deviceIds = [...new Set(members.flatMap(({ devices }) => idsOf(devices, SERIES_DEVICES_MAX)))];
      const keys = [...new Set(members.flatMap((one) => one.keys))];
      try {
        const { data } = await telemetry.query(principal, {
          ...seriesSpec(first.widget),
          ...window,
          deviceIds,
          keys,
        });
        answers.set(spec, new Map(data.map((one) => [one.deviceId, one])));
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind === "unavailable") throw error;
        answers.set(spec, error.message); // a key of texts cannot be averaged: said where it was asked for
      }
    }
    return answers;
  }

  function alarmsOf(principal: Principal, { widget, devices }: Wanted, isOfAlias: boolean): AlarmRow[] {
    const { config } = widget;
    const limit = Math.min(
      Number.isInteger(config.limit) ? Number(config.limit) : ALARMS_DEFAULT,
      ALARMS_MAX,
    );
    const only = isOfAlias ? new Set<string>(idsOf(devices)) : undefined;
    const { items } = alarms.list(principal, {
      ...(config.showCleared !== true && { statuses: open }),
      limit: only === undefined ? limit : ALARMS_LOOKED_AT,
      offset: 0,
    });
    return items
      .filter(({ deviceId }) => only?.has(deviceId) ?? true)
      .slice(0, limit)
      .map(({ alarmId, deviceId, deviceName, alarmType, severity, status, message, createdAt }) => ({
        alarmId,
        deviceId,
        deviceName,
        name: alarmType,
        severity,
        status,
        message,
        createdAt,
      }));
  }

  /** Of each widget by its id. */
  return async (
    principal: Principal,
    widgets: readonly Widget[],
    given: { window: AbsoluteWindow; devicesOf: (widget: Widget) => readonly ResolvedDevice[] },
  ): Promise<Record<string, WidgetData>> => {
    const wanted = widgets.map((widget) => ({
      widget,
      devices: given.devicesOf(widget),
      keys: keysOf(widget),
      need: needs[widget.type] ?? "latest",
    }));
    const [latest, series] = await Promise.all([
      latestOf(principal, wanted),
      seriesOf(principal, wanted, given.window),
    ]);

    function dataOf(one: Wanted): WidgetData {
      const { widget, devices, keys, need } = one;
      const isSeries = need === "series" || need === "both";
      const shown = isSeries ? devices.slice(0, SERIES_DEVICES_MAX) : devices;
      const answer = series.get(JSON.stringify(seriesSpec(widget)));
      const ofKeys = (found: DeviceSeries): DeviceSeries => ({
        ...found,
        series: found.series.filter(({ key }) => keys.includes(key)),
      });
      return {
        deviceIds: idsOf(shown),
        ...(shown.length < devices.length && { cut: true }),
        ...(need !== "series" &&
          need !== "none" &&
          need !== "alarms" && {
            latest: shown.flatMap(({ deviceId }) => latest.get(deviceId) ?? []),
          }),
        ...(isSeries && typeof answer === "string" && { error: answer }),
        ...(isSeries &&
          typeof answer !== "string" && {
            series: shown.flatMap(({ deviceId }) => {
              const found = answer?.get(deviceId);
              return found === undefined ? [] : [ofKeys(found)];
            }),
          }),
        ...(need === "alarms" && {
          alarms: alarmsOf(
            principal,
            one,
            widget.config.aliasId !== undefined || widget.config.alias !== undefined,
          ),
        }),
      };
    }
    return Object.fromEntries(wanted.map((one) => [one.widget.widgetId, dataOf(one)]));
  };
}
