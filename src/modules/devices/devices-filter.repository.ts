import { and, asc, desc, eq, or, type SQL, sql } from "drizzle-orm";
import { comparedId, type TenantId } from "../../lib/core/ids.ts";
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

const hasTag = (tag: string): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${devices.tags}) WHERE value = ${tag})`;

/** Matches devices whose name, child name, label, type, tag or whole id contains the text. */
function containing(search: string): SQL | undefined {
  const columns = [devices.name, devices.childName, devices.label, devices.deviceType];
  const isTagged = sql`(${devices.tags} <> '[]' AND EXISTS (SELECT 1 FROM json_each(${devices.tags}) AS tag WHERE ${contains(sql`tag.value`, search)}))`;
  return or(
    ...columns.map((column) => contains(column, search)),
    isTagged,
    eq(devices.deviceId, comparedId(search)),
  );
}

/** Filters that read all texts of a device. */
export type TextFilter = Pick<DeviceFilter, "search" | "tag">;

/** Returns the condition of the filters that read all texts of a device; undefined without any. */
export const textCondition = ({ search = "", tag }: TextFilter): SQL | undefined =>
  and(search === "" ? undefined : containing(search), tag === undefined ? undefined : hasTag(tag));

/** Returns the condition of a list of devices. */
export function whereOf(
  tenantId: TenantId,
  visible: VisibleDevices,
  filter: Partial<DeviceFilter>,
): SQL | undefined {
  const conditions: Array<SQL | undefined> = [eq(devices.tenantId, tenantId)];
  conditions.push(isAmong(devices.deviceId, visible));
  if (filter.deviceType !== undefined) conditions.push(eq(devices.deviceType, filter.deviceType));
  if (filter.parentDeviceId !== undefined)
    conditions.push(eq(devices.parentDeviceId, comparedId(filter.parentDeviceId)));
  if (filter.assetId !== undefined) conditions.push(eq(devices.assetId, filter.assetId));
  if (filter.role !== undefined) conditions.push(eq(devices.role, filter.role));
  if (filter.active !== undefined)
    conditions.push(sql`coalesce(${deviceActivity.active}, 0) = ${filter.active ? 1 : 0}`);
  if (filter.state !== undefined) conditions.push(sql`${deviceState} = ${filter.state}`);
  if (filter.attribute !== undefined)
    conditions.push(
      sql`EXISTS (SELECT 1 FROM attributes AS owned WHERE owned.device_id = ${devices.deviceId} AND owned.scope = 'SERVER' AND owned.key IN (SELECT value FROM json_each(${JSON.stringify(filter.attribute.split(","))})))`,
    );
  conditions.push(
    filter.found === undefined
      ? textCondition(filter)
      : sql`${devices.deviceId} IN (SELECT value FROM json_each(${JSON.stringify(filter.found)}))`,
  );
  return and(...conditions);
}
