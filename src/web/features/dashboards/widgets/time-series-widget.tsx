import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { lineColor } from "../../../lib/line-colors.ts";
import { toLineStyle } from "../../../lib/line-styles.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { ChartHost, type ChartLine } from "../../../ui/chart/chart-host.tsx";
import { type ChartLink, useChartLink } from "../../../ui/chart/chart-link.ts";
import { ReadOut } from "../../../ui/chart/read-out.tsx";
import { useAnnotations } from "../../annotations/use-annotations.ts";
import { StateDurations } from "../../telemetry/state-durations.tsx";
import type { WidgetFeed, WidgetSeries } from "../board/board-feed.ts";
import { labelOf, metadataOfSeries } from "./chart-widgets.tsx";
import { useFittedRows } from "./fitted-rows.tsx";
import { keysOf, numberOf, scrolling, shown, textField } from "./values.ts";
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

const hasPoints = ({ buffer }: WidgetSeries): boolean => buffer.ts.length > 0;

/** Returns the lines of the window, then those of the previous window in paler colors. */
function linesOf(props: WidgetProps): ChartLine[] {
  const { feed, widget } = props;
  const series = feed.series.filter(hasPoints);
  const idOf = ({ device, key }: WidgetSeries) => `${device.deviceId} ${key}`;
  const place = new Map(series.map((own, index) => [idOf(own), index]));
  const edgeOf = (edges: readonly WidgetSeries[], own: WidgetSeries) =>
    edges.find((edge) => idOf(edge) === idOf(own))?.buffer;
  const lineOf = (own: WidgetSeries, isCompared: boolean): ChartLine => {
    const color = lineColor(place.get(idOf(own)) ?? -1, darkNow.value);
    const [low, high] = [edgeOf(feed.low, own), edgeOf(feed.high, own)];
    return {
      name: labelOf(props, own),
      metadata: metadataOfSeries(props, own),
      buffer: own.buffer,
      edges: isCompared || low === undefined || high === undefined ? undefined : [low, high],
      color: isCompared ? `${color}66` : color,
      unit: textField(widget, "unit") || undefined,
      style: toLineStyle(widget.config.style),
      barred: widget.config.aggregation === "delta",
      isCompared,
    };
  };
  return [
    ...series.map((own) => lineOf(own, false)),
    ...feed.previous.filter(hasPoints).map((own) => lineOf(own, true)),
  ];
}

/** Values over time: as lines, or with `timeIn` the duration of each value. */
export const TimeSeriesWidget = (props: WidgetProps) =>
  props.widget.config.aggregation === "timeIn" ? <DurationsOf {...props} /> : <Lines {...props} />;

function DurationsOf(props: WidgetProps) {
  const { feed } = props;
  redrawOn(feed.version);
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

/** Max. interval between drawings on a wall, unless the window has moved by half a pixel. */
const STILL_MS_MAX = 1_000;

/** Returns the time to draw. On a wall, it is the same object as long as the difference is invisible. */
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
  redrawOn(feed.version);
  const [host, size] = useSize();
  const link = useChartLink();
  const bounds = useSteadyBounds(props, size.width);
  const plot = useMemo(
    () => <Plot {...props} bounds={bounds} size={size} link={link} />,
    [bounds, size, widget],
  );
  return (
    <div class="flex h-full min-h-0 flex-col">
      <Legend props={props} link={link} />
      <div ref={host} class="min-h-0 flex-1">
        {plot}
      </div>
    </div>
  );
}

interface PlotProps extends WidgetProps {
  readonly bounds: Bounds;
  readonly size: { readonly width: number; readonly height: number };
  readonly link: ChartLink;
}

/** Chart of a widget. Stacked charts may be higher than the widget. */
function Plot({ bounds, size, link, ...props }: PlotProps) {
  const { widget, feed, onWindow, onReset } = props;
  const lines = linesOf(props);
  const { annotations, cut } = useAnnotations(
    feed.series.filter(hasPoints).map(({ device }) => device),
    bounds,
  );
  if (lines.length === 0) return <p class="text-soft">{t("widget.nothing")}</p>;
  return (
    <div class="widget-scroll h-full overflow-x-hidden">
      <ChartHost
        lines={lines}
        bounds={bounds}
        width={size.width}
        height={size.height}
        annotations={annotations}
        axisLimits={{ min: numberOf(widget, "min"), max: numberOf(widget, "max") }}
        isInert={props.place === "wall"}
        label={t("data.chartOf", { keys: widget.name || keysOf(widget).join(", ") })}
        window={onWindow && { onWindow, onReset }}
        link={link}
      />
      {cut && <p class="text-xs text-soft">{cut}</p>}
    </div>
  );
}

/** Aggregates that the legend names, because a value of an interval differs from the newest value. */
const AGGREGATES_NAMED = ["avg", "min", "max", "sum", "count", "first", "last"] as const;

function Legend({ props, link }: { props: WidgetProps; link: ChartLink }) {
  const bounds = props.boundsNow();
  const lines = linesOf(props).filter(({ isCompared }) => !isCompared);
  const part = AGGREGATES_NAMED.find((name) => name === props.widget.config.aggregation);
  const fitted = useFittedRows<HTMLUListElement>(props.place === "wall", {
    selector: "li",
    count: lines.length,
    noteRem: 0,
  });
  return (
    <ul
      ref={fitted.host}
      {...scrolling}
      class="widget-scroll flex max-h-16 flex-none flex-wrap gap-x-4 gap-y-0.5 text-sm in-[.wall]:max-h-20 in-[.wall]:text-base"
    >
      {lines.slice(0, fitted.shown).map((line, index) => (
        <li key={index} class="flex min-w-0 items-baseline gap-1.5">
          <ReadOut
            line={line}
            link={link}
            bounds={bounds}
            text={(value) => shown(props.widget, value, line.metadata)}
            note={part && t(`legend.${part}`)}
          />
        </li>
      ))}
    </ul>
  );
}
