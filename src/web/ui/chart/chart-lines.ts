import type uPlot from "uplot";

/** Max. corners of one stroke. Browsers without a graphics card take ten times as long for a line of thousands in one piece. */
const CORNERS_MAX = 100;
const DOT_RADIUS = 2.5;

type Values = ArrayLike<number | null | undefined>;

/** The area that a series is drawn on: the visible points, plus one on each side, so that lines run to the edges. */
interface Sheet {
  readonly ctx: CanvasRenderingContext2D;
  readonly xs: ArrayLike<number>;
  readonly ys: Values;
  readonly first: number;
  readonly last: number;
  readonly x: (ts: number) => number;
  readonly y: (value: number) => number;
  /** The edge of a filled area: zero, or the end of the axis nearest to zero. */
  readonly baseY: number;
}

/** Returns a function that maps values of a scale to positions on the canvas. */
function toCanvas(scale: uPlot.Scale | undefined, from: number, to: number): (value: number) => number {
  const [min, max] = [scale?.min ?? 0, scale?.max ?? 1];
  const factor = (to - from) / (max - min || 1);
  return (value) => from + (value - min) * factor;
}

/** Draws something of a series within the plot area. */
function onSheet(u: uPlot, number: number, draw: (sheet: Sheet) => void): void {
  const series = u.series[number];
  const [xs, ys] = [u.data[0], u.data[number]];
  if (!series?.show || ys === undefined) return;
  const { ctx, bbox } = u;
  const scale = u.scales[series.scale ?? "y"];
  const y = toCanvas(scale, bbox.top + bbox.height, bbox.top);
  // From the time axis: with a fixed value axis, uPlot does not update the series' own indexes.
  const [first, last] = u.series[0]?.idxs ?? [0, xs.length - 1];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  draw({
    ctx,
    xs,
    ys,
    first: Math.max(0, first - 1),
    last: Math.min(xs.length - 1, last + 1),
    x: toCanvas(u.scales.x, bbox.left, bbox.left + bbox.width),
    y,
    baseY: y(Math.min(Math.max(0, scale?.min ?? 0), scale?.max ?? 0)),
  });
  ctx.restore();
}

/** Adds the corners of a line to the path piece by piece. */
class Pen {
  readonly #ctx: CanvasRenderingContext2D;
  /** True if a value holds until the next one. */
  readonly #isStepped: boolean;
  #corners = 0;
  #lastY = 0;

  constructor(ctx: CanvasRenderingContext2D, isStepped: boolean) {
    this.#ctx = ctx;
    this.#isStepped = isStepped;
  }

  to(x: number, y: number): void {
    if (this.#corners > 0 && this.#isStepped) this.#ctx.lineTo(x, this.#lastY);
    if (this.#corners > 0) this.#ctx.lineTo(x, y);
    else this.#ctx.moveTo(x, y);
    this.#lastY = y;
    if (++this.#corners <= CORNERS_MAX) return;
    this.lift();
    this.#ctx.moveTo(x, y);
    this.#corners = 1;
  }

  /** Draws the collected line; the next corner starts a new line. */
  lift(): void {
    this.#ctx.stroke();
    this.#ctx.beginPath();
    this.#corners = 0;
  }
}

interface Stroke {
  readonly color: string;
  readonly width: number;
  readonly isStepped: boolean;
}

/** Draws a series' line in pieces: `null` breaks it, `undefined` is skipped. Its `paths` then returns nothing. */
export function strokeInPieces(u: uPlot, number: number, { color, width, isStepped }: Stroke): void {
  onSheet(u, number, ({ ctx, xs, ys, first, last, x, y }) => {
    ctx.strokeStyle = color;
    ctx.lineWidth = width * devicePixelRatio;
    ctx.lineJoin = "round";
    const pen = new Pen(ctx, isStepped);
    for (let index = first; index <= last; index++) {
      const value = ys[index];
      if (value === undefined) continue;
      if (value === null) pen.lift();
      else pen.to(x(xs[index] ?? 0), y(value));
    }
    pen.lift();
  });
}

/** Fills the area between a series' line and zero. */
export function fillToZero(u: uPlot, number: number, color: string): void {
  onSheet(u, number, ({ ctx, xs, ys, first, last, x, y, baseY }) => {
    ctx.fillStyle = color;
    let lastX: number | undefined;
    const close = () => {
      if (lastX !== undefined) ctx.lineTo(lastX, baseY);
      ctx.fill();
      ctx.beginPath();
      lastX = undefined;
    };
    for (let index = first; index <= last; index++) {
      const value = ys[index];
      if (value === undefined) continue;
      if (value === null) {
        close();
        continue;
      }
      const px = x(xs[index] ?? 0);
      if (lastX === undefined) ctx.moveTo(px, baseY);
      ctx.lineTo(px, y(value));
      lastX = px;
    }
    close();
  });
}

/** Returns the positions of values with a gap, or nothing, on both sides: no line leads to them. */
export function lonePoints(values: Values, first: number, last: number): number[] {
  const lone: number[] = [];
  /** Position of the newest value since the last gap. */
  let newest = 0;
  let length = 0;
  for (let index = first; index <= last; index++) {
    const value = values[index];
    if (value === undefined) continue;
    if (value !== null) {
      newest = index;
      length++;
      continue;
    }
    if (length === 1) lone.push(newest);
    length = 0;
  }
  if (length === 1) lone.push(newest);
  return lone;
}

/** Draws a dot for each value to which no line leads. */
export function dotLonePoints(u: uPlot, number: number, color: string): void {
  onSheet(u, number, ({ ctx, xs, ys, first, last, x, y }) => {
    ctx.fillStyle = color;
    for (const index of lonePoints(ys, first, last)) {
      const [px, py] = [x(xs[index] ?? 0), y(ys[index] ?? 0)];
      ctx.moveTo(px, py);
      ctx.arc(px, py, DOT_RADIUS * devicePixelRatio, 0, 2 * Math.PI);
    }
    ctx.fill();
  });
}
