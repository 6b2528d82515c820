import { consumptionInterval } from "../../lib/console/consumption-interval.ts";
import { symbolEntries } from "../../lib/console/widget-keys.ts";
import { DomainError, detail, inEnglish, toText } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { yearsLater } from "../../lib/time/same-time.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { AlarmsService } from "../alarms/alarms.service.ts";
import { type AlarmStatus, type ListedAlarm, OPEN_STATUSES } from "../alarms/alarms.types.ts";
import {
  pairIntervals,
  pairWithNextYear,
  type TelemetryService,
  valuesIn,
} from "../telemetry/telemetry.service.ts";
import {
  type Aggregation,
  DATA_POINTS_DEFAULT,
  type DeviceSeries,
  type LatestSnapshot,
  PackedPoints,
  type Point,
  pointsMaxOf,
} from "../telemetry/telemetry.types.ts";
import type { Principal } from "../users/users.types.ts";
import { hasOwnWindow, keysOf } from "./dashboard-form.ts";
import { dashboardTooLarge } from "./dashboards.errors.ts";
import type { AlarmRow, ResolvedDevice, ResponseRoom, Widget, WidgetData } from "./dashboards.types.ts";
import type { AbsoluteWindow, ShownWindow } from "./window-of.ts";

/*
 * Data of all widgets of a dashboard, read together: one query for the newest values, and one per kind of thinning or aggregation of series,
 * regardless of the number of widgets.
 */

/** Max. newest values per response, counted per widget; a widget without keys counts one per device. */
export const DASHBOARD_VALUES_MAX = 100_000;
/** Max. points per response, counted per widget. */
export const DASHBOARD_POINTS_MAX = 1_000_000;
/** Max. series of a whole dashboard. */
const SERIES_MAX = 5_000;
const POINTS_MIN = 20;
const SERIES_DEVICES_MAX = 50;
/** Points moved before the event loop turns: a local time of another year takes some microseconds. */
const MOVED_PER_STEP = 2_000;
const ALARMS_MAX = 200;
const ALARMS_DEFAULT = 50;
/** Max. alarms searched for those of some devices. */
const ALARMS_SCANNED_MAX = 2_000;
const CLEARED_STATUSES: readonly AlarmStatus[] = ["CLEARED_UNACK", "CLEARED_ACK"];

/** Approximate bytes of a value with its timestamp in a response. */
const VALUE_BYTES = 24;

/** Approximate bytes of an alarm in a response. */
const ALARM_BYTES = 300;

/** Bytes of memory that a character of a JSON value can take when it is parsed. */
const PARSED_BYTES = 16;

function bytesOf(value: unknown): number {
  if (typeof value === "string") return VALUE_BYTES + value.length;
  return typeof value === "object" && value !== null
    ? VALUE_BYTES + JSON.stringify(value).length
    : VALUE_BYTES;
}

function bytesOfSeries(found: readonly DeviceSeries[]): number {
  let bytes = 0;
  for (const { series } of found)
    for (const { points } of series) {
      if (points.values instanceof Float64Array) bytes += points.length * VALUE_BYTES;
      else for (const { value } of points) bytes += bytesOf(value);
    }
  return bytes;
}

function bytesOfLatest(found: readonly LatestSnapshot[]): number {
  let bytes = 0;
  for (const { values } of found) for (const key in values) bytes += bytesOf(values[key]);
  return bytes;
}

const isText = (response: object | undefined): response is Text =>
  response !== undefined && "code" in response;

/** Data that a widget type needs. Widgets of unknown types show the newest values. */
const needs: Readonly<Record<string, "series" | "latest" | "both" | "alarms" | "none">> = {
  timeseries: "series",
  energy: "series",
  value: "both",
  gauge: "latest",
  level: "latest",
  stateTimeline: "series",
  statePie: "latest",
  statusGrid: "latest",
  deviceTable: "latest",
  alarmList: "alarms",
  commandButton: "latest",
  slider: "latest",
  markdown: "none",
  floorPlan: "latest",
  map: "latest",
  synoptic: "latest",
};

