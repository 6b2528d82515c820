import type { WidgetProps } from "./widget.types.ts";

/** Position of a device on a picture. */
export interface Spot {
  readonly deviceId: string;
  /** Shares of the width and height of the picture. */
  readonly x: number;
  readonly y: number;
}

/** Returns the spots of devices on the plan. Those without a place are in rows, from the bottom upwards. */
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

/** Devices without a place per row. Further rows are added as long as there is space. */
const IN_ROW = 4;
const ROWS_MAX = 6;

function waitingSpot(index: number, count: number): Pick<Spot, "x" | "y"> {
  const inRow = Math.min(count, Math.max(IN_ROW, Math.ceil(count / ROWS_MAX)));
  return { x: ((index % inRow) + 0.5) / inRow, y: 0.92 - 0.16 * Math.floor(index / inRow) };
}

/** Share of the plan at its edges in which a card moves inwards, so that it is not cut off. */
const EDGE = 0.15;

/** Returns the shift of a card from its spot, in percent of its own size: half, but less at one edge and more at the other. */
export function cardShift(share: number): number {
  if (share < EDGE) return (Math.max(0, share) / EDGE) * 50;
  if (share > 1 - EDGE) return 100 - (Math.max(0, 1 - share) / EDGE) * 50;
  return 50;
}
