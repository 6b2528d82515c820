import { type Signal, useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { type Annotation, annotationsAt } from "../../lib/annotations.ts";
import { type ChartColumns, toNumber } from "../../lib/chart-data.ts";
import type { AxisLimits } from "../../lib/line-styles.ts";
import type { SeriesBuffer } from "../../lib/series-buffer.ts";
import type { TimeBounds } from "../../lib/time-window.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { darkNow, language } from "../../platform/preferences.ts";
import { textScale } from "../text-scale.ts";
import type { ChartBand, ChartEvent, ChartLimit } from "./chart.types.ts";
import { axesFor, type ChartSeries, isBarred, rightPadding, scalesFor } from "./chart-axes.ts";
import { ChartGestures, type ChartWindow } from "./chart-gestures.ts";
import { follow, pointer, pressKey } from "./chart-keys.ts";
import { dotLonePoints, fillToZero, strokeInPieces } from "./chart-lines.ts";
import type { ChartLink } from "./chart-link.ts";
import { drawAnnotations, drawBands, drawMarks } from "./chart-marks.ts";

const SIZE_PX = 7;

/**
 * Marks the sample of each line that applies at the pointer, as legends do. uPlot would mark the nearest sample, and only a sample left in thinned
 * columns.
 */
class PointerDots {
  readonly #dots: readonly HTMLElement[];

  constructor(host: HTMLElement, lines: readonly ChartSeries[]) {
    const size = `${SIZE_PX * textScale()}px`;
    this.#dots = lines.map(({ color, key }) => {
      const dot = document.createElement("div");
      dot.className = "u-cursor-pt";
      dot.dataset.testid = "pointer-dot";
      dot.dataset.line = key;
      Object.assign(dot.style, { width: size, height: size, background: color, translate: "-50% -50%" });
      dot.hidden = true;
      host.append(dot);
      return dot;
    });
  }

  move(u: uPlot, sources: readonly SeriesBuffer[], ts: number | undefined): void {
    for (const [index, dot] of this.#dots.entries()) {
      const place =
        ts === undefined ? undefined : placeOf(u, { number: index + 1, source: sources[index], ts });
      dot.hidden = place === undefined;
      if (place !== undefined) dot.style.transform = `translate(${place.left}px, ${place.top}px)`;
    }
  }
}

function placeOf(
  u: uPlot,
  { number, source, ts }: { number: number; source: SeriesBuffer | undefined; ts: number },
): { readonly left: number; readonly top: number } | undefined {
  const index = source?.heldAt(ts) ?? -1;
  const value = source?.values[index];
  const height = value === undefined ? null : toNumber(value);
  if (source === undefined || height === null) return undefined;
  const left = u.valToPos(source.ts[index] ?? 0, "x");
  return left < 0 ? undefined : { left, top: u.valToPos(height, u.series[number]?.scale ?? "y") };
}

export interface ChartProps {
  readonly columns: ChartColumns;
  readonly series: readonly ChartSeries[];
  /** All samples of each line; the columns may contain only some of them. */
  readonly sources: readonly SeriesBuffer[];
  /** The columns of the series are followed by two more for each: the lower and upper edge of its band. */
  readonly banded: boolean;
  readonly bounds: TimeBounds;
  readonly height: number;
  readonly limits?: readonly ChartLimit[];
  readonly bands?: readonly ChartBand[];
  readonly events?: readonly ChartEvent[];
  readonly annotations?: readonly Annotation[] | undefined;
  /** Ends of the first value axis, if a person has set them. */
  readonly axisLimits?: AxisLimits | undefined;
  /** True if the axes are labeled even if there is only one line. */
  readonly isLabelled?: boolean;
  /** True if the chart does not react to the pointer: without a cursor, the browser has fewer layers to draw. */
  readonly isInert?: boolean;
  readonly label: string;
  /** Absent if the window is fixed. */
  readonly window?: ChartWindow | undefined;
  readonly link: ChartLink;
  /** Returns the values at a time for screen readers. */
  readonly describe: (ts: number) => string;
}

const LINE_WIDTH = 1.5;
/** Distance between values in px from which each has a dot. */
const DOT_SPACE_PX = 24;
const PADDING_TOP = 12;

/** Share of an interval that its bar fills, and the max. width in px. */
const BAR_SIZE: [number, number] = [0.88, Number.POSITIVE_INFINITY];

function pathsOf(line: ChartSeries): uPlot.Series.PathBuilder {
  if (isBarred(line)) return uPlot.paths.bars!({ align: 1, size: BAR_SIZE });
  return () => null;
}