/** Returns the data that a widget needs: a pie of time shows aggregates, a pie of devices their newest values. */
function needOf({ type, config }: Widget): (typeof needs)[string] {
  if (type === "statePie" && config.aggregation === "timeIn") return "series";
  return needs[type] ?? "latest";
}

interface Wanted {
  readonly widget: Widget;
  readonly devices: readonly ResolvedDevice[];
  readonly keys: readonly string[];
  readonly need: (typeof needs)[string];
  readonly window: ShownWindow;
}

/** Returns the devices that a widget shows: for a synoptic, the devices named by its symbols, and the first device for other symbols. */
function shownDevices(
  { type, config }: Widget,
  devices: readonly ResolvedDevice[],
): readonly ResolvedDevice[] {
  if (type !== "synoptic") return devices;
  const named = new Set(symbolEntries(config).map(({ deviceId }) => deviceId || devices[0]?.deviceId));
  return devices.filter(({ deviceId }) => named.has(deviceId));
}

/** Returns whether a widget gets all keys: an unknown type without keys. Every other widget gets its own keys. */
const showsAnyKey = ({ widget, keys }: Wanted): boolean =>
  keys.length === 0 && needs[widget.type] === undefined;

/** Returns the newest values of a device that a widget shows, and the time of its last message. */
function ownPart(snapshot: LatestSnapshot, wanted: Wanted): LatestSnapshot {
  if (showsAnyKey(wanted)) return snapshot;
  const { keys } = wanted;
  const own = <Value>(all: Readonly<Record<string, Value>>) =>
    Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(all, key) ? [[key, all[key] as Value]] : [])));
  return { ...snapshot, values: own(snapshot.values), timestamps: own(snapshot.timestamps) };
}

/** Widget type → its only aggregation. */
const fixedAggregations: Readonly<Record<string, Aggregation>> = { stateTimeline: "none", energy: "delta" };

/** Returns whether a chart shows the range of values per interval as a band around their average. */
const isBand = ({ config, type }: Widget): boolean => type === "timeseries" && config.style === "band";

function aggregationOf(widget: Widget): string {
  const own = typeof widget.config.aggregation === "string" ? widget.config.aggregation : "none";
  const shown = own === "none" && isBand(widget) ? "avg" : own;
  return fixedAggregations[widget.type] ?? shown;
}

/** Returns the query of a widget's series. Widgets with equal queries share a request. */
function seriesSpec({ widget, window }: Wanted) {
  const { config, type } = widget;
  const aggregation = aggregationOf(widget);
  const wanted = Number.isInteger(config.maxDataPoints) ? Number(config.maxDataPoints) : DATA_POINTS_DEFAULT;
  const maxDataPoints = Math.min(Math.max(1, wanted), pointsMaxOf(aggregation));
  const byDefault = type === "energy" ? consumptionInterval(window.to - window.from) : undefined;
  const interval =
    typeof config.interval === "string" && aggregation !== "none" ? config.interval : byDefault;
  const timezone = typeof config.timezone === "string" ? config.timezone : undefined;
  return { aggregation, maxDataPoints, interval, timezone };
}

const idsOf = (devices: readonly ResolvedDevice[], max = Number.POSITIVE_INFINITY): DeviceId[] =>
  devices.slice(0, max).map(({ deviceId }) => deviceId);

/** Returns the names of the only series that a widget shows; `undefined` for all. */
function ownSeriesOf({ config }: Widget): ReadonlySet<unknown> | undefined {
  return Array.isArray(config.series) ? new Set(config.series) : undefined;
}

/** Returns the series of a widget's keys and devices. */
function shownSeries(
  { widget, keys }: Wanted,
  devices: readonly ResolvedDevice[],
  found: ReadonlyMap<DeviceId, DeviceSeries> | undefined,
): DeviceSeries[] {
  const named = new Set(keys);
  const own = ownSeriesOf(widget);
  return devices.flatMap(({ deviceId }) => {
    const response = found?.get(deviceId);
    if (response === undefined) return [];
    const isShown = ({ key }: { readonly key: string }) =>
      named.has(key) && (own?.has(`${deviceId}/${key}`) ?? true);
    return [{ ...response, series: response.series.filter(isShown) }];
  });
}

