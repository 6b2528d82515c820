import { aggregatedMetadata } from "../../../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../../../lib/api-types.ts";
import { formatDate } from "../../../platform/i18n/format.ts";
import { keyName, metadataOf } from "../../../platform/key-metadata.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { stateAppearances } from "../../../ui/state/state-appearances.ts";
import type { WidgetSeries } from "../board/board-feed.ts";
import { MoreNote, useFittedRows } from "./fitted-rows.tsx";
import { keysOf, scrolling, shown } from "./values.ts";
import type { Bounds, WidgetProps } from "./widget.types.ts";

export const metadataOfSeries = ({ widget }: WidgetProps, { device, key }: WidgetSeries) =>
  aggregatedMetadata(metadataOf(device.deviceId, key), widget.config.aggregation);

export function labelOf({ widget, feed }: WidgetProps, { device, key }: WidgetSeries): string {
  const isOneKey = keysOf(widget).length === 1;
  const isOneDevice = feed.devices.length === 1;
  const name = keyName(device.deviceId, key);
  if (isOneDevice) return name;
  return isOneKey ? device.name : `${device.name} · ${name}`;
}

interface Segment {
  readonly from: number;
  readonly to: number;
  readonly value: TelemetryValue;
}

/** Returns the periods of successive values within the displayed time. */
function segmentsOf({ buffer }: WidgetSeries, { from, to }: Bounds): Segment[] {
  const segments: Segment[] = [];
  const { ts, values } = buffer;
  const next = buffer.indexOf(from);
  // A value exactly at the start replaces the previous value.
  const first = ts[next] === from ? next : Math.max(0, next - 1);
  for (let index = first; index < ts.length && ts[index]! < to; index++) {
    const value = values[index];
    const begin = Math.max(from, ts[index]!);
    const last = segments.at(-1);
    if (value === undefined || last?.value === value) continue;
    if (last !== undefined) segments[segments.length - 1] = { ...last, to: begin };
    segments.push({ from: begin, to, value });
  }
  return segments;
}

/** Steps of the displayed time: less than a pixel of most screens. */
const STEPS = 2_000;

/** Returns the displayed time in whole steps, so that little of a lane changes between drawings. */
function steppedBounds({ from, to }: Bounds): Bounds {
  const step = Math.max(1, (to - from) / STEPS);
  const end = Math.ceil(to / step) * step;
  return { from: end - (to - from), to: end };
}

/** Min. length of a time range whose ends are on different days. */
const LONG_MS = 20 * 3_600_000;

/** Returns the ends of the displayed time, without the day if it is short. */
function formatTimeRange({ from, to }: Bounds): string {
  const isLong = to - from >= LONG_MS;
  const format = (ts: number) =>
    isLong ? `${formatDate(ts, "day")}, ${formatDate(ts, "minutes")}` : formatDate(ts, "minutes");
  return `${format(from)} – ${format(to)}`;
}

export function StateTimelineWidget(props: WidgetProps) {
  const { feed, place } = props;
  redrawOn(feed.version);
  const bounds = steppedBounds(props.boundsNow());
  const fitted = useFittedRows<HTMLDivElement>(place === "wall", {
    selector: "[data-lane]",
    count: feed.series.length,
  });
  const series = feed.series.slice(0, fitted.shown);
  feed.roomFor = fitted.hiddenCount === 0 ? undefined : new Set(series.map(({ device }) => device.deviceId));
  const lanes = series.map((widgetSeries) => segmentsOf(widgetSeries, bounds));
  const appearances = stateAppearances(
    lanes.flatMap((lane) => lane.map(({ value }) => value)),
    series.map((widgetSeries) => metadataOfSeries(props, widgetSeries)),
    darkNow.value,
  );
  return (
    <MoreNote count={fitted.hiddenCount}>
      <div ref={fitted.host} {...scrolling} class="widget-scroll flex h-full min-h-0 flex-col gap-2">
        {series.map((widgetSeries, index) => (
          <Lane
            key={`${widgetSeries.device.deviceId} ${widgetSeries.key}`}
            name={labelOf(props, widgetSeries)}
            value={shown(
              props.widget,
              widgetSeries.buffer.values.at(-1),
              metadataOfSeries(props, widgetSeries),
            )}
            segments={lanes[index] ?? []}
            appearances={appearances}
            bounds={bounds}
          />
        ))}
        {fitted.hiddenCount === 0 && <LanesKey appearances={appearances} bounds={bounds} />}
      </div>
    </MoreNote>
  );
}

type Appearances = ReturnType<typeof stateAppearances>;

/** States of one series over time, and the newest one. */
function Lane(props: {
  name: string;
  value: string;
  segments: readonly Segment[];
  appearances: Appearances;
  bounds: Bounds;
}) {
  const { name, value, segments, appearances, bounds } = props;
  const width = Math.max(1, bounds.to - bounds.from);
  const share = (ms: number) => `${((ms / width) * 100).toFixed(3)}%`;
  return (
    <div class="flex items-center gap-2" data-lane>
      <span class="w-24 truncate text-sm text-soft" title={name}>
        {name}
      </span>
      <div class="relative h-6 min-w-16 flex-1 bg-base-200">
        {segments.map(({ from, to, value: state }) => (
          <span
            key={from === bounds.from ? "first" : from}
            class="absolute inset-y-0"
            style={{
              left: share(from - bounds.from),
              width: share(to - from),
              background: appearances.get(state)?.color,
            }}
            title={`${appearances.get(state)?.name} · ${formatDate(from, "time")} – ${formatDate(to, "time")}`}
          />
        ))}
      </div>
      <span class="reading w-20 flex-none truncate text-sm font-medium">{value}</span>
    </div>
  );
}

/** Legend of the colors of lanes, and their time. */
const LanesKey = ({ appearances, bounds }: { appearances: Appearances; bounds: Bounds }) => (
  <div class="flex items-baseline gap-3 text-xs in-[.wall]:text-sm">
    <ul class="flex w-28 flex-1 flex-wrap gap-x-4 gap-y-1">
      {[...appearances].map(([state, { name, color }]) => (
        <li key={String(state)} class="flex items-center gap-1.5">
          <span class="size-2.5 flex-none rounded-full" style={{ background: color }} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
    <span class="flex-none text-soft">{formatTimeRange(bounds)}</span>
  </div>
);
