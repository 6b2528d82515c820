import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { DeviceState } from "../../lib/devices/device-state.ts";
import { GATEWAY_DEVICE_TYPE } from "../../lib/devices/gateway-device.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { isAmong, type VisibleDevices } from "../../platform/database/is-among.ts";
import { alarms, severityRank } from "../alarms/alarms.tables.ts";
import { deviceMaintenance } from "../maintenance/maintenance.tables.ts";
import { deviceActivity, devices } from "./devices.tables.ts";

/*
 * State of devices, and sorting by state: devices with the most severe open alarms come first. A gateway's state includes the alarms of its children.
 */

/** 1 for a gateway's own device, which is listed last. */
export const isOwnDevice = sql`${devices.deviceType} = ${GATEWAY_DEVICE_TYPE}`;

/** `DeviceState` as computed by `deviceStateOf`. Requires a join with `deviceActivity`. */
export const deviceState = sql<DeviceState>`CASE
  WHEN EXISTS (SELECT 1 FROM ${deviceMaintenance} WHERE ${deviceMaintenance.deviceId} IN (${devices.deviceId}, ${devices.parentDeviceId})) THEN 'MAINTENANCE'
  WHEN ${deviceActivity.active} = 1 THEN 'ACTIVE'
  WHEN coalesce(${deviceActivity.lastActivityAt}, ${deviceActivity.lastConnectedAt}) IS NOT NULL THEN 'INACTIVE'
  ELSE 'NEVER_CONNECTED' END`;

const stateRank = sql`CASE ${deviceState} WHEN 'INACTIVE' THEN 3 WHEN 'NEVER_CONNECTED' THEN 2 WHEN 'MAINTENANCE' THEN 1 ELSE 0 END`;

export const isSortedByState = (sort = ""): boolean => sort === "state" || sort === "-state";

/** Returns the ids of devices with open alarms, each with the rank of the highest severity. */
export function openAlarmRanks(orm: MainDatabase["orm"], tenantId: TenantId, visible: VisibleDevices) {
  const isOpen = and(
    eq(alarms.tenantId, tenantId),
    isNull(alarms.clearedAt),
    isAmong(alarms.deviceId, visible),
  );
  // Grouped before the join: a device may have many open alarms.
  const worst = orm.$with("worst_own").as(
    orm
      .select({
        deviceId: sql<string>`${alarms.deviceId}`.as("id"),
        rank: sql<number>`max(${severityRank})`.as("severity_rank"),
      })
      .from(alarms)
      .where(isOpen)
      .groupBy(alarms.deviceId),
  );
  const own = orm.select({ deviceId: worst.deviceId, rank: worst.rank }).from(worst);
  const ofChildren = orm
    .select({ deviceId: sql<string>`${devices.parentDeviceId}`.as("id"), rank: worst.rank })
    .from(worst)
    .innerJoin(devices, eq(devices.deviceId, worst.deviceId))
    .where(isNotNull(devices.parentDeviceId));
  const all = own.unionAll(ofChildren).as("open_alarms");
  return orm
    .with(worst)
    .select({ deviceId: all.deviceId, rank: sql<number>`max(${all.rank})`.as("worst_rank") })
    .from(all)
    .groupBy(sql`${all.deviceId}`)
    .as("worst_alarms");
}

/** Returns the order by state, then by name. `-state` lists devices with the most severe alarms first. */
export function orderByState(sort: string, ranks: ReturnType<typeof openAlarmRanks>): SQL[] {
  const state = sql`CASE WHEN ${ranks.rank} IS NOT NULL THEN ${ranks.rank} + 4 ELSE ${stateRank} END`;
  return [
    sort.startsWith("-") ? desc(state) : asc(state),
    asc(isOwnDevice),
    asc(sql`${devices.name} COLLATE NOCASE`),
    asc(devices.deviceId),
  ];
}