const compares = ({ widget: { config } }: Wanted): boolean =>
  config.compare === true || config.compare === "year";

/** Returns the request with another aggregation. */
const withAggregation = (item: Wanted, aggregation: Aggregation): Wanted => ({
  ...item,
  widget: { ...item.widget, config: { ...item.widget.config, aggregation } },
});

/** Returns requests for one edge of the charts that show a band. */
const edgesOf = (wanted: readonly Wanted[], aggregation: Aggregation): Wanted[] =>
  wanted.filter(({ widget }) => isBand(widget)).map((item) => withAggregation(item, aggregation));

type QueryResult = Map<DeviceId, DeviceSeries> | Text;

/** Returns a key that is equal for widgets with the same request for the same devices. */
const groupOf = (item: Wanted) =>
  JSON.stringify([
    seriesSpec(item),
    item.window.from,
    item.window.to,
    idsOf(item.devices, SERIES_DEVICES_MAX),
  ]);

/** Returns the request for the comparison period, if the widget compares and there is such a period. */
const beforeOf = (item: Wanted): Wanted | undefined =>
  compares(item) && item.window.before !== undefined
    ? { ...item, window: { ...item.window, ...item.window.before } }
    : undefined;

/** Returns the request for the previous period up to the same time, if the widget shows that consumption. */
const beforeSoFarOf = (item: Wanted): Wanted | undefined =>
  item.widget.type === "energy" && compares(item) && item.window.beforeSoFar !== undefined
    ? { ...item, window: { ...item.window, ...item.window.beforeSoFar } }
    : undefined;

/** Returns the edges of the bands of a chart. */
function bandOf(
  item: Wanted,
  shown: readonly ResolvedDevice[],
  edges: { lows: ReadonlyMap<string, QueryResult>; highs: ReadonlyMap<string, QueryResult> },
): Pick<WidgetData, "low" | "high"> {
  const low = edges.lows.get(groupOf(withAggregation(item, "min")));
  const high = edges.highs.get(groupOf(withAggregation(item, "max")));
  if (low === undefined || high === undefined || isText(low) || isText(high)) return {};
  return { low: shownSeries(item, shown, low), high: shownSeries(item, shown, high) };
}

/**
 * Returns the function that moves a time of the comparison period into the current one; it returns undefined for a time that the current year does
 * not have. Weeks of a year have other dates, so they are compared by position.
 */
function moveOf(item: Wanted, before: AbsoluteWindow): (ts: number) => number | undefined {
  const { window } = item;
  const spec = seriesSpec(item);
  const { interval, timezone } = spec;
  const { yearZone } = window;
  if (yearZone === undefined || interval?.endsWith("w")) return pairIntervals(spec, before, window);
  if (interval !== undefined) return pairWithNextYear({ interval, timezone }, window, yearZone);
  return (ts) => {
    const moved = yearsLater(ts, 1, yearZone);
    return moved.isExact ? moved.ts : undefined;
  };
}

/** Returns points at their moved times. If a clock change makes a time occur twice, the first occurrence counts. */
async function movedPoints(
  points: PackedPoints,
  move: (ts: number) => number | undefined,
): Promise<PackedPoints> {
  const [stamps, values]: [number[], Point["value"][]] = [[], []];
  let count = 0;
  for (const { ts: before, value } of points) {
    if (++count % MOVED_PER_STEP === 0) await workShare.next();
    const ts = move(before);
    if (ts === undefined || ts <= (stamps.at(-1) ?? Number.NEGATIVE_INFINITY)) continue;
    stamps.push(ts);
    values.push(value);
  }
  return new PackedPoints(Float64Array.from(stamps), values);
}

