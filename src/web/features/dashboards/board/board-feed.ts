// What the widgets of a dashboard show: one response of the server for all of them, and live values behind it.
import { type Signal, signal } from "@preact/signals";
import type { Position } from "../../../../lib/console/web-mercator.ts";
import { widgetKeys } from "../../../../lib/console/widget-keys.ts";
import { withActive } from "../../../../lib/devices/device-state.ts";
import type { Text } from "../../../../lib/texts/text.ts";
import type { LatestSnapshot, TelemetryValue } from "../../../lib/api-types.ts";
import type { TelemetryMessage } from "../../../lib/realtime-types.ts";
import { SeriesBuffer, thinningOf } from "../../../lib/series-buffer.ts";
import { DrawingPace } from "../../../platform/coalesce.ts";
import type { BoardAlarm, Executed, ResolvedDevice, Widget } from "../dashboards-api.ts";

interface Latest {
  readonly deviceId: string;
  ts: number;
  readonly values: Record<string, TelemetryValue>;
  readonly timestamps: Record<string, number>;
}

/** Creates an empty map for keys of devices, which may be any names, such as `constructor`. */
const emptyMap = <Value>(): Record<string, Value> => Object.create(null);

const timeOf = (timestamps: Readonly<Record<string, number>>, key: string, otherwise: number): number =>
  Object.hasOwn(timestamps, key) ? (timestamps[key] ?? otherwise) : otherwise;

function keepNewer(
  { values, timestamps }: Latest,
  input: Readonly<Record<string, TelemetryValue>>,
  givenAt: (key: string) => number,
): void {
  for (const [key, value] of Object.entries(input)) {
    const position = givenAt(key);
    if (position < (timestamps[key] ?? 0)) continue;
    values[key] = value;
    timestamps[key] = position;
  }
}

export interface WidgetSeries {
  readonly device: ResolvedDevice;
  readonly key: string;
  readonly buffer: SeriesBuffer;
}

/** Data of one widget. `version` changes with new data, at most once per frame. */
export interface WidgetFeed {
  readonly version: Signal<number>;
  devices: readonly ResolvedDevice[];
  series: readonly WidgetSeries[];
  /** The same series one window earlier, shifted into this one; only if the widget compares. */
  previous: readonly WidgetSeries[];
  /** Consumption of the previous period up to the same time; undefined unless the period continues. */
  previousSoFar: readonly WidgetSeries[] | undefined;
  /** Lowest and highest values of the intervals of `series`, in the same order; only if the widget shows a band. */
  low: readonly WidgetSeries[];
  high: readonly WidgetSeries[];
  alarms: readonly BoardAlarm[];
  /** Positions in attributes, by device; only for a map. */
  positions: ReadonlyMap<string, Position>;
  /** Devices that fit into the widget; undefined if all fit. Values of others do not redraw it. */
  roomFor: ReadonlySet<string> | undefined;
  /** Time window of the widget, if it has its own. */
  ownWindow: Executed["timeWindow"] | undefined;
  errorText: Text | undefined;
  isCut: boolean;
}

/** Returns whether a widget shows a key of a device. A widget without a list shows every key of every device. */
const shows = ({ config }: Widget, deviceId: string, key: string): boolean =>
  !Array.isArray(config.series) || config.series.includes(`${deviceId}/${key}`);

/** Returns whether the widget shows aggregates, which the server does not push. */
export const needsRefresh = (widget: Widget): boolean =>
  widgetKeys(widget.config).length > 0 && !isRaw(widget);

/** Returns whether a widget shows raw values. Aggregates only come from the server, because only it can include a new value. */
const isRaw = ({ config, type }: Widget): boolean =>
  type === "stateTimeline" ||
  (type !== "energy" &&
    config.style !== "band" &&
    (config.aggregation === undefined || config.aggregation === "none"));

/** Max. time per frame for drawing widgets, in ms. The rest is drawn in later frames. */
const DRAWING_MS = 5;

/** Min. interval between drawings of a widget on a wall, in ms, because faster digits are unreadable. */
export const WALL_MS = 250;

