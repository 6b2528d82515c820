import { and, count, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { isAmong, type VisibleDevices } from "../../platform/database/is-among.ts";
import { deletedDevices, deviceActivity, devices } from "./devices.tables.ts";
import { DEV_EUI_KEY, type DeviceFilter, type DeviceWithActivity } from "./devices.types.ts";
import { orderOf, whereOf } from "./devices-filter.repository.ts";
import { isSortedByState, openAlarmRanks, orderByState } from "./devices-state.repository.ts";

const devEui = sql<
  string | null
>`(SELECT json_extract(value, '$') FROM attributes WHERE attributes.device_id = ${devices.deviceId} AND scope = 'SERVER' AND key = ${DEV_EUI_KEY})`;

/** Selects devices with their activity and their dev EUI. */
export const selectDevices = (orm: MainDatabase["orm"]) =>
  orm
    .select({ device: devices, activity: deviceActivity, devEui })
    .from(devices)
    .leftJoin(deviceActivity, eq(deviceActivity.deviceId, devices.deviceId));

export interface SelectedDevice {
  readonly device: typeof devices.$inferSelect;
  readonly activity: typeof deviceActivity.$inferSelect | null;
  readonly devEui: string | null;
}

const createCount = (orm: MainDatabase["orm"]) => (where: ReturnType<typeof whereOf>) =>
  orm
    .select({ total: count() })
    .from(devices)
    .leftJoin(deviceActivity, eq(deviceActivity.deviceId, devices.deviceId))
    .where(where)
    .get()?.total ?? 0;

interface Listed {
  readonly tenantId: TenantId;
  readonly visible: VisibleDevices;
  readonly filter: DeviceFilter;
}

/** Returns condition and order of a list. A list by state joins the severities of open alarms. */
function sortingOf(orm: MainDatabase["orm"], { tenantId, visible, filter }: Listed) {
  const where = whereOf(tenantId, visible, filter);
  const { sort = "" } = filter;
  if (!isSortedByState(sort)) return { where, order: orderOf(filter) };
  const ranks = openAlarmRanks(orm, tenantId, visible);
  return { where, order: orderByState(sort, ranks), ranks };
}

/** Returns a page of a device list, and the total number. */
const createPage =
  (orm: MainDatabase["orm"], toDevice: (row: SelectedDevice) => DeviceWithActivity) =>
  (
    tenantId: TenantId,
    visible: VisibleDevices,
    filter: DeviceFilter,
  ): { items: DeviceWithActivity[]; total: number } => {
    const { where, order, ranks } = sortingOf(orm, { tenantId, visible, filter });
    const selected = selectDevices(orm).$dynamic();
    const items = (ranks ? selected.leftJoin(ranks, eq(ranks.deviceId, devices.deviceId)) : selected)
      .where(where)
      .orderBy(...order)
      .limit(filter.limit)
      .offset(filter.offset)
      .all();
    return { items: items.map(toDevice), total: createCount(orm)(where) };
  };

/** Like `createPage`, for ids only: pages of thousands of devices are read in slices. */
const createIdPage =
  (orm: MainDatabase["orm"]) =>
  (
    tenantId: TenantId,
    visible: VisibleDevices,
    filter: DeviceFilter,
  ): { deviceIds: DeviceId[]; total: number } => {
    const { where, order, ranks } = sortingOf(orm, { tenantId, visible, filter });
    const selected = orm
      .select({ deviceId: devices.deviceId })
      .from(devices)
      .leftJoin(deviceActivity, eq(deviceActivity.deviceId, devices.deviceId))
      .$dynamic();
    const rows = (ranks ? selected.leftJoin(ranks, eq(ranks.deviceId, devices.deviceId)) : selected)
      .where(where)
      .orderBy(...order)
      .limit(filter.limit)
      .offset(filter.offset)
      .all();
    const deviceIds = rows.map(({ deviceId }) => deviceId);
    return { deviceIds, total: createCount(orm)(where) };
  };

/** Returns the ids of all devices of a list, by name. */
const createIdList =
  (orm: MainDatabase["orm"]) =>
  (tenantId: TenantId, visible: VisibleDevices, filter: DeviceFilter): DeviceId[] =>
    orm
      .select({ deviceId: devices.deviceId })
      .from(devices)
      .leftJoin(deviceActivity, eq(deviceActivity.deviceId, devices.deviceId))
      .where(whereOf(tenantId, visible, filter))
      .orderBy(...orderOf({ sort: "name" }))
      .all()
      .map(({ deviceId }) => deviceId);

const deviceRow = sql<number>`${devices}.rowid`;

/**
 * Yields conditions that together match all devices of a tenant, some at a time, in the order of their creation. Row ids are read first, so each
 * part costs the same and deletions meanwhile skip no device.
 */
export function* devicesInParts(
  orm: MainDatabase["orm"],
  tenantId: TenantId,
  devicesMax: number,
): Generator<SQL> {
  const rows = orm.select({ row: deviceRow }).from(devices).where(eq(devices.tenantId, tenantId)).all();
  const ordered = rows.map(({ row }) => row).sort((a, b) => a - b);
  for (let start = 0; start < ordered.length; start += devicesMax) {
    const part = JSON.stringify(ordered.slice(start, start + devicesMax));
    yield sql`${deviceRow} IN (SELECT value FROM json_each(${part})) AND ${devices.tenantId} = ${tenantId}`;
  }
}

/** Yields all devices in the order of their creation, in pages. */
const createPages = (orm: MainDatabase["orm"], toDevice: (row: SelectedDevice) => DeviceWithActivity) =>
  function* (tenantId: TenantId, visible: VisibleDevices, limit: number): Generator<DeviceWithActivity[]> {
    for (const isInPart of devicesInParts(orm, tenantId, limit))
      yield selectDevices(orm)
        .where(and(isInPart, isAmong(devices.deviceId, visible)))
        .orderBy(deviceRow)
        .all()
        .map(toDevice);
  };

/** Creates the functions that read lists of devices. */
export const createDeviceLists = (
  orm: MainDatabase["orm"],
  toDevice: (row: SelectedDevice) => DeviceWithActivity,
) => ({
  list: createPage(orm, toDevice),
  pages: createPages(orm, toDevice),
  listPageIds: createIdPage(orm),
  listIdsByName: createIdList(orm),
  listAllIds: () =>
    new Set(
      orm
        .select({ deviceId: devices.deviceId })
        .from(devices)
        .all()
        .map((row) => row.deviceId),
    ),
  listDeleted: () =>
    orm
      .select()
      .from(deletedDevices)
      .all()
      .map((row) => row.deviceId),
  forgetDeleted: (ids: readonly DeviceId[]): void =>
    void orm
      .delete(deletedDevices)
      .where(inArray(deletedDevices.deviceId, [...ids]))
      .run(),
});
