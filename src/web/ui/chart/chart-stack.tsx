import type { ChartColumns } from "../../lib/chart-data.ts";
import { paneCount, paneOf } from "../../lib/scale-groups.ts";
import { Chart, type ChartProps } from "./chart.tsx";

/** Least height at which a chart with axes can be read. */
const HEIGHT_MIN = 110;

const inPane = <Item extends { readonly scale: number }>(items: readonly Item[], pane: number): Item[] =>
  items.flatMap((item) => {
    const own = paneOf(item.scale);
    return own.pane === pane ? [{ ...item, scale: own.scale }] : [];
  });

/** Returns the columns of the lines of one pane, with the edges of their bands. */
function columnsOf({ columns, series, banded }: ChartProps, pane: number): ChartColumns {
  const [axis, ...all] = columns;
  const own = series.flatMap(({ scale }, index) => (paneOf(scale).pane === pane ? [index] : []));
  const edges = banded
    ? own.flatMap((index) => [series.length + 2 * index, series.length + 2 * index + 1])
    : [];
  return [axis, ...[...own, ...edges].map((index) => all[index] ?? [])];
}

/** Charts one below the other, so that no line is without an axis: each has two at most. */
export function ChartStack(props: ChartProps) {
  const { series, limits = [], bands = [], height } = props;
  const count = paneCount(series.map(({ scale }) => scale));
  if (count === 1) return <Chart {...props} />;
  return (
    <div class="flex flex-col">
      {Array.from({ length: count }, (_, pane) => (
        <Chart
          key={pane}
          {...props}
          columns={columnsOf(props, pane)}
          series={inPane(series, pane)}
          sources={props.sources.filter((_, index) => paneOf(series[index]?.scale ?? 0).pane === pane)}
          limits={inPane(limits, pane)}
          bands={inPane(bands, pane)}
          height={Math.max(HEIGHT_MIN, Math.floor(height / count))}
          axisLimits={pane === 0 ? props.axisLimits : undefined}
          isLabelled
        />
      ))}
    </div>
  );
}
