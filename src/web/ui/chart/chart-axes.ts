import uPlot from "uplot";
import { formatDate, formatMark, formatValue } from "../../platform/i18n/format.ts";
import { darkNow } from "../../platform/preferences.ts";
import { textScale } from "../text-scale.ts";

const DAY = 86_400_000;
const AXIS_PX = 64;
/** Most axes, one on each side: more would take the room of the lines. The other values are in the legend. */
const AXES_MAX = 2;

export interface ChartSeries {
  readonly key: string;
  readonly color: string;
  /** Booleans are drawn as steps. */
  readonly stepped: boolean;
  /** Amounts of intervals are drawn as bars that begin with the interval. */
  readonly barred?: boolean;
  /** Lines with the same number share a value axis; numbers count from 0. */
  readonly scale: number;
}

function timeLabels(_: uPlot, splits: number[], _axis: number, _space: number, increment: number): string[] {
  return splits.map((ts) => {
    if (increment >= 28 * DAY) return formatDate(ts, "month");
    if (increment >= DAY) return formatDate(ts, "day");
    const midnight = new Date(ts).getHours() === 0 && new Date(ts).getMinutes() === 0;
    if (midnight && increment >= 60_000) return formatDate(ts, "day");
    return formatDate(ts, increment < 60_000 ? "time" : "minutes");
  });
}

function axisStyle(): uPlot.Axis {
  const dark = darkNow.value;
  const grid = { stroke: dark ? "#2a343b" : "#e7e8e4", width: 1 };
  const font = `${12 * textScale()}px ${getComputedStyle(document.body).fontFamily}`;
  return { stroke: dark ? "#a9b4b9" : "#55616a", grid, ticks: { ...grid, size: 4 }, font };
}

function groupsOf(series: readonly ChartSeries[]): ChartSeries[][] {
  const groups: ChartSeries[][] = [];
  for (const chartSeries of series) {
    groups[chartSeries.scale] ??= [];
    groups[chartSeries.scale]!.push(chartSeries);
  }
  return groups;
}

const isStepped = (group: readonly ChartSeries[]): boolean => group.every((s) => s.stepped);

/** Share of the range that is left free above and below the values. */
const PADDING = 0.1;

/** Returns a range that holds the values and the limits of the axis. */
const withLimits =
  (limits: readonly number[]) =>
  (_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax =>
    uPlot.rangeNum(
      Math.min(min ?? limits[0]!, ...limits),
      Math.max(max ?? limits[0]!, ...limits),
      PADDING,
      true,
    );

/** Room above the highest bar. */
const HEADROOM = 1.08;

/** Bars stand on zero. */
const fromZero = (_: uPlot, min: number, max: number): uPlot.Range.MinMax => [
  Math.min(0, min),
  Math.max(0, max) * HEADROOM || 1,
];

export function scalesFor(
  series: readonly ChartSeries[],
  limits: ReadonlyArray<{ readonly value: number; readonly scale: number }> = [],
): uPlot.Scales {
  const scales: uPlot.Scales = { x: { time: true, auto: false } };
  for (const [number, group] of groupsOf(series).entries()) {
    const own = limits.filter(({ scale }) => scale === number).map(({ value }) => value);
    if (isStepped(group)) scales[`y${number}`] = { range: [-0.15, 1.15] };
    else if (group.some((s) => s.barred)) scales[`y${number}`] = { range: fromZero };
    else scales[`y${number}`] = own.length > 0 ? { range: withLimits(own) } : {};
  }
  return scales;
}

export function axesFor(series: readonly ChartSeries[]): uPlot.Axis[] {
  const style = axisStyle();
  const groups = groupsOf(series);
  const valueAxes = groups.slice(0, AXES_MAX).map(
    (group, number): uPlot.Axis => ({
      ...style,
      scale: `y${number}`,
      side: number === 0 ? 3 : 1,
      size: AXIS_PX * textScale(),
      ...(groups.length > 1 && { stroke: group[0]!.color }),
      ...(number > 0 && { grid: { show: false } }),
      // Booleans have two marks that say what they mean.
      ...(isStepped(group)
        ? { splits: [0, 1], values: () => [formatValue(false), formatValue(true)] }
        : { values: (_: uPlot, splits: number[]) => splits.map(formatMark) }),
    }),
  );
  return [{ ...style, values: timeLabels, space: 76 * textScale(), size: 36 * textScale() }, ...valueAxes];
}
