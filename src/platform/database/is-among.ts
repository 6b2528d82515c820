import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";

/** The devices that somebody may see: all of the tenant, or these. */
export type VisibleDevices = "all" | ReadonlySet<DeviceId>;

/** Builds the condition that a column has the id of a visible device. One JSON parameter: there may be more ids than SQLite takes parameters. */
export const isAmong = (column: AnyColumn, visible: VisibleDevices): SQL | undefined =>
  visible === "all"
    ? undefined
    : sql`${column} IN (SELECT value FROM json_each(${JSON.stringify([...visible])}))`;
