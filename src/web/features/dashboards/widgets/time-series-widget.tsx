import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ChartColumns, ChartValue } from "../../../lib/chart-data.ts";
import { alignColumns, skippedIn } from "../../../lib/chart-data.ts";
import { lineColor } from "../../../lib/line-colors.ts";
import { toLineStyle } from "../../../lib/line-styles.ts";
import { type Extent, paneCount, scaleGroups } from "../../../lib/scale-groups.ts";
import { SeriesBuffer } from "../../../lib/series-buffer.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { darkNow } from "../../../platform/preferences.ts";
import type { ChartSeries } from "../../../ui/chart/chart-axes.ts";
import { ChartStack } from "../../../ui/chart/chart-stack.tsx";
import { limitBands, limitLines, lineStyle } from "../../../ui/chart/line-style.ts";
import { SampleTime } from "../../../ui/chart/sample-time.tsx";
import { useAnnotations } from "../../annotations/use-annotations.ts";
import { StateDurations } from "../../telemetry/state-durations.tsx";
import type { WidgetFeed, WidgetSeries } from "../board-feed.ts";
import { ColumnThinner } from "../thinned-columns.ts";
import { labelOf, metadataOfSeries } from "./chart-widgets.tsx";
import { useFittedRows } from "./fitted-rows.tsx";
import { keysOf, numberOf, scrolling, shown, textOf } from "./values.ts";
import type { Bounds, WidgetProps } from "./widget.types.ts";

const SIZE_MIN = 80;