export class BoardFeed {
  /** Min. interval between drawings of a widget, in ms. */
  readonly #restMs: number;
  readonly #drawnAt = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #feeds = new Map<string, WidgetFeed>();
  /** Newest values by device. */
  readonly #latest = new Map<string, Latest>();
  /** Widgets by device of their values. */
  readonly #byDevice = new Map<string, Set<string>>();
  readonly #widgets = new Map<string, Widget>();
  readonly #dirty = new Set<string>();
  /** Kept time window of points, sufficient for all widgets. */
  windowMs = 0;
  /** Widgets out of view, which are drawn when they come into view. */
  readonly #unseen = new Set<string>();
  readonly #pace = new DrawingPace(() => this.#draw());

  constructor(restMs = 0) {
    this.#restMs = restMs;
  }

  /** Draws changed widgets in turn as long as there is time, so that a full dashboard blocks nothing. */
  async #draw(): Promise<void> {
    const begin = performance.now();
    let nextAt = Number.POSITIVE_INFINITY;
    for (const id of this.#dirty) {
      if (this.#unseen.has(id)) continue;
      const dueAt = (this.#drawnAt.get(id) ?? 0) + this.#restMs;
      if (begin < dueAt) {
        nextAt = Math.min(nextAt, dueAt);
        continue;
      }
      if (performance.now() - begin > DRAWING_MS) return this.#show();
      this.#dirty.delete(id);
      this.#drawnAt.set(id, begin);
      const feed = this.#feeds.get(id);
      if (feed) feed.version.value++;
      // Resolves after the drawing that the line above has set going, within the same frame.
      await undefined;
    }
    clearTimeout(this.#timer);
    if (nextAt < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#show(), nextAt - performance.now());
  }

  #show(): void {
    this.#pace.ask();
  }

  setSeen(widgetId: string, isSeen: boolean): void {
    if (isSeen) this.#unseen.delete(widgetId);
    else this.#unseen.add(widgetId);
    if (isSeen && this.#dirty.has(widgetId)) this.#show();
  }

  /** Draws all changed widgets, in view or not, for a printer. */
  drawAll(): void {
    for (const id of this.#dirty) {
      const feed = this.#feeds.get(id);
      if (feed) feed.version.value++;
    }
    this.#dirty.clear();
  }

  /** Redraws widgets with a moving time axis. */
  moveOn(): void {
    for (const [id, { type }] of this.#widgets)
      if (type === "timeseries" || type === "stateTimeline") this.#dirty.add(id);
    this.#show();
  }

  of(widgetId: string): WidgetFeed {
    const widgetFeed = this.#feeds.get(widgetId);
    if (widgetFeed) return widgetFeed;
    const newWidgetFeed: WidgetFeed = {
      version: signal(0),
      devices: [],
      series: [],
      previous: [],
      previousSoFar: undefined,
      low: [],
      high: [],
      alarms: [],
      positions: new Map(),
      roomFor: undefined,
      ownWindow: undefined,
      errorText: undefined,
      isCut: false,
    };
    this.#feeds.set(widgetId, newWidgetFeed);
    return newWidgetFeed;
  }

  latestOf(deviceId: string): LatestSnapshot | undefined {
    return this.#latest.get(deviceId);
  }

  /** Returns every displayed device. */
  deviceIds(): string[] {
    return [...this.#byDevice.keys()];
  }

  /** Returns the devices of all widgets, each once. */
  devices(): ResolvedDevice[] {
    const devices = new Map<string, ResolvedDevice>();
    for (const id of this.#widgets.keys())
      for (const device of this.of(id).devices) devices.set(device.deviceId, device);
    return [...devices.values()];
  }

  /** Returns the time of the newest value of any device, in epoch ms. */
  newestTs(): number | undefined {
    let newest: number | undefined;
    for (const { ts } of this.#latest.values()) if (ts > (newest ?? 0)) newest = ts;
    return newest;
  }

  /** Fills widgets with data. @param isPart whether the response only contains some widgets, and the others are unchanged */
  fill(
    executed: Pick<Executed, "devices" | "data" | "timeWindow">,
    widgets: readonly Widget[],
    isPart = false,
  ): void {
    const devices = new Map(
      Object.values(executed.devices).flatMap((all) => all.map((d) => [d.deviceId, d])),
    );
    if (!isPart) {
      this.#byDevice.clear();
      this.#widgets.clear();
    }
    for (const widget of widgets) {
      const data = executed.data[widget.widgetId];
      if (data === undefined) continue;
      this.#widgets.set(widget.widgetId, widget);
      const feed = this.of(widget.widgetId);
      feed.devices = data.deviceIds.flatMap((id) => devices.get(id) ?? []);
      feed.alarms = data.alarms ?? [];
      feed.positions = new Map(data.positions?.map((position) => [position.deviceId, position]));
      feed.ownWindow = data.timeWindow;
      feed.errorText = data.errorText;
      const window = data.timeWindow ?? executed.timeWindow;
      feed.isCut = data.cut ?? false;
      feed.series = this.#seriesOf(widget, feed, { given: data.series ?? [], window });
      const besides = (series: typeof data.series) =>
        series === undefined ? [] : this.#seriesOf(widget, feed, { given: series, window });
      feed.previous = besides(data.previous);
      feed.previousSoFar = data.previousSoFar && besides(data.previousSoFar);
      feed.low = besides(data.low);
      feed.high = besides(data.high);
      for (const snapshot of data.latest ?? []) this.#keepLatest(snapshot);
      for (const id of data.deviceIds) this.#addReader(id, widget.widgetId);
      this.#dirty.add(widget.widgetId);
    }
    this.#show();
  }

  #seriesOf(
    widget: Widget,
    feed: WidgetFeed,
    response: { given: NonNullable<Executed["data"][string]["series"]>; window: Executed["timeWindow"] },
  ): WidgetSeries[] {
    const { given, window } = response;
    const found = new Map(
      given.flatMap(({ deviceId, series }) => series.map((s) => [`${deviceId}\n${s.key}`, s])),
    );
    return feed.devices.flatMap((device) =>
      widgetKeys(widget.config).flatMap((key) => {
        if (!shows(widget, device.deviceId, key)) return [];
        const buffer = new SeriesBuffer();
        const sent = found.get(`${device.deviceId}\n${key}`);
        buffer.replace(sent?.points ?? []);
        buffer.skipped = sent?.skipped ?? 0;
        buffer.thinned = thinningOf(sent, window);
        return { device, key, buffer };
      }),
    );
  }

  /** Keeps the newest values key by key: widgets only get their own keys, and values received meanwhile are newer. */
  #keepLatest({ deviceId, ts, values, timestamps = {} }: LatestSnapshot): void {
    const existingLatest = this.#latest.get(deviceId);
    const latest = existingLatest ?? { deviceId, ts, values: emptyMap(), timestamps: emptyMap() };
    keepNewer(latest, values, (key) => timeOf(timestamps, key, ts));
    latest.ts = Math.max(latest.ts, ts);
    this.#latest.set(deviceId, latest);
  }

  #addReader(deviceId: string, widgetId: string): void {
    const readers = this.#byDevice.get(deviceId) ?? new Set();
    this.#byDevice.set(deviceId, readers);
    readers.add(widgetId);
  }

  append({ deviceId, ts, values, timestamps = {} }: TelemetryMessage): void {
    const readers = this.#byDevice.get(deviceId);
    if (readers === undefined) return;
    this.#keepLatest({ deviceId, ts, values, timestamps });
    for (const id of readers) {
      this.#appendTo(id, { deviceId, ts, values, timestamps });
      if (this.#feeds.get(id)?.roomFor?.has(deviceId) !== false) this.#dirty.add(id);
    }
    this.#show();
  }

  #appendTo(
    widgetId: string,
    {
      deviceId,
      ts,
      values,
      timestamps,
    }: Pick<TelemetryMessage, "deviceId" | "ts" | "values"> & { timestamps: Record<string, number> },
  ): void {
    const widget = this.#widgets.get(widgetId);
    const feed = this.#feeds.get(widgetId);
    if (widget === undefined || feed === undefined || !isRaw(widget)) return;
    const { ownWindow: own } = feed;
    const windowMs = own ? own.to - own.from : this.windowMs;
    for (const { device, key, buffer } of feed.series)
      if (device.deviceId === deviceId && Object.hasOwn(values, key)) {
        const value = values[key];
        if (value === undefined) continue;
        buffer.add(timeOf(timestamps, key, ts), value);
        if (windowMs > 0) buffer.trimBefore(ts - 2 * windowMs);
      }
  }

  /** Updates the activity of a device. */
  setActive(deviceId: string, active: boolean): void {
    for (const id of this.#byDevice.get(deviceId) ?? []) {
      const feed = this.#feeds.get(id);
      if (feed === undefined) continue;
      feed.devices = feed.devices.map((d) => (d.deviceId === deviceId ? withActive(d, active) : d));
      this.#dirty.add(id);
    }
    this.#show();
  }
}
