import type { WidgetProps } from "./widget.types.ts";

/** Where a device stands on a picture. */
export interface Spot {
  readonly deviceId: string;
  /** Shares of the picture's width and height. */
  readonly x: number;
  readonly y: number;
}

/** Returns the spots of devices on the plan; those without a place stand in rows, from its foot upwards. */
export function spotsOf({
  widget,
  feed,
}: Pick<WidgetProps, "widget"> & { feed: Pick<WidgetProps["feed"], "devices"> }): Spot[] {
  const places = widget.config.places;
  const existing: Record<string, { x?: unknown; y?: unknown }> =
    typeof places === "object" && places !== null
      ? (places as Record<string, { x?: unknown; y?: unknown }>)
      : {};
  return feed.devices.map(({ deviceId }, index) => {
    const { x, y } = existing[deviceId] ?? {};
    const isPlaced = typeof x === "number" && typeof y === "number";
    return isPlaced ? { deviceId, x, y } : { deviceId, ...waitingSpot(index, feed.devices.length) };
  });
}

/** Devices without a place in one row; more of them stand in more rows, as far as there is room. */
const IN_ROW = 4;
const ROWS_MAX = 6;

function waitingSpot(index: number, count: number): Pick<Spot, "x" | "y"> {
  const inRow = Math.min(count, Math.max(IN_ROW, Math.ceil(count / ROWS_MAX)));
  return { x: ((index % inRow) + 0.5) / inRow, y: 0.92 - 0.16 * Math.floor(index / inRow) };
}

/** Share of the plan's width or height beside its edges in which a card moves inwards, so that none of it is cut. */
const EDGE = 0.15;

/** Returns by how much of its own size a card is moved back from its spot, in percent: half, but less at one edge and more at the other. */
export function cardShift(share: number): number {
  if (share < EDGE) return (Math.max(0, share) / EDGE) * 50;
  if (share > 1 - EDGE) return 100 - (Math.max(0, 1 - share) / EDGE) * 50;
  return 50;
}
