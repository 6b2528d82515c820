import uPlot from "uplot";
import { unitSymbol, withUnit } from "../../../lib/key-format.ts";
import { formatDate, formatMark, formatValue } from "../../platform/i18n/format.ts";
import { darkNow } from "../../platform/preferences.ts";
import { textScale } from "../text-scale.ts";
import type { ChartLimit } from "./chart.types.ts";

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
  /** Unit of the values, which the marks of the axis have too. */
  readonly unit?: string | undefined;
  /** Values that have names, which are the marks of the axis. */
  readonly marks?: readonly (readonly [value: number, name: string])[] | undefined;
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

/** Longest unit that has room beside the number of a mark. */
const MARK_UNIT_CHARACTERS_MAX = 4;

/** Returns the unit of the axis: the one that all its lines have. */
function unitOf(group: readonly ChartSeries[]): string | undefined {
  const unit = group[0]?.unit;
  const isShort = unit !== undefined && unitSymbol(unit).length <= MARK_UNIT_CHARACTERS_MAX;
  return isShort && group.every((series) => series.unit === unit) ? unit : undefined;
}

/** Returns the named values of the axis: those of its lines, if all lines have the same ones. */
function marksOf(group: readonly ChartSeries[]): ChartSeries["marks"] {
  const marks = group[0]?.marks;
  const text = JSON.stringify(marks);
  if (marks !== undefined && group.every((series) => JSON.stringify(series.marks) === text)) return marks;
  const isBoolean =
    isStepped(group) && group.every((series) => series.marks?.every(([value]) => value <= 1) ?? true);
  return isBoolean
    ? [
        [0, formatValue(false)],
        [1, formatValue(true)],
      ]
    : undefined;
}

function labelsFor(group: readonly ChartSeries[]): Pick<uPlot.Axis, "splits" | "values"> {
  const marks = marksOf(group);
  if (marks === undefined) {
    const unit = unitOf(group);
    return { values: (_: uPlot, splits: number[]) => splits.map((mark) => withUnit(formatMark(mark), unit)) };
  }
  const names = new Map(marks);
  return {
    splits: (u, axis) => {
      const scale = u.scales[u.axes[axis]?.scale ?? "y0"];
      const isShown = (value: number) => value >= (scale?.min ?? value) && value <= (scale?.max ?? value);
      return [...names.keys()].filter(isShown);
    },
    values: (_: uPlot, splits: number[]) => splits.map((value) => names.get(value) ?? formatMark(value)),
  };
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

/** Named values have a little room above and below them. */
function steppedScale(group: readonly ChartSeries[]): uPlot.Scale {
  const values = marksOf(group)?.map(([value]) => value) ?? [];
  const room = 0.15 * (Math.max(...values) - Math.min(...values));
  return values.length > 1 ? { range: [Math.min(...values) - room, Math.max(...values) + room] } : {};
}

export function scalesFor(series: readonly ChartSeries[], limits: readonly ChartLimit[] = []): uPlot.Scales {
  const scales: uPlot.Scales = { x: { time: true, auto: false } };
  for (const [number, group] of groupsOf(series).entries()) {
    const own = limits
      .filter(({ scale, isInView }) => scale === number && isInView === true)
      .map(({ value }) => value);
    if (isStepped(group)) scales[`y${number}`] = steppedScale(group);
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
      ...labelsFor(group),
    }),
  );
  return [{ ...style, values: timeLabels, space: 76 * textScale(), size: 36 * textScale() }, ...valueAxes];
}
