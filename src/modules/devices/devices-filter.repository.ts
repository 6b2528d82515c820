import { and, asc, desc, eq, or, type SQL, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { contains } from "../../platform/database/contains.ts";
import { isAmong, type VisibleDevices } from "../../platform/database/is-among.ts";
import { deviceActivity, devices } from "./devices.tables.ts";
import type { DeviceFilter } from "./devices.types.ts";
import { deviceState, isOwnDevice } from "./devices-state.repository.ts";

const sortable: Record<string, SQL> = {
  name: sql`${devices.name} COLLATE NOCASE`,
  deviceType: sql`${devices.deviceType}`,
  createdAt: sql`${devices.createdAt}`,
  lastActivityAt: sql`coalesce(${deviceActivity.lastActivityAt}, 0)`,
  active: sql`coalesce(${deviceActivity.active}, 0)`,
};

/** Sorts matches by name before other matches, exact names first. */
const byName = (search: string): SQL[] => [
  desc(sql`lower(${devices.name}) = lower(${search})`),
  desc(contains(devices.name, search)),
];

/** Returns the requested order of a list. By default, a search lists the best matches first. */
export function orderOf({ sort, search = "" }: Pick<DeviceFilter, "sort" | "search">): SQL[] {
  if (sort === undefined) {
    const byFit = search === "" ? [] : byName(search);
    return [...byFit, asc(isOwnDevice), ...orderOf({ sort: "name" })];
  }
  const column = sortable[sort.replace(/^-/, "")] ?? sql`${devices.name} COLLATE NOCASE`;
  return [sort.startsWith("-") ? desc(column) : asc(column), asc(devices.deviceId)];
}

/** Matches devices whose name, child name, label, type, tag or whole id contains the text, and devices in `found`. */
function searchOf(search: string, found: readonly DeviceId[]): SQL | undefined {
  const columns = [devices.name, devices.childName, devices.label, devices.deviceType];
  const isTagged = sql`(${devices.tags} <> '[]' AND EXISTS (SELECT 1 FROM json_each(${devices.tags}) AS tag WHERE ${contains(sql`tag.value`, search)}))`;
  return or(
    ...columns.map((column) => contains(column, search)),
    isTagged,
    found.length > 0
      ? sql`${devices.deviceId} IN (SELECT value FROM json_each(${JSON.stringify(found)}))`
      : undefined,
    eq(devices.deviceId, search),
  );
}

/** Returns the condition of a list of devices. */
export function whereOf(
  tenantId: TenantId,
  visible: VisibleDevices,
  filter: Partial<DeviceFilter>,
): SQL | undefined {
  const conditions: Array<SQL | undefined> = [eq(devices.tenantId, tenantId)];
  conditions.push(isAmong(devices.deviceId, visible));
  if (filter.deviceType !== undefined) conditions.push(eq(devices.deviceType, filter.deviceType));
  if (filter.parentDeviceId !== undefined) conditions.push(eq(devices.parentDeviceId, filter.parentDeviceId));
  if (filter.assetId !== undefined) conditions.push(eq(devices.assetId, filter.assetId));
  if (filter.role !== undefined) conditions.push(eq(devices.role, filter.role));
  if (filter.active !== undefined)
    conditions.push(sql`coalesce(${deviceActivity.active}, 0) = ${filter.active ? 1 : 0}`);
  if (filter.state !== undefined) conditions.push(sql`${deviceState} = ${filter.state}`);
  if (filter.tag !== undefined)
    conditions.push(sql`EXISTS (SELECT 1 FROM json_each(${devices.tags}) WHERE value = ${filter.tag})`);
  if (filter.attribute !== undefined)
    conditions.push(
      sql`EXISTS (SELECT 1 FROM attributes AS owned WHERE owned.device_id = ${devices.deviceId} AND owned.scope = 'SERVER' AND owned.key IN (SELECT value FROM json_each(${JSON.stringify(filter.attribute.split(","))})))`,
    );
  if (filter.search !== undefined && filter.search !== "") {
    conditions.push(searchOf(filter.search, filter.searched ?? []));
  }
  return and(...conditions);
}
