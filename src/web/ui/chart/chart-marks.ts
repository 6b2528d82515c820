import type uPlot from "uplot";
import type { Annotation } from "../../lib/annotations.ts";
import type { ChartBand, ChartEvent, ChartLimit } from "./chart.types.ts";

/** Marks that a chart draws behind and above its lines: bands, limits, alarms, commands and notes. */

const BAND_OPACITY = 0.1;
const ANNOTATION_OPACITY = 0.14;
const DASH_PX = 5;
const TRIANGLE_PX = 5;

/** Runs a drawing function clipped to the plot area. */
function within({ ctx, bbox }: uPlot, drawAll: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  drawAll();
  ctx.restore();
}

export function drawBands(u: uPlot, bands: readonly ChartBand[]): void {
  if (bands.length === 0) return;
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  within(u, () => {
    ctx.globalAlpha = BAND_OPACITY;
    for (const { from, to, color, scale } of bands) {
      const upper = to === Number.POSITIVE_INFINITY ? top : u.valToPos(to, `y${scale}`, true);
      const lower = from === Number.NEGATIVE_INFINITY ? top + height : u.valToPos(from, `y${scale}`, true);
      ctx.fillStyle = color;
      if (lower > upper) ctx.fillRect(left, upper, width, lower - upper);
    }
  });
}

/** Shades the times of raised alarms and long notes. A moment is a line from top to bottom. */
export function drawAnnotations(u: uPlot, annotations: readonly Annotation[]): void {
  if (annotations.length === 0) return;
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const end = left + width;
  within(u, () => {
    for (const { from, to, color } of annotations) {
      const x1 = u.valToPos(from, "x", true);
      const x2 = Number.isFinite(to) ? u.valToPos(to, "x", true) : end;
      ctx.fillStyle = color;
      ctx.globalAlpha = ANNOTATION_OPACITY;
      if (x2 > x1) ctx.fillRect(x1, top, x2 - x1, height);
      ctx.globalAlpha = 1;
      ctx.fillRect(x1 - devicePixelRatio / 2, top, devicePixelRatio, height);
      triangle(ctx, x1, top);
    }
  });
}

function triangle(ctx: CanvasRenderingContext2D, x: number, top: number): void {
  const size = TRIANGLE_PX * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x - size, top);
  ctx.lineTo(x + size, top);
  ctx.lineTo(x, top + size * 1.6);
  ctx.fill();
}

interface Marks {
  readonly limits?: readonly ChartLimit[];
  readonly events?: readonly ChartEvent[];
}

/** Draws limits and events above the lines. */
export function drawMarks(u: uPlot, { limits = [], events = [] }: Marks, lineWidth: number): void {
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
  ctx.lineWidth = lineWidth * devicePixelRatio;
  ctx.setLineDash([DASH_PX * devicePixelRatio, DASH_PX * devicePixelRatio]);
  for (const { value, color, scale } of limits) {
    const y = u.valToPos(value, `y${scale}`, true);
    if (y >= top && y <= top + height) line(color, [left, y, left + width, y]);
  }
  ctx.setLineDash([]);
  for (const { ts, color } of events) {
    const x = u.valToPos(ts, "x", true);
    if (x >= left && x <= left + width) line(color, [x, top, x, top + height]);
  }
  ctx.restore();
}