/** The lines, followed by the edges of their bands. */
function seriesOf({ series, banded }: ChartProps): Pick<uPlot.Options, "series" | "bands"> {
  const lines = series.map(
    (line): uPlot.Series => ({
      label: line.key,
      scale: `y${line.scale}`,
      stroke: line.color,
      width: LINE_WIDTH,
      points: isBarred(line) ? { show: false } : { size: 5, space: DOT_SPACE_PX * textScale() },
      paths: pathsOf(line),
      ...(isBarred(line) && { fill: `${line.color}60` }),
    }),
  );
  if (!banded) return { series: [{}, ...lines] };
  const edges = series.flatMap(({ scale }): uPlot.Series[] => {
    const edge = { scale: `y${scale}`, points: { show: false } };
    return [edge, { ...edge }];
  });
  const bands = series.map(({ color }, index): uPlot.Band => {
    const low = series.length + 2 * index + 1;
    return { series: [low + 1, low], fill: `${color}30` };
  });
  return { series: [{}, ...lines, ...edges], bands };
}

/** Draws the parts of a line that uPlot's own paths do not support. */
function drawLine(u: uPlot, number: number, { line, width }: { line: ChartSeries; width: number }): void {
  if (isBarred(line)) return;
  if (!line.stepped && line.style === "area") fillToZero(u, number, `${line.color}40`);
  const isStepped = line.stepped || line.style === "step";
  strokeInPieces(u, number, { color: line.color, width, isStepped });
  dotLonePoints(u, number, line.color);
}

interface Latest {
  readonly current: ChartProps;
}

interface Tools {
  readonly width: number;
  readonly pointed: Signal<readonly Annotation[]>;
  readonly gestures: () => ChartGestures | undefined;
}

/** The chart in which the mouse was pressed last, because uPlot reports its selection in all charts. */
let pressed: uPlot | undefined;

function cursorOf({ isInert, window, link }: ChartProps, latest: Latest, { gestures }: Tools): uPlot.Cursor {
  return {
    show: isInert !== true,
    y: false,
    sync: { key: "device" },
    drag: { x: window !== undefined, y: false, setScale: false },
    points: { show: false },
    bind: {
      mousedown: (u, _, press) => (event) => {
        pressed = u;
        if (!event.shiftKey) return press(event);
        event.preventDefault();
        gestures()?.pan(event);
        return null;
      },
      mousemove: (_u, _, move) => (event) => {
        link.held.value = undefined;
        return move(event);
      },
      dblclick: () => () => {
        latest.current.window?.onReset();
        return null;
      },
    },
  };
}

function optionsFor(props: ChartProps, latest: Latest, tools: Tools): uPlot.Options {
  const { link } = props;
  const lineWidth = LINE_WIDTH * textScale();
  let dots: PointerDots | undefined;
  return {
    width: tools.width,
    height: props.height,
    ms: 1,
    legend: { show: false },
    padding: [PADDING_TOP * textScale(), () => rightPadding(props, link), 0, 0],
    cursor: cursorOf(props, latest, tools),
    scales: scalesFor(props),
    axes: axesFor(props, link),
    ...seriesOf(props),
    hooks: {
      drawAxes: [
        (u) => {
          drawBands(u, latest.current.bands ?? []);
          drawAnnotations(u, latest.current.annotations ?? []);
        },
      ],
      draw: [(u) => drawMarks(u, latest.current, lineWidth)],
      drawSeries: [
        (u, number) => {
          const line = props.series[number - 1];
          if (line) drawLine(u, number, { line, width: lineWidth });
        },
      ],
      setSelect: [(u) => selected(u, tools.gestures())],
      setCursor: [
        (u) => {
          const left = u.cursor.left ?? -1;
          // Rounded, because the position of a sample leads to a time a little before it.
          const ts = left < 0 ? undefined : (link.held.peek() ?? Math.round(u.posToVal(left, "x")));
          link.cursor.value = ts;
          dots ??= new PointerDots(u.over, props.series);
          dots.move(u, latest.current.sources, ts);
          point(u, ts, { annotations: latest.current.annotations ?? [], pointed: tools.pointed });
        },
      ],
    },
  };
}

/** Distance within which the pointer hits an annotation. */
const REACH_PX = 5;

/** Finds the annotations under the pointer. */
function point(
  u: uPlot,
  ts: number | undefined,
  target: { annotations: readonly Annotation[]; pointed: Signal<readonly Annotation[]> },
): void {
  const { annotations, pointed } = target;
  const reachMs = u.posToVal(REACH_PX, "x") - u.posToVal(0, "x");
  const found = ts === undefined ? [] : annotationsAt(annotations, ts, reachMs);
  const isSame =
    found.length === pointed.value.length && found.every((own, index) => own === pointed.value[index]);
  if (!isSame) pointed.value = found;
}

const SELECT_PX_MIN = 6;

function selected(u: uPlot, gestures: ChartGestures | undefined): void {
  const { left, width } = u.select;
  if (width < SELECT_PX_MIN) return;
  const from = Math.round(u.posToVal(left, "x"));
  const to = Math.round(u.posToVal(left + width, "x"));
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (pressed === u) gestures?.go({ from, to }, false);
}

