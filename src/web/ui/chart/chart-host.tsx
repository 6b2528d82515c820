import { useLayoutEffect, useRef } from "preact/hooks";
import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import { alignColumns, type ChartColumns, type ChartValue } from "../../lib/chart-data.ts";
import type { LineStyle } from "../../lib/line-styles.ts";
import { type Extent, paneCount, paneOf, scaleGroups } from "../../lib/scale-groups.ts";
import { SeriesBuffer } from "../../lib/series-buffer.ts";
import { formatReading, formatSampleTime } from "../../platform/i18n/format.ts";
import { Chart, type ChartProps } from "./chart.tsx";
import type { ChartLimit } from "./chart.types.ts";
import type { ChartSeries } from "./chart-axes.ts";
import { limitBands, limitLines, lineStyle } from "./line-style.ts";
import { ColumnThinner } from "./thinned-columns.ts";

/** A line of a chart, and the data of its read-out. */
export interface ChartLine {
  readonly name: string;
  /** Undefined for a key without metadata. */
  readonly metadata: KeyMetadata | undefined;
  readonly buffer: SeriesBuffer;
  /** Smallest and largest value of each interval, which are drawn as a band. */
  readonly edges?: readonly [low: SeriesBuffer, high: SeriesBuffer] | undefined;
  readonly color: string;
  /** Unit that replaces that of the metadata. */
  readonly unit?: string | undefined;
  readonly style?: LineStyle;
  /** Amounts of intervals are drawn as bars. */
  readonly barred?: boolean;
  /** A line drawn for comparison only has no limits. */
  readonly isCompared?: boolean;
}

type Passed =
  | "bounds"
  | "height"
  | "events"
  | "annotations"
  | "axisLimits"
  | "isInert"
  | "label"
  | "window"
  | "link";

export interface ChartHostProps extends Pick<ChartProps, Passed> {
  readonly lines: readonly ChartLine[];
  /** Limits that replace those of the lines' metadata. */
  readonly limits?: ReadonlyArray<Omit<ChartLimit, "scale"> & { readonly line: number }>;
  /** Width in px, from which on only the visible points are drawn; without it, all are. */
  readonly width?: number;
}

/** Used as the edges of a line without a band. */
const NO_POINTS = new SeriesBuffer();

const isBanded = (lines: readonly ChartLine[]): boolean =>
  lines.some(({ edges }) => edges !== undefined && edges[0].ts.length > 0);

/** Returns the lowest and highest value of a line, including the edges of its band. */
function extentOf(columns: readonly (readonly ChartValue[])[]): Extent | undefined {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const column of columns)
    for (const value of column) {
      if (typeof value !== "number") continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  return min > max ? undefined : { min, max };
}

/** Returns the style of a line. A unit of its own applies to numbers only. */
function styleOf({ metadata, buffer, unit, style, barred }: ChartLine) {
  const own = lineStyle(metadata, buffer.values[0]);
  return {
    ...own,
    ...(unit !== undefined && { unit }),
    ...(!own.stepped && style !== undefined && { style }),
    ...(barred !== undefined && { barred }),
  };
}

function drawingOf({ lines, bounds, width, limits }: ChartHostProps, thinner: ColumnThinner) {
  const buffers = lines.map(({ buffer }) => buffer);
  const banded = isBanded(lines);
  const edges = banded ? lines.flatMap((line) => line.edges ?? [NO_POINTS, NO_POINTS]) : [];
  const columns =
    width === undefined || banded
      ? alignColumns([...buffers, ...edges], bounds)
      : thinner.columns(buffers, bounds, width);
  const [, ...values] = columns;
  const own = (index: number) => {
    const first = lines.length + 2 * index;
    return [index, ...(banded ? [first, first + 1] : [])].map((column) => values[column] ?? []);
  };
  const styles = lines.map(styleOf);
  const scales = scaleGroups(
    lines.map((_, index) => extentOf(own(index))),
    styles.map(({ unit }) => unit),
  );
  const scaleOf = (line: number) => scales[line] ?? 0;
  const limited = lines.flatMap(({ metadata, barred, isCompared }, line) =>
    limits !== undefined || barred || isCompared ? [] : [{ metadata, scale: scaleOf(line) }],
  );
  return {
    columns,
    banded,
    sources: buffers,
    series: lines.map(
      ({ name, color }, line): ChartSeries => ({
        key: name,
        color,
        ...(styles[line] ?? { stepped: false }),
        scale: scaleOf(line),
      }),
    ),
    limits: limits?.map(({ line, ...limit }) => ({ ...limit, scale: scaleOf(line) })) ?? limitLines(limited),
    bands: limitBands(limited),
  };
}

/** A chart of some lines; several charts below each other if the lines need more than two value axes. */
export function ChartHost(props: ChartHostProps) {
  const { lines, limits: _limits, width: _width, bounds, link, ...passed } = props;
  const thinner = useRef(new ColumnThinner()).current;
  useLayoutEffect(() => link.follow(bounds), [bounds.from, bounds.to]);
  const drawing = {
    ...passed,
    ...drawingOf(props, thinner),
    bounds,
    link,
    describe: (ts: number) =>
      [formatSampleTime(ts, bounds), ...lines.map((line) => readingAt(line, ts))].join(", "),
  };
  const count = paneCount(drawing.series.map(({ scale }) => scale));
  if (count === 1) return <Chart {...drawing} />;
  return (
    <div class="flex flex-col">
      {Array.from({ length: count }, (_, pane) => (
        <Chart
          key={pane}
          {...inPane(drawing, pane)}
          height={Math.max(HEIGHT_MIN, Math.floor(props.height / count))}
        />
      ))}
    </div>
  );
}

function readingAt({ name, metadata, buffer, unit }: ChartLine, ts: number): string {
  return `${name} ${formatReading(buffer.values[buffer.heldAt(ts)], metadata, { unit })}`;
}

/** Min. height at which a chart with axes is readable. */
const HEIGHT_MIN = 110;

/** Returns the drawing of one of the charts below each other. */
function inPane(drawing: ChartProps, pane: number): ChartProps {
  const { series, banded, columns, limits = [], bands = [] } = drawing;
  const only = <Item extends { readonly scale: number }>(items: readonly Item[]): Item[] =>
    items.flatMap((item) => {
      const own = paneOf(item.scale);
      return own.pane === pane ? [{ ...item, scale: own.scale }] : [];
    });
  const lines = series.flatMap(({ scale }, index) => (paneOf(scale).pane === pane ? [index] : []));
  const edges = banded
    ? lines.flatMap((index) => [series.length + 2 * index, series.length + 2 * index + 1])
    : [];
  const [axis, ...all] = columns;
  return {
    ...drawing,
    columns: [axis, ...[...lines, ...edges].map((index) => all[index] ?? [])] satisfies ChartColumns,
    series: only(series),
    sources: lines.map((index) => drawing.sources[index] ?? NO_POINTS),
    limits: only(limits),
    bands: only(bands),
    axisLimits: pane === 0 ? drawing.axisLimits : undefined,
    isLabelled: true,
  };
}
