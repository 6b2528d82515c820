import {
  metresPerWorld,
  type Position,
  project,
  unproject,
  type WorldPoint,
} from "../../../../lib/console/web-mercator.ts";

/** Part of the world, as shares of its side. It may extend beyond x = 1, the meridian at which the world is cut. */
export interface MapFrame extends WorldPoint {
  readonly width: number;
  readonly height: number;
}

/** Minimum side of the map section, as a share of the world (about 200 m at the equator). */
const SIDE_MIN = 200 / metresPerWorld(0);
/** Free share of a side around the devices, at each end. */
const MARGIN = 0.12;

/** Returns the distance to the east, at most once around the world. */
const eastOf = (from: number, to: number): number => (((to - from) % 1) + 1) % 1;

const isWithin = (value: unknown, max: number): value is number =>
  typeof value === "number" && Math.abs(value) <= max;

/** Returns the frame of a picture with the given edges; undefined for invalid edges. */
export function pictureFrame({
  north,
  south,
  west,
  east,
}: Readonly<Record<string, unknown>>): MapFrame | undefined {
  if (!isWithin(north, 90) || !isWithin(south, 90) || !isWithin(west, 180) || !isWithin(east, 180))
    return undefined;
  const [start, end] = [
    project({ latitude: north, longitude: west }),
    project({ latitude: south, longitude: east }),
  ];
  const width = end.x === start.x ? 0 : eastOf(start.x, end.x) || 1;
  const height = end.y - start.y;
  return width > 0 && height > 0 ? { ...start, width, height } : undefined;
}

/** Returns the longest gap to the east without a point, as its end and length. */
function widestGap(sorted: readonly number[]): { readonly end: number; readonly length: number } {
  let widest = { end: sorted[0] ?? 0, length: 0 };
  for (const [index, x] of sorted.entries()) {
    const before = sorted[index - 1] ?? (sorted.at(-1) ?? 0) - 1;
    if (x - before > widest.length) widest = { end: x, length: x - before };
  }
  return widest;
}

/** Returns the smallest frame with an aspect ratio (width by height) that contains all positions with a margin; undefined without positions. */
export function fittingFrame(positions: readonly Position[], ratio: number): MapFrame | undefined {
  if (positions.length === 0) return undefined;
  const points = positions.map(project);
  const gap = widestGap(points.map(({ x }) => x).sort((a, b) => a - b));
  const ys = points.map(({ y }) => y);
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const withMargin = (side: number) => Math.max(side, SIDE_MIN) / (1 - 2 * MARGIN);
  const [width, height] = [withMargin(1 - gap.length), withMargin(bottom - top)];
  const frame = { width: Math.max(width, height * ratio), height: Math.max(height, width / ratio) };
  return {
    ...frame,
    x: gap.end + (1 - gap.length) / 2 - frame.width / 2,
    y: (top + bottom) / 2 - frame.height / 2,
  };
}

/** Returns a position in a frame as shares of its sides; outside the frame below 0 or above 1. */
export function shareOf(frame: MapFrame, position: Position): WorldPoint {
  const point = project(position);
  const fromMiddle = eastOf(frame.x + frame.width / 2 + 0.5, point.x) - 0.5;
  return { x: 0.5 + fromMiddle / frame.width, y: (point.y - frame.y) / frame.height };
}

/** Round length on the ground, and its share of the width of the frame. */
export interface ScaleBar {
  readonly metres: number;
  readonly share: number;
}

/** Returns the longest round length (1, 2 or 5 times a power of ten) of at most a share of the width, in the middle of the frame. */
export function scaleBarOf(frame: MapFrame, shareMax: number): ScaleBar {
  const { latitude } = unproject({ x: frame.x, y: frame.y + frame.height / 2 });
  const widthM = metresPerWorld(latitude) * frame.width;
  const most = widthM * shareMax;
  const power = 10 ** Math.floor(Math.log10(most));
  const metres = power * ([5, 2].find((factor) => factor * power <= most) ?? 1);
  return { metres, share: metres / widthM };
}
