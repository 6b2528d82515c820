import { aggregatedMetadata } from "../../../../lib/key-metadata.ts";
import type { TelemetryValue } from "../../../lib/api-types.ts";
import { formatDate } from "../../../platform/i18n/format.ts";
import { keyName, metadataOf } from "../../../platform/key-metadata.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { stateAppearances } from "../../../ui/state-appearances.ts";
import type { WidgetSeries } from "../board-feed.ts";
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

/** Stretches of one value after the other, as far as they lie in what is shown. */
function segmentsOf({ buffer }: WidgetSeries, bounds: Bounds): Segment[] {
  const segments: Segment[] = [];
  const { ts, values } = buffer;
  for (const [index, position] of ts.entries()) {
    const value = values[index];
    const last = segments.at(-1);
    if (value === undefined) continue;
    if (last !== undefined) segments[segments.length - 1] = { ...last, to: position };
    if (last === undefined || last.value !== value) segments.push({ from: position, to: bounds.to, value });
    else segments[segments.length - 1] = { ...last, to: bounds.to };
  }
  return segments
    .filter(({ from, to }) => to > bounds.from && from < bounds.to)
    .map((segment) => ({
      ...segment,
      from: Math.max(segment.from, bounds.from),
      to: Math.min(segment.to, bounds.to),
    }));
}

/** From this length on, the ends of a time are on different days. */
const LONG_MS = 20 * 3_600_000;

/** Returns the ends of the time that is shown, without the day if it is short. */
function formatTimeRange({ from, to }: Bounds): string {
  const isLong = to - from >= LONG_MS;
  const format = (ts: number) =>
    isLong ? `${formatDate(ts, "day")}, ${formatDate(ts, "minutes")}` : formatDate(ts, "minutes");
  return `${format(from)} – ${format(to)}`;
}

export function StateTimelineWidget(props: WidgetProps) {
  const { feed } = props;
  void feed.version.value;
  const bounds = props.boundsNow();
  const lanes = feed.series.map((widgetSeries) => segmentsOf(widgetSeries, bounds));
  const appearances = stateAppearances(
    lanes.flatMap((lane) => lane.map(({ value }) => value)),
    feed.series.map((widgetSeries) => metadataOfSeries(props, widgetSeries)),
    darkNow.value,
  );
  const width = Math.max(1, bounds.to - bounds.from);
  const share = (ms: number) => `${(ms / width) * 100}%`;
  return (
    <div {...scrolling} class="flex h-full min-h-0 flex-col gap-2 overflow-y-auto">
      {feed.series.map((widgetSeries, index) => (
        <div key={`${widgetSeries.device.deviceId} ${widgetSeries.key}`} class="flex items-center gap-3">
          <span class="w-24 flex-none truncate text-sm text-soft" title={labelOf(props, widgetSeries)}>
            {labelOf(props, widgetSeries)}
          </span>
          <div class="relative h-6 min-w-0 flex-1 overflow-hidden rounded-field bg-base-200">
            {(lanes[index] ?? []).map(({ from, to, value }) => (
              <span
                key={from}
                class="absolute inset-y-0"
                style={{
                  left: share(from - bounds.from),
                  width: share(to - from),
                  background: appearances.get(value)?.color,
                }}
                title={`${appearances.get(value)?.name} · ${formatDate(from, "time")} – ${formatDate(to, "time")}`}
              />
            ))}
          </div>
          <span class="reading w-20 flex-none truncate text-sm font-medium">
            {shown(props.widget, widgetSeries.buffer.values.at(-1), metadataOfSeries(props, widgetSeries))}
          </span>
        </div>
      ))}
      <div class="flex items-baseline gap-3 text-xs">
        <ul class="flex w-28 flex-1 flex-wrap gap-x-4 gap-y-1">
          {[...appearances].map(([state, { name, color }]) => (
            <li key={String(state)} class="flex items-center gap-1.5">
              <span
                class="size-2.5 flex-none rounded-full"
                style={{ background: color }}
                aria-hidden="true"
              />
              {name}
            </li>
          ))}
        </ul>
        <span class="flex-none text-soft">{formatTimeRange(bounds)}</span>
      </div>
    </div>
  );
}