/** Returns the series of the comparison period with their timestamps moved into the current one. */
async function movedToNow(
  item: Wanted,
  before: AbsoluteWindow,
  all: readonly DeviceSeries[],
): Promise<DeviceSeries[]> {
  const move = moveOf(item, before);
  const moved: DeviceSeries[] = [];
  for (const { series, ...device } of all) {
    const shown: DeviceSeries["series"] = [];
    for (const keySeries of series) {
      shown.push({ ...keySeries, points: await movedPoints(keySeries.points, move) });
      await workShare.pause(); // thousands of short series have too few points for the other pauses
    }
    moved.push({ ...device, series: shown });
  }
  return moved;
}

/** Counts the values and points of a response. @throws DomainError `too_large` */
function createTally() {
  let [values, points] = [0, 0];
  return {
    addValues(count: number): void {
      values += count;
      if (values > DASHBOARD_VALUES_MAX) throw dashboardTooLarge("values", DASHBOARD_VALUES_MAX);
    },
    addPoints(found: readonly DeviceSeries[]): void {
      for (const { series } of found) for (const { points: list } of series) points += list.length;
      if (points > DASHBOARD_POINTS_MAX) throw dashboardTooLarge("points", DASHBOARD_POINTS_MAX);
    },
  };
}

const showsSeries = ({ need }: Wanted): boolean => need === "series" || need === "both";
const showsLatest = ({ need }: Wanted): boolean => need === "latest" || need === "both";

/** Data of all widgets. */
interface Found {
  readonly latest: ReadonlyMap<DeviceId, LatestSnapshot>;
  readonly series: ReadonlyMap<string, QueryResult>;
  readonly previous: ReadonlyMap<string, QueryResult>;
  readonly previousSoFar: ReadonlyMap<string, QueryResult>;
  readonly lows: ReadonlyMap<string, QueryResult>;
  readonly highs: ReadonlyMap<string, QueryResult>;
}

/** Returns a function that returns each widget's data and counts it. */
function createParts({ latest, series, previous, previousSoFar, lows, highs }: Found) {
  const tally = createTally();
  const counted = (found: DeviceSeries[]) => {
    tally.addPoints(found);
    return found;
  };

  function latestPart(item: Wanted, shown: readonly ResolvedDevice[]): LatestSnapshot[] {
    const found = shown.flatMap(({ deviceId }) => latest.get(deviceId) ?? []);
    const parts = found.map((snapshot) => ownPart(snapshot, item));
    tally.addValues(valuesIn(parts));
    return parts;
  }

  async function seriesParts(item: Wanted, shown: readonly ResolvedDevice[]): Promise<Partial<WidgetData>> {
    const response = series.get(groupOf(item));
    if (isText(response)) return { error: inEnglish(response), errorText: response };
    // Another widget of the group may compare.
    const itemBefore = beforeOf(item);
    const compared = itemBefore && previous.get(groupOf(itemBefore));
    const itemSoFar = beforeSoFarOf(item);
    const soFar = itemSoFar && previousSoFar.get(groupOf(itemSoFar));
    const edges = isBand(item.widget) ? bandOf(item, shown, { lows, highs }) : {};
    for (const edge of [edges.low, edges.high]) tally.addPoints(edge ?? []);
    return {
      series: counted(shownSeries(item, shown, response)),
      ...(itemBefore !== undefined &&
        compared !== undefined &&
        !isText(compared) && {
          previous: await movedToNow(item, itemBefore.window, counted(shownSeries(item, shown, compared))),
        }),
      ...(soFar !== undefined &&
        !isText(soFar) && { previousSoFar: counted(shownSeries(item, shown, soFar)) }),
      ...edges,
    };
  }

  async function partOf(item: Wanted): Promise<WidgetData> {
    const { devices } = item;
    const shown = showsSeries(item) ? devices.slice(0, SERIES_DEVICES_MAX) : devices;
    return {
      deviceIds: idsOf(shown),
      ...(hasOwnWindow(item.widget) && { timeWindow: { from: item.window.from, to: item.window.to } }),
      ...(shown.length < devices.length && { cut: true }),
      ...(showsLatest(item) && { latest: latestPart(item, shown) }),
      ...(showsSeries(item) && (await seriesParts(item, shown))),
    };
  }
  return partOf;
}

