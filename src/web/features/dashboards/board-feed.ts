// What the widgets of a dashboard show: one answer of the server for all of them, and live values behind it.
import { type Signal, signal } from "@preact/signals";
import type { Position } from "../../../lib/console/web-mercator.ts";
import { widgetKeys } from "../../../lib/console/widget-keys.ts";
import { withActive } from "../../../lib/devices/device-state.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { LatestSnapshot, TelemetryValue } from "../../lib/api-types.ts";
import type { TelemetryMessage } from "../../lib/realtime-types.ts";
import { SeriesBuffer, thinningOf } from "../../lib/series-buffer.ts";
import { DrawingPace } from "../../platform/coalesce.ts";
import type { BoardAlarm, Executed, ResolvedDevice, Widget } from "./dashboards-api.ts";

interface Latest {
  readonly deviceId: string;
  ts: number;
  readonly values: Record<string, TelemetryValue>;
  readonly timestamps: Record<string, number>;
}

/** Keys are what devices call them: `constructor` is a key like any other. */
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

/** Data of one widget; `version` changes when it has new data, at most once a frame. */
export interface WidgetFeed {
  readonly version: Signal<number>;
  devices: readonly ResolvedDevice[];
  series: readonly WidgetSeries[];
  /** The same series one window earlier, moved into this one; only where the widget compares. */
  previous: readonly WidgetSeries[];
  /** Consumption of the previous period up to the same time; undefined unless the period lasts. */
  previousSoFar: readonly WidgetSeries[] | undefined;
  /** Lowest and highest values of the intervals of `series`, in the same order; only where the widget shows a band. */
  low: readonly WidgetSeries[];
  high: readonly WidgetSeries[];
  alarms: readonly BoardAlarm[];
  /** Positions that attributes hold, by device; only of a map. */
  positions: ReadonlyMap<string, Position>;
  /** Devices for which the widget has room; undefined if it has room for all of them. Values of the others do not draw it anew. */
  roomFor: ReadonlySet<string> | undefined;
  /** The time that the widget shows, if it has a window of its own. */
  ownWindow: Executed["timeWindow"] | undefined;
  errorText: Text | undefined;
  isCut: boolean;
}

/** Returns whether a widget shows a key of a device; one without a list shows every key of every device. */
const shows = ({ config }: Widget, deviceId: string, key: string): boolean =>
  !Array.isArray(config.series) || config.series.includes(`${deviceId}/${key}`);

/** Returns whether the widget shows aggregates, which the server does not push. */
export const needsRefresh = (widget: Widget): boolean =>
  widgetKeys(widget.config).length > 0 && !isRaw(widget);

/** Aggregates come from the server alone: a value more belongs to an average that only it can make. */
const isRaw = ({ config, type }: Widget): boolean =>
  type === "stateTimeline" ||
  (type !== "energy" &&
    config.style !== "band" &&
    (config.aggregation === undefined || config.aggregation === "none"));

/** Time that drawing widgets may take of a frame, in ms; what is left of them is drawn in the next ones. */
const DRAWING_MS = 5;

/** Shortest time between two drawings of a widget on a wall, in ms: digits that change more often cannot be read. */
export const WALL_MS = 250;

export class BoardFeed {
  /** Shortest time between two drawings of a widget, in ms. */
  readonly #restMs: number;
  readonly #drawnAt = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #feeds = new Map<string, WidgetFeed>();
  /** Newest values by device. */
  readonly #latest = new Map<string, Latest>();
  /** Widgets to which a device's values belong. */
  readonly #byDevice = new Map<string, Set<string>>();
  readonly #widgets = new Map<string, Widget>();
  readonly #dirty = new Set<string>();
  /** Deep enough for what widgets show; older points go. */
  windowMs = 0;
  /** Widgets that are not on the screen now: they are drawn when they are. */
  readonly #unseen = new Set<string>();
  readonly #pace = new DrawingPace(() => this.#draw());

  constructor(restMs = 0) {
    this.#restMs = restMs;
  }

  /** Draws as many changed widgets as there is time for, in turn, so that a full board blocks nothing. */
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

  /** All that is new, on the screen or not: for a printer. */
  drawAll(): void {
    for (const id of this.#dirty) {
      const feed = this.#feeds.get(id);
      if (feed) feed.version.value++;
    }
    this.#dirty.clear();
  }

  /** Time has gone on, which is to be seen in what lies along it. */
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

  /** Every device that a widget shows. */
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

  /** `isPart`: the answer is about some of the widgets, all others are as they were. */
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
    answer: { given: NonNullable<Executed["data"][string]["series"]>; window: Executed["timeWindow"] },
  ): WidgetSeries[] {
    const { given, window } = answer;
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

  /** Key by key: widgets get their own keys alone, and what has come since is newer. */
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

  /** A device has fallen silent, or speaks again. */
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
