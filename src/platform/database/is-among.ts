import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";

/** Devices that a user can see: all devices of the tenant, or a set. */
export type VisibleDevices = "all" | ReadonlySet<DeviceId>;

/**
 * Builds the condition that a column contains the id of a visible device. Uses one JSON parameter, because the ids may exceed the parameter limit of
 * SQLite.
 */
export const isAmong = (column: AnyColumn, visible: VisibleDevices): SQL | undefined =>
  visible === "all"
    ? undefined
    : sql`${column} IN (SELECT value FROM json_each(${JSON.stringify([...visible])}))`;
