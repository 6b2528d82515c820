import type uPlot from "uplot";

/** Corners of one stroke. A browser that draws without a graphics card takes ten times as long for a line of thousands in one piece. */
const CORNERS_MAX = 100;

/** Returns how a scale maps its values to where they are on the canvas. */
function toCanvas(scale: uPlot.Scale | undefined, from: number, to: number): (value: number) => number {
  const [min, max] = [scale?.min ?? 0, scale?.max ?? 1];
  const factor = (to - from) / (max - min || 1);
  return (value) => from + (value - min) * factor;
}

/** Draws a series' line in pieces: `null` breaks it, `undefined` is passed over. Its `paths` give nothing then. */
export function strokeInPieces(u: uPlot, number: number, color: string, width: number): void {
  const series = u.series[number];
  const [xs, ys] = [u.data[0], u.data[number]];
  if (!series?.show || ys === undefined) return;
  const { ctx, bbox } = u;
  const x = toCanvas(u.scales.x, bbox.left, bbox.left + bbox.width);
  const y = toCanvas(u.scales[series.scale ?? "y"], bbox.top + bbox.height, bbox.top);
  const [first, last] = series.idxs ?? [0, xs.length - 1];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = color;
  ctx.lineWidth = width * devicePixelRatio;
  ctx.lineJoin = "round";
  ctx.beginPath();
  let corners = 0;
  // One point more at either side: lines run to the edges.
  for (let index = Math.max(0, first - 1); index <= Math.min(xs.length - 1, last + 1); index++) {
    const value = ys[index];
    if (value === undefined) continue;
    if (value === null) {
      ctx.stroke();
      ctx.beginPath();
      corners = 0;
      continue;
    }
    const [px, py] = [x(xs[index] ?? 0), y(value)];
    if (corners === 0) ctx.moveTo(px, py);
    else ctx.lineTo(px, py);
    if (++corners <= CORNERS_MAX) continue;
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(px, py);
    corners = 1;
  }
  ctx.stroke();
  ctx.restore();
}