const WIDTH_MIN = 200;

export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<{ readonly u: uPlot; readonly gestures: ChartGestures }>();
  const pointed = useSignal<readonly Annotation[]>([]);
  const spoken = useSignal("");
  const latest = useRef(props);
  latest.current = props;
  const { link } = props;
  const shape = JSON.stringify([
    props.series,
    props.limits,
    props.axisLimits,
    props.isLabelled,
    props.banded,
    props.height,
    props.window === undefined,
    darkNow.value,
    language.value,
  ]);
  useLayoutEffect(() => {
    const element = host.current!;
    const widthNow = () => Math.max(WIDTH_MIN, element.clientWidth);
    const tools = { width: widthNow(), pointed, gestures: () => chart.current?.gestures };
    const u = new uPlot(optionsFor(props, latest, tools), [[]], element);
    const gestures = new ChartGestures(u, {
      link,
      window: () => latest.current.window,
      bounds: () => latest.current.bounds,
    });
    chart.current = { u, gestures };
    draw(u, latest.current);
    const stops = [
      link.preview.subscribe(() => show(u, latest.current)),
      link.held.subscribe(pointer(u)),
      // The space that other charts need moves this chart's lines.
      ...[link.left, link.right].map(({ widest }) => widest.subscribe(() => u.redraw(true, true))),
    ];
    const observer = new ResizeObserver(() => u.setSize({ width: widthNow(), height: props.height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      for (const stop of stops) stop();
      gestures.stop();
      link.left.leave(u);
      link.right.leave(u);
      u.destroy();
    };
  }, [shape, link]);
  // Within what is drawn now: what the whole of it takes is to be known.
  useLayoutEffect(() => {
    if (chart.current) draw(chart.current.u, props);
  }, [props.columns, props.bounds.from, props.bounds.to, props.annotations]);
  const press = (event: KeyboardEvent) => {
    if (chart.current === undefined || !pressKey(event, { ...chart.current, props })) return;
    event.preventDefault();
    const ts = link.held.value;
    spoken.value = ts === undefined ? "" : props.describe(ts);
  };
  const keys = useId();
  if (props.isInert) return <div ref={host} role="img" aria-label={props.label} data-testid="chart" />;
  return (
    <div class="relative min-w-0">
      <div
        ref={host}
        class={`min-w-0 ${props.window === undefined ? "" : "chart-touch"}`}
        role="application"
        aria-label={props.label}
        aria-describedby={keys}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves the cursor of a chart
        tabIndex={0}
        onKeyDown={press}
        onBlur={() => {
          link.held.value = undefined;
        }}
        data-testid="chart"
      />
      <p id={keys} hidden>
        {t("chart.keys")}
      </p>
      <p class="sr-only" aria-live="polite" data-testid="chart-spoken">
        {spoken}
      </p>
      <PointedTexts pointed={pointed} />
      <AnnotationList annotations={props.annotations ?? []} />
    </div>
  );
}

const POINTED_SHOWN = 4;

/** Texts of the annotations under the pointer. It reads the signal itself, so that the chart is not drawn again. */
function PointedTexts({ pointed }: { pointed: Signal<readonly Annotation[]> }) {
  if (pointed.value.length === 0) return null;
  return (
    <ul
      class="pointer-events-none absolute top-1 right-2 left-18 z-10 flex flex-wrap justify-end gap-1 text-sm"
      aria-hidden="true"
      data-testid="pointed"
    >
      {pointed.value.slice(0, POINTED_SHOWN).map(({ from, color, text }) => (
        <li
          key={`${from} ${text}`}
          class="rounded-field border-l-4 bg-base-100 px-2 py-0.5 shadow"
          style={{ borderColor: color }}
        >
          {text}
        </li>
      ))}
    </ul>
  );
}

const LISTED_MAX = 50;

/** The annotations for screen readers. */
function AnnotationList({ annotations }: { annotations: readonly Annotation[] }) {
  if (annotations.length === 0) return null;
  return (
    <ul class="sr-only">
      {annotations.slice(0, LISTED_MAX).map(({ from, text }) => (
        <li key={`${from} ${text}`}>{text}</li>
      ))}
      {annotations.length > LISTED_MAX && (
        <li>{t("common.countMore", { count: annotations.length - LISTED_MAX })}</li>
      )}
    </ul>
  );
}

/** Shows the window of a gesture, or that of the data, with the sample selected with the keyboard. */
function show(u: uPlot, { bounds, link }: ChartProps): void {
  const { from, to } = link.preview.peek() ?? bounds;
  u.setScale("x", { min: from, max: to });
  const held = link.held.peek();
  if (held !== undefined) follow(u, held);
}

function draw(u: uPlot, props: ChartProps): void {
  u.batch(() => {
    // uPlot reads the columns and never writes to them; its type merely does not say so.
    u.setData(props.columns as uPlot.AlignedData, false);
    show(u, props);
  });
}
