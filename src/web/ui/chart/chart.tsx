import { useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { ChartColumns } from "../../lib/chart-data.ts";
import { darkNow, language } from "../../platform/preferences.ts";
import type { ChartEvent, ChartLimit } from "./chart.types.ts";
import { axesFor, type ChartSeries, scalesFor } from "./chart-axes.ts";
import { strokeInPieces } from "./chart-lines.ts";

export interface ChartProps {
  readonly columns: ChartColumns;
  readonly series: readonly ChartSeries[];
  /** The last two columns are the lower and upper edge of a band around the first series. */
  readonly banded: boolean;
  readonly bounds: { readonly from: number; readonly to: number };
  readonly height: number;
  readonly limits?: readonly ChartLimit[];
  readonly events?: readonly ChartEvent[];
  readonly label: string;
  readonly onZoom: (from: number, to: number) => void;
  readonly onReset: () => void;
  /** The time under the pointer, or undefined when it left. */
  readonly onCursor: (ts: number | undefined) => void;
}

const LINE_WIDTH = 1.5;

/** Share of an interval that its bar takes, and its width in px at most. */
const BAR_SIZE: [number, number] = [0.88, Number.POSITIVE_INFINITY];

function pathsOf({ stepped, barred }: ChartSeries): uPlot.Series.PathBuilder {
  if (barred) return uPlot.paths.bars!({ align: 1, size: BAR_SIZE });
  return stepped ? uPlot.paths.stepped!({ align: 1 }) : () => null;
}

function optionsFor(props: ChartProps, width: number, latest: { current: ChartProps }): uPlot.Options {
  const lines: uPlot.Series[] = props.series.map((line) => ({
    label: line.key,
    scale: `y${line.scale}`,
    stroke: line.color,
    width: LINE_WIDTH,
    points: line.barred ? { show: false } : { size: 5 },
    paths: pathsOf(line),
    ...(line.barred && { fill: `${line.color}60` }),
  }));
  const edge = (): uPlot.Series => ({ scale: "y0", points: { show: false } });
  const edges = props.banded ? [edge(), edge()] : [];
  return {
    width,
    height: props.height,
    ms: 1,
    legend: { show: false },
    padding: [12, 28, 0, 0],
    cursor: {
      y: false,
      sync: { key: "device" },
      drag: { x: true, y: false, setScale: false },
      points: { size: 7 },
      bind: {
        dblclick: () => () => {
          latest.current.onReset();
          return null;
        },
      },
    },
    scales: scalesFor(props.series, props.limits),
    axes: axesFor(props.series),
    series: [{}, ...lines, ...edges],
    ...(props.banded && {
      bands: [
        {
          series: [3, 2] as [number, number],
          fill: `${props.series[0]?.color}30`,
        },
      ],
    }),
    hooks: {
      draw: [(u) => drawMarks(u, latest.current)],
      drawSeries: [
        (u, number) => {
          const line = props.series[number - 1];
          if (line && !line.stepped && !line.barred) strokeInPieces(u, number, line.color, LINE_WIDTH);
        },
      ],
      setSelect: [(u) => selected(u, latest.current.onZoom)],
      setCursor: [
        (u) => {
          const left = u.cursor.left ?? -1;
          latest.current.onCursor(left < 0 ? undefined : u.posToVal(left, "x"));
        },
      ],
    },
  };
}

const DASH_PX = 5;

function drawMarks(u: uPlot, { limits = [], events = [], bounds }: ChartProps): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const line = (color: string, [x1, y1, x2, y2]: readonly [number, number, number, number]) => {
    ctx.strokeStyle = color;
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.lineTo(x2, y2);
    ctx.stroke();
  };
  ctx.save();
  ctx.lineWidth = LINE_WIDTH * devicePixelRatio;
  ctx.setLineDash([DASH_PX * devicePixelRatio, DASH_PX * devicePixelRatio]);
  for (const { value, color, scale } of limits) {
    const y = u.valToPos(value, `y${scale}`, true);
    if (y >= top && y <= top + height) line(color, [left, y, left + width, y]);
  }
  ctx.setLineDash([]);
  for (const { ts, color } of events) {
    const x = u.valToPos(ts, "x", true);
    if (ts >= bounds.from && ts <= bounds.to) line(color, [x, top, x, top + height]);
  }
  ctx.restore();
}

const SELECT_PX_MIN = 6;

function selected(u: uPlot, onZoom: ChartProps["onZoom"]): void {
  const { left, width } = u.select;
  if (width < SELECT_PX_MIN) return;
  const from = Math.round(u.posToVal(left, "x"));
  const to = Math.round(u.posToVal(left + width, "x"));
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onZoom(from, to);
}

export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>();
  const latest = useRef(props);
  latest.current = props;
  const shape = JSON.stringify([
    props.series,
    props.limits,
    props.banded,
    props.height,
    darkNow.value,
    language.value,
  ]);
  useLayoutEffect(() => {
    const element = host.current!;
    const u = new uPlot(optionsFor(props, Math.max(200, element.clientWidth), latest), [[]], element);
    chart.current = u;
    draw(u, latest.current);
    const observer = new ResizeObserver(() =>
      u.setSize({ width: Math.max(200, element.clientWidth), height: props.height }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      u.destroy();
    };
  }, [shape]);
  // Within what is drawn now: what the whole of it takes is to be known.
  useLayoutEffect(() => {
    if (chart.current) draw(chart.current, props);
  }, [props.columns, props.bounds.from, props.bounds.to]);
  return <div ref={host} class="min-w-0" role="img" aria-label={props.label} data-testid="chart" />;
}

function draw(u: uPlot, { columns, bounds }: ChartProps): void {
  u.batch(() => {
    // uPlot reads the columns and never writes to them; its type merely does not say so.
    u.setData(columns as uPlot.AlignedData, false);
    u.setScale("x", { min: bounds.from, max: bounds.to });
  });
}