/** Returns a ref and the current size of its element. */
function useSize(): [{ current: HTMLDivElement | null }, { width: number; height: number }] {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 400, height: 200 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      setSize({
        width: Math.max(SIZE_MIN, element.clientWidth),
        height: Math.max(SIZE_MIN, element.clientHeight),
      }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}

function extentOf(column: readonly ChartValue[]): Extent | undefined {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of column) {
    if (typeof value !== "number") continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min > max ? undefined : { min, max };
}

/** Returns the style of a line. The widget's own unit is the unit of all lines. */
function styleOf(props: WidgetProps, widgetSeries: WidgetSeries) {
  const style = lineStyle(metadataOfSeries(props, widgetSeries), widgetSeries.buffer.values[0]);
  const unit = textOf(props.widget, "unit");
  return {
    ...style,
    ...(unit !== "" && { unit }),
    ...(!style.stepped && { style: toLineStyle(props.widget.config.style) }),
  };
}

/** Stands for the edges of a line without a band. */
const NO_POINTS = new SeriesBuffer();

const bufferOf = (series: readonly WidgetSeries[], { device, key }: WidgetSeries): SeriesBuffer =>
  series.find((own) => own.device.deviceId === device.deviceId && own.key === key)?.buffer ?? NO_POINTS;

/** What the chart is drawn from: the lines, those of the window before, and the edges of the bands. */
interface Drawn {
  /** Lines of the window; those of the window before follow. */
  readonly all: readonly WidgetSeries[];
  /** Number of lines of the window itself. */
  readonly count: number;
  readonly columns: ChartColumns;
  readonly isBanded: boolean;
  /** Value axis of each line. */
  readonly scales: readonly number[];
  readonly styles: ReadonlyArray<ReturnType<typeof styleOf>>;
}

/** Returns the lowest and highest value of a line together with the edges of its band. */
function extentIn(columns: readonly (readonly ChartValue[])[], index: number, count: number) {
  const edges = [count + 2 * index, count + 2 * index + 1];
  const extents = [index, ...edges].flatMap((column) => extentOf(columns[column] ?? []) ?? []);
  if (extents.length === 0) return undefined;
  return {
    min: Math.min(...extents.map(({ min }) => min)),
    max: Math.max(...extents.map(({ max }) => max)),
  };
}

/** Returns the lower and the upper edge of the band of each line. Lines of the window before have none. */
const edgesOf = ({ low, high }: WidgetFeed, all: readonly WidgetSeries[], count: number): SeriesBuffer[] =>
  all.flatMap((own, index) =>
    index < count ? [bufferOf(low, own), bufferOf(high, own)] : [NO_POINTS, NO_POINTS],
  );

function drawnOf(
  props: WidgetProps,
  bounds: Bounds,
  sheet: { thinner: ColumnThinner; width: number },
): Drawn {
  const { feed } = props;
  const hasPoints = ({ buffer }: WidgetSeries) => buffer.ts.length > 0;
  const series = feed.series.filter(hasPoints);
  const all = [...series, ...feed.previous.filter(hasPoints)];
  const buffers = all.map(({ buffer }) => buffer);
  const isBanded = feed.low.some(hasPoints);
  const columns = isBanded
    ? alignColumns([...buffers, ...edgesOf(feed, all, series.length)], bounds)
    : sheet.thinner.columns(buffers, bounds, sheet.width);
  const styles = all.map((widgetSeries) => styleOf(props, widgetSeries));
  const [, ...values] = columns;
  const scales = scaleGroups(
    all.map((_, index) => extentIn(values, index, isBanded ? all.length : values.length)),
    styles.map(({ unit }) => unit),
  );
  return { all, count: series.length, columns, isBanded, scales, styles };
}

/** Returns the lines as the chart has them. A line of the window before has the colour of its own, only paler. */
function linesOf(props: WidgetProps, { all, count, styles, scales }: Drawn): ChartSeries[] {
  const dark = darkNow.value;
  const colorOf = (own: WidgetSeries, index: number): string => {
    if (index < count) return lineColor(index, dark);
    const position = all.findIndex(
      ({ device, key }) => device.deviceId === own.device.deviceId && key === own.key,
    );
    return `${lineColor(position, dark)}66`;
  };
  return all.map((own, index) => ({
    key: labelOf(props, own),
    color: colorOf(own, index),
    ...(styles[index] ?? { stepped: false }),
    ...(props.widget.config.aggregation === "delta" && { barred: true }),
    scale: scales[index] ?? 0,
  }));
}

/** Values over time: as lines, or with `timeIn` how long each of them held. */
export const TimeSeriesWidget = (props: WidgetProps) =>
  props.widget.config.aggregation === "timeIn" ? <DurationsOf {...props} /> : <Lines {...props} />;

function DurationsOf(props: WidgetProps) {
  const { feed } = props;
  void feed.version.value;
  const series = feed.series.map((own) => ({
    id: `${own.device.deviceId} ${own.key}`,
    name: labelOf(props, own),
    metadata: metadataOf(own.device.deviceId, own.key),
    buffer: own.buffer,
  }));
  return (
    <div {...scrolling} class="h-full min-h-0 widget-scroll">
      <StateDurations series={series} bounds={props.boundsNow()} />
    </div>
  );
}

/** On a wall, a chart is drawn again when its window has moved by half a pixel, or after this time. */
const STILL_MS_MAX = 1_000;

/** Returns the time to draw. On a wall it stays the same object as long as nobody could see the difference. */
function useSteadyBounds({ feed, place, boundsNow }: WidgetProps, width: number): Bounds {
  const drawn = useRef<{ bounds: Bounds; series: WidgetFeed["series"]; width: number; at: number }>();
  const { series } = feed;
  const timeMs = performance.now();
  if (place === "wall" && drawn.current?.series === series && drawn.current.width === width) {
    const { bounds, at } = drawn.current;
    if (timeMs - at < Math.min(STILL_MS_MAX, (bounds.to - bounds.from) / width / 2)) return bounds;
  }
  drawn.current = { bounds: boundsNow(), series, width, at: timeMs };
  return drawn.current.bounds;
}

function Lines(props: WidgetProps) {
  const { widget, feed } = props;
  void feed.version.value;
  const [host, size] = useSize();
  const cursor = useSignal<number | undefined>(undefined);
  const bounds = useSteadyBounds(props, size.width);
  const series = feed.series.filter(({ buffer }) => buffer.ts.length > 0);
  const plot = useMemo(
    () => <Plot {...props} bounds={bounds} size={size} cursor={cursor} />,
    [bounds, size, widget],
  );
  return (
    <div class="flex h-full min-h-0 flex-col">
      <Legend props={props} series={series} cursor={cursor} />
      <div ref={host} class="min-h-0 flex-1">
        {plot}
      </div>
    </div>
  );
}

interface PlotProps extends WidgetProps {
  readonly bounds: Bounds;
  readonly size: { readonly width: number; readonly height: number };
  readonly cursor: Signal<number | undefined>;
}

/** The chart of a widget. Charts below each other may be higher than the widget. */
function Plot({ bounds, size, cursor, ...props }: PlotProps) {
  const { widget } = props;
  const thinner = useRef(new ColumnThinner()).current;
  const drawn = drawnOf(props, bounds, { thinner, width: size.width });
  const series = drawn.all.slice(0, drawn.count);
  const annotations = useAnnotations(
    series.map(({ device }) => device.deviceId),
    bounds,
  );
  const limited = series.map((own, index) => ({
    metadata: metadataOfSeries(props, own),
    scale: drawn.scales[index] ?? 0,
  }));
  return (
    <div {...(paneCount(drawn.scales) > 1 && scrolling)} class="widget-scroll h-full overflow-x-hidden">
      {series.length === 0 && <p class="text-soft">{t("widget.nothing")}</p>}
      {series.length > 0 && (
        <ChartStack
          columns={drawn.columns}
          sources={drawn.all.map(({ buffer }) => buffer)}
          banded={drawn.isBanded}
          bounds={bounds}
          height={size.height}
          series={linesOf(props, drawn)}
          limits={limitLines(limited)}
          bands={limitBands(limited)}
          annotations={annotations}
          axisLimits={{ min: numberOf(widget, "min"), max: numberOf(widget, "max") }}
          isInert={props.place === "wall"}
          label={t("data.chartOf", { keys: widget.name || keysOf(widget).join(", ") })}
          onZoom={(from, to) => props.onZoom({ from, to })}
          onReset={props.onReset}
          onCursor={(ts) => {
            cursor.value = ts;
          }}
        />
      )}
    </div>
  );
}

/** A value in the legend that is of a whole interval says so: the newest value is another one. */
const AGGREGATES_NAMED = ["avg", "min", "max", "sum", "count", "first", "last"] as const;

function Legend(of: {
  props: WidgetProps;
  series: readonly WidgetSeries[];
  cursor: Signal<number | undefined>;
}) {
  const { props, series } = of;
  const cursor = of.cursor.value;
  const bounds = props.boundsNow();
  const part = AGGREGATES_NAMED.find((name) => name === props.widget.config.aggregation);
  const dark = darkNow.value;
  const fitted = useFittedRows<HTMLUListElement>(props.place === "wall", {
    selector: "li",
    count: series.length,
    noteRem: 0,
  });
  return (
    <ul
      ref={fitted.host}
      {...scrolling}
      class="widget-scroll flex max-h-16 flex-none flex-wrap gap-x-4 gap-y-0.5 text-sm"
    >
      {series.slice(0, fitted.shown).map((widgetSeries, index) => {
        const { buffer } = widgetSeries;
        const skipped = skippedIn(buffer, bounds);
        const value = buffer.values[buffer.heldAt(cursor ?? Number.POSITIVE_INFINITY)];
        return (
          <li
            key={`${widgetSeries.device.deviceId} ${widgetSeries.key}`}
            class="flex min-w-0 items-baseline gap-1.5"
          >
            <span
              class="h-0.5 w-3 flex-none self-center"
              style={{ background: lineColor(index, dark) }}
              aria-hidden="true"
            />
            <span class="truncate text-soft">{labelOf(props, widgetSeries)}</span>
            {part !== undefined && <span class="text-soft">{t(`legend.${part}`)}</span>}
            <span class="reading font-medium">
              {shown(props.widget, value, metadataOfSeries(props, widgetSeries))}
            </span>
            <SampleTime buffer={buffer} pointed={cursor} bounds={bounds} />
            {skipped > 0 && <span class="text-warning">{plural("data.skipped", skipped)}</span>}
          </li>
        );
      })}
    </ul>
  );
}
