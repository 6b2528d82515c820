import uPlot from "uplot";
import { unitSymbol } from "../../../lib/keys/key-format.ts";
import { type AxisLimits, type LineStyle, withAxisLimits } from "../../lib/line-styles.ts";
import { AXES_MAX } from "../../lib/scale-groups.ts";
import { formatDate, formatMark, formatMarks, formatValue } from "../../platform/i18n/format.ts";
import { darkNow } from "../../platform/preferences.ts";
import { textScale } from "../text-scale.ts";
import type { ChartLimit } from "./chart.types.ts";
import type { ChartLink } from "./chart-link.ts";

const DAY = 86_400_000;
const AXIS_PX_MIN = 40;
/** Min. distance between marks of a value axis, in px. */
const MARK_SPACE_PX = 30;
const LABEL_PX = 22;
/** Width of a character of an axis label, in px. */
const CHARACTER_PX = 7;

export interface ChartSeries {
  readonly key: string;
  readonly color: string;
  /** Booleans are drawn as steps. */
  readonly stepped: boolean;
  /** How numbers are drawn; a line by default. */
  readonly style?: LineStyle;
  /** Amounts of intervals are drawn as bars that start with the interval. */
  readonly barred?: boolean;
  /** Lines with the same number share a value axis; numbers count from 0. */
  readonly scale: number;
  /** Unit of the values, also shown with the marks of the axis. */
  readonly unit?: string | undefined;
  /** Named values, which are the marks of the axis. */
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

function axisStyle() {
  const dark = darkNow.value;
  const grid = { stroke: dark ? "#2a343b" : "#e7e8e4", width: 1 };
  const font = `${12 * textScale()}px ${getComputedStyle(document.body).fontFamily}`;
  const stroke = dark ? "#a9b4b9" : "#55616a";
  return { stroke, grid, ticks: { ...grid, size: 4 }, font } satisfies uPlot.Axis;
}

function groupsOf(series: readonly ChartSeries[]): ChartSeries[][] {
  const groups: ChartSeries[][] = [];
  for (const chartSeries of series) {
    groups[chartSeries.scale] ??= [];
    groups[chartSeries.scale]!.push(chartSeries);
  }
  return groups;
}

/** Max. length of a unit beside the number of a mark. */
const MARK_UNIT_CHARACTERS_MAX = 4;

/** Returns the unit of the axis: the common unit of its lines. */
function unitOf(group: readonly ChartSeries[]): string | undefined {
  const unit = group[0]?.unit;
  const isShort = unit !== undefined && unitSymbol(unit).length <= MARK_UNIT_CHARACTERS_MAX;
  return isShort && group.every((series) => series.unit === unit) ? unit : undefined;
}

/** Returns the named values of the axis, if they are the same for all its lines. */
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

const BINARY_UNIT = /^(?:[KMGTP]iB|By?)(?:\/|$)/;
/** Distances between marks that are round in powers of 1,024. */
const BINARY_STEPS = Array.from({ length: 61 }, (_, power) => 2 ** (power - 10));

function labelsFor(group: readonly ChartSeries[]): Pick<uPlot.Axis, "splits" | "values" | "incrs"> {
  const marks = marksOf(group);
  if (marks === undefined) {
    const unit = unitOf(group);
    return {
      values: (_: uPlot, splits: number[]) => formatMarks(splits, unit),
      ...(unit !== undefined && BINARY_UNIT.test(unit) && { incrs: BINARY_STEPS }),
    };
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

/** Share of the range left free above and below the values. */
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

/** Bars start at zero. */
const fromZero = (_: uPlot, min: number, max: number): uPlot.Range.MinMax => [
  Math.min(0, min),
  Math.max(0, max) * HEADROOM || 1,
];

/** Named values get a little space above and below. */
function steppedScale(group: readonly ChartSeries[]): uPlot.Scale {
  const values = marksOf(group)?.map(([value]) => value) ?? [];
  const room = 0.15 * (Math.max(...values) - Math.min(...values));
  return values.length > 1 ? { range: [Math.min(...values) - room, Math.max(...values) + room] } : {};
}

/** Returns the range rule of an axis, unless only its values determine it. */
function rangeOf(group: readonly ChartSeries[], limits: readonly number[]): uPlot.Scale {
  if (isStepped(group)) return steppedScale(group);
  if (group.some(isBarred)) return { range: fromZero };
  return limits.length > 0 ? { range: withLimits(limits) } : {};
}

/** Returns the scale with the ends that the user has set. */
function limited(scale: uPlot.Scale, limits: AxisLimits): uPlot.Scale {
  const { range } = scale;
  return {
    range: (u, min, max, name) => {
      const own: uPlot.Range.MinMax =
        typeof range === "function"
          ? range(u, min, max, name)
          : ((range as uPlot.Range.MinMax | undefined) ?? uPlot.rangeNum(min, max, PADDING, true));
      return withAxisLimits([own[0] ?? 0, own[1] ?? 1], limits);
    },
  };
}

export const isBarred = ({ barred, style }: ChartSeries): boolean => barred === true || style === "bar";

interface AxesSpec {
  readonly series: readonly ChartSeries[];
  readonly limits?: readonly ChartLimit[] | undefined;
  /** Ends of the first value axis. */
  readonly axisLimits?: AxisLimits | undefined;
  readonly height: number;
  /** True if the axes have labels. */
  readonly isLabelled?: boolean | undefined;
}

export function scalesFor({ series, limits = [], axisLimits }: AxesSpec): uPlot.Scales {
  const scales: uPlot.Scales = { x: { time: true, auto: false } };
  for (const [number, group] of groupsOf(series).entries()) {
    const inView = limits.flatMap(({ scale, isInView, value }) =>
      scale === number && isInView === true ? [value] : [],
    );
    const scale = rangeOf(group, inView);
    const isSet = axisLimits?.min !== undefined || axisLimits?.max !== undefined;
    scales[`y${number}`] = number === 0 && isSet ? limited(scale, axisLimits) : scale;
  }
  return scales;
}

/** Returns the label of an axis: the names of its lines, and their unit if the marks have no space for it. */
function labelOf(group: readonly ChartSeries[], height: number): string {
  const [first] = group;
  const unit = group.every((series) => series.unit === first?.unit) ? first?.unit : undefined;
  const isOnMarks = unitOf(group) !== undefined || unit === undefined;
  const names = [...new Set(group.map(({ key }) => key))].join(", ");
  const text = isOnMarks ? names : `${names} (${unitSymbol(unit)})`;
  const charactersMax = Math.floor(height / CHARACTER_PX);
  return text.length <= charactersMax ? text : `${text.slice(0, Math.max(1, charactersMax - 1))}…`;
}

/** Space between axis marks and lines, in px. */
const MARK_GAP_PX = 12;

/**
 * Returns a function that sizes an axis by its longest mark and by the axes that it is aligned with. It never gets narrower, so that live values do
 * not shift the lines.
 */
function sizeByMarks(
  widths: ChartLink["left"],
  least: number,
  labelPx: number,
): NonNullable<uPlot.Axis["size"]> {
  let widest = least;
  return (u, marks, number) => {
    const font = u.axes[number]?.font;
    if (marks !== null && marks.length > 0) {
      u.ctx.save();
      // uPlot keeps the font with its size in device px.
      if (Array.isArray(font)) u.ctx.font = String(font[0]);
      const own = marks.map((mark) => u.ctx.measureText(mark).width / devicePixelRatio);
      u.ctx.restore();
      widest = Math.max(widest, Math.ceil(Math.max(...own)) + MARK_GAP_PX * textScale());
    }
    return widths.widen(u, widest + labelPx) - labelPx;
  };
}

const PADDING_RIGHT = 28;

/** Returns the padding to the right of the lines: the width of the axes that the chart lacks compared with the linked charts. */
export const rightPadding = ({ series }: Pick<AxesSpec, "series">, link: ChartLink): number =>
  PADDING_RIGHT + (series.some(({ scale }) => scale > 0) ? 0 : link.right.widest.peek());

export function axesFor({ series, height, isLabelled = false }: AxesSpec, link: ChartLink): uPlot.Axis[] {
  const style = axisStyle();
  const groups = groupsOf(series);
  const hasLabel = groups.length > 1 || isLabelled;
  const labelPx = hasLabel ? LABEL_PX * textScale() : 0;
  const valueAxes = groups.slice(0, AXES_MAX).map(
    (group, number): uPlot.Axis => ({
      ...style,
      scale: `y${number}`,
      side: number === 0 ? 3 : 1,
      space: MARK_SPACE_PX * textScale(),
      size: sizeByMarks(number === 0 ? link.left : link.right, AXIS_PX_MIN * textScale(), labelPx),
      ...(groups.length > 1 && { stroke: group[0]!.color }),
      ...(number > 0 && { grid: { show: false } }),
      ...(hasLabel && { label: labelOf(group, height), labelFont: style.font, labelSize: labelPx }),
      ...labelsFor(group),
    }),
  );
  return [{ ...style, values: timeLabels, space: 76 * textScale(), size: 30 * textScale() }, ...valueAxes];
}
