// The dashboards that a wall shows in turn, as its address names them: `?wall=1&rotate=id2,id3&every=30`.

import { ROTATION_DASHBOARDS_MAX, ROTATION_SECONDS } from "../../../../lib/console/dashboard-rotation.ts";

export interface Rotation {
  /** Sorted by order of display. The dashboard in the path is the first. */
  readonly ids: readonly string[];
  readonly everyMs: number;
}

export type Query = Readonly<Record<string, string | undefined>>;

/** Returns a path with its query. Commas are not encoded, so that the address is readable. */
export function addressOf(path: string, query: Query): string {
  const fields = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (fields.length === 0) return path;
  return `${path}?${new URLSearchParams(fields).toString().replaceAll("%2C", ",")}`;
}

/** Parses the rotation of the address of a wall. Without other dashboards, it only contains the one in the path. */
export function rotationOf(dashboardId: string, query: Query): Rotation {
  const others = (query.rotate ?? "").split(",").filter((id) => id !== "");
  const ids = [...new Set([dashboardId, ...others])].slice(0, ROTATION_DASHBOARDS_MAX);
  const { min, usual, max } = ROTATION_SECONDS;
  const seconds = /^\d{1,6}$/.test(query.every ?? "") ? Number(query.every) : usual;
  return { ids, everyMs: Math.min(max, Math.max(min, seconds)) * 1_000 };
}

/** Returns the query for a wall display that rotates through dashboards. */
export const rotationQuery = (otherIds: readonly string[], seconds: number): Query => ({
  wall: "1",
  ...(otherIds.length > 0 && { rotate: otherIds.join(","), every: String(seconds) }),
});