interface WidgetInput {
  /** @throws DomainError `invalid` for an invalid window of the widget */
  windowOf(widget: Widget): ShownWindow;
  /** @throws DomainError `invalid` for an unresolvable alias */
  devicesOf(widget: Widget): Promise<readonly ResolvedDevice[]>;
}

/** Returns the request of a widget, or the reason why it cannot show anything. */
async function wantedOf(widget: Widget, input: WidgetInput): Promise<Wanted | Text> {
  try {
    const devices = shownDevices(widget, await input.devicesOf(widget));
    return {
      widget,
      devices,
      keys: keysOf(widget),
      need: needOf(widget),
      window: input.windowOf(widget),
    };
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid") throw error;
    return toText(error);
  }
}

interface Reader {
  readonly principal: Principal;
  readonly room: ResponseRoom;
}

export function createDashboardData(deps: {
  telemetry: Pick<TelemetryService, "latestOf" | "query">;
  alarms: Pick<AlarmsService, "page">;
}) {
  const { telemetry, alarms } = deps;

  async function latestOf({ principal, room }: Reader, wanted: readonly Wanted[]) {
    const asking = wanted.filter(showsLatest);
    const ids = [...new Set(asking.flatMap(({ devices }) => idsOf(devices)))];
    const latest = new Map<DeviceId, LatestSnapshot>();
    if (ids.length === 0) return latest;
    const isAnyKey = asking.some(showsAnyKey);
    const keys = isAnyKey ? undefined : [...new Set(asking.flatMap((candidate) => candidate.keys))];
    const tally = createTally();
    try {
      const onJson = (characters: number) => room.reserve(characters * PARSED_BYTES);
      for await (const batch of telemetry.latestOf(principal, { deviceIds: ids, keys }, { onJson })) {
        tally.addValues(valuesIn(batch));
        room.reserve(bytesOfLatest(batch));
        for (const snapshot of batch) latest.set(snapshot.deviceId, snapshot);
      }
    } catch (error) {
      // The device was deleted after its alias was resolved; the next request leaves it out.
      if (!(error instanceof DomainError) || error.kind !== "not_found") throw error;
    }
    return latest;
  }

  async function query(
    { principal, room }: Reader,
    members: readonly Wanted[],
    pointsMax: number,
  ): Promise<QueryResult> {
    const [first] = members;
    if (first === undefined) return new Map();
    const spec = seriesSpec(first);
    const { from, to } = first.window;
    const keys = [...new Set(members.flatMap((member) => member.keys))];
    try {
      const { data } = await telemetry.query(principal, {
        ...spec,
        from,
        to,
        maxDataPoints: Math.min(spec.maxDataPoints, pointsMax),
        deviceIds: idsOf(first.devices, SERIES_DEVICES_MAX),
        keys,
      });
      room.reserve(bytesOfSeries(data));
      return new Map(data.map((deviceSeries) => [deviceSeries.deviceId, deviceSeries]));
    } catch (error) {
      const isOfAll = !(error instanceof DomainError) || ["unavailable", "too_large"].includes(error.kind);
      if (isOfAll) throw error;
      return toText(error); // for example, strings cannot be averaged: reported for this query only
    }
  }

  async function seriesOf(reader: Reader, wanted: readonly Wanted[]) {
    const asking = wanted.filter((item) => showsSeries(item) && item.keys.length > 0);
    const groups = Map.groupBy(asking, groupOf);
    const sizeOf = (members: readonly Wanted[]) =>
      Math.min(members[0]?.devices.length ?? 0, SERIES_DEVICES_MAX) *
      new Set(members.flatMap(({ keys }) => keys)).size;
    const total = [...groups.values()].reduce((sum, members) => sum + sizeOf(members), 0);
    const pointsMax = Math.max(POINTS_MIN, Math.floor(DASHBOARD_POINTS_MAX / Math.max(1, total)));
    const results = new Map<string, QueryResult>();
    let asked = 0;
    for (const [group, members] of groups) {
      asked += sizeOf(members);
      results.set(
        group,
        asked > SERIES_MAX
          ? detail("dashboard.too_many_series", { max: SERIES_MAX })
          : await query(reader, members, pointsMax),
      );
    }
    return results;
  }

  /** Creates the reader of open alarms, most severe first and then newest first; cleared alarms follow on request, newest first. */
  function createAlarmList(principal: Principal) {
    const list = async (statuses: readonly AlarmStatus[], sort: string) => {
      const wanted = { statuses, sort, limit: ALARMS_SCANNED_MAX, offset: 0 };
      const found: ListedAlarm[] = [];
      for (const slice of (await alarms.page(principal, wanted)).slices) {
        found.push(...slice);
        await workShare.pause();
      }
      return found;
    };
    let [open, cleared]: Array<ReturnType<typeof list>> = [];
    /** Each list is read once for all widgets. */
    return async (withCleared: boolean) => {
      open ??= list(OPEN_STATUSES, "-severity");
      if (!withCleared) return open;
      cleared ??= list(CLEARED_STATUSES, "-raisedAt");
      return [...(await open), ...(await cleared)];
    };
  }

  async function alarmsOf(
    { widget, devices }: Wanted,
    listed: ReturnType<typeof createAlarmList>,
  ): Promise<AlarmRow[]> {
    const { config } = widget;
    const limit = Math.min(
      Number.isInteger(config.limit) ? Number(config.limit) : ALARMS_DEFAULT,
      ALARMS_MAX,
    );
    const isOfAlias = config.aliasId !== undefined || config.alias !== undefined;
    const only = isOfAlias ? new Set<string>(idsOf(devices)) : undefined;
    const items = await listed(config.showCleared === true);
    return items
      .filter(({ deviceId }) => only?.has(deviceId) ?? true)
      .slice(0, limit)
      .map(
        ({ alarmId, deviceId, deviceName, alarmType, severity, status, message, createdAt, raisedAt }) => ({
          alarmId,
          deviceId,
          deviceName,
          name: alarmType,
          severity,
          status,
          message,
          createdAt,
          raisedAt,
        }),
      );
  }

  /** Returns the data of each widget by its id. */
  return async (
    principal: Principal,
    widgets: readonly Widget[],
    input: WidgetInput & { readonly room: ResponseRoom },
  ): Promise<Record<string, WidgetData>> => {
    const data: Record<string, WidgetData> = Object.create(null);
    const wanted: Wanted[] = [];
    const tally = createTally(); // refuses more newest values than a response may contain before they are read, or further aliases
    for (const widget of widgets) {
      const item = await wantedOf(widget, input);
      if (isText(item)) {
        data[widget.widgetId] = { deviceIds: [], error: inEnglish(item), errorText: item };
        continue;
      }
      if (showsLatest(item)) tally.addValues(item.devices.length * Math.max(1, item.keys.length));
      wanted.push(item);
    }
    const listed = createAlarmList(principal);
    const reader = { principal, room: input.room };
    const [latest, series, previous, previousSoFar, lows, highs] = await Promise.all([
      latestOf(reader, wanted),
      seriesOf(reader, wanted),
      seriesOf(
        reader,
        wanted.flatMap((item) => beforeOf(item) ?? []),
      ),
      seriesOf(
        reader,
        wanted.flatMap((item) => beforeSoFarOf(item) ?? []),
      ),
      seriesOf(reader, edgesOf(wanted, "min")),
      seriesOf(reader, edgesOf(wanted, "max")),
    ]);
    const partOf = createParts({ latest, series, previous, previousSoFar, lows, highs });
    for (const candidate of wanted) {
      const alarmsShown = candidate.need === "alarms" && { alarms: await alarmsOf(candidate, listed) };
      if (alarmsShown !== false) input.room.reserve(alarmsShown.alarms.length * ALARM_BYTES);
      data[candidate.widget.widgetId] = { ...(await partOf(candidate)), ...alarmsShown };
      await workShare.pause();
    }
    return data;
  };
}
