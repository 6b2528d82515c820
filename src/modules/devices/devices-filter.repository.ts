import { and, asc, desc, eq, or, type SQL, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import { contains } from "../../platform/contains.ts";
import { deviceActivity, devices } from "./devices.tables.ts";
import type { DeviceFilter } from "./devices.types.ts";

/** The devices that a list may show: all of the tenant, or these. */
export type Visible = "all" | ReadonlySet<DeviceId>;

const sortable: Record<string, SQL> = {
  name: sql`${devices.name} COLLATE NOCASE`,
  deviceType: sql`${devices.deviceType}`,
  createdAt: sql`${devices.createdAt}`,
  lastActivityAt: sql`coalesce(${deviceActivity.lastActivityAt}, 0)`,
  active: sql`coalesce(${deviceActivity.active}, 0)`,
};

/** The order that a list is asked for. */
export function orderOf(sort: string | undefined): SQL[] {
  const column = sortable[(sort ?? "name").replace(/^-/, "")] ?? sql`${devices.name} COLLATE NOCASE`;
  return [sort?.startsWith("-") ? desc(column) : asc(column), asc(devices.deviceId)];
}

/** The devices that a list is asked for. */
export function whereOf(
  tenantId: TenantId,
  visible: Visible,
  filter: Partial<DeviceFilter>,
): SQL | undefined {
  const conditions: Array<SQL | undefined> = [eq(devices.tenantId, tenantId)];
  // One JSON parameter: a list of ids may be longer than the number of parameters that SQLite takes.
  if (visible !== "all")
    conditions.push(
      sql`${devices.deviceId} IN (SELECT value FROM json_each(${JSON.stringify([...visible])}))`,
    );
  if (filter.deviceType !== undefined) conditions.push(eq(devices.deviceType, filter.deviceType));
  if (filter.parentDeviceId !== undefined) conditions.push(eq(devices.parentDeviceId, filter.parentDeviceId));
  if (filter.assetId !== undefined) conditions.push(eq(devices.assetId, filter.assetId));
  if (filter.role !== undefined) conditions.push(eq(devices.role, filter.role));
  if (filter.active !== undefined)
    conditions.push(sql`coalesce(${deviceActivity.active}, 0) = ${filter.active ? 1 : 0}`);
  if (filter.tag !== undefined)
    conditions.push(sql`EXISTS (SELECT 1 FROM json_each(${devices.tags}) WHERE value = ${filter.tag})`);
  if (filter.search !== undefined && filter.search !== "") {
    const columns = [devices.name, devices.label, devices.deviceType];
    const { search } = filter;
    conditions.push(or(...columns.map((column) => contains(column, search)), eq(devices.deviceId, search)));
  }
  return and(...conditions);
}
