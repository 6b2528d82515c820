import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { isAmong, type VisibleDevices } from "../../platform/database/is-among.ts";
import { alarms, severityRank } from "../alarms/alarms.tables.ts";
import { deviceActivity, devices } from "./devices.tables.ts";

/*
 * The order of devices by their state, which is the most severe of their open alarms and, without one, whether they are active. A gateway
 * has the alarms of its children, too.
 */

export const isSortedByState = (sort = ""): boolean => sort === "state" || sort === "-state";

/** Returns the ids of the devices with open alarms, each with the rank of the most severe one. */
export function openAlarmRanks(orm: MainDatabase["orm"], tenantId: TenantId, visible: VisibleDevices) {
  const isOpen = and(
    eq(alarms.tenantId, tenantId),
    isNull(alarms.clearedAt),
    isAmong(alarms.deviceId, visible),
  );
  const own = orm
    .select({ deviceId: sql<string>`${alarms.deviceId}`.as("id"), rank: severityRank.as("severity_rank") })
    .from(alarms)
    .where(isOpen);
  const ofChildren = orm
    .select({
      deviceId: sql<string>`${devices.parentDeviceId}`.as("id"),
      rank: severityRank.as("severity_rank"),
    })
    .from(alarms)
    .innerJoin(devices, eq(devices.deviceId, alarms.deviceId))
    .where(and(isOpen, isNotNull(devices.parentDeviceId)));
  const all = own.unionAll(ofChildren).as("open_alarms");
  return orm
    .select({ deviceId: all.deviceId, rank: sql<number>`max(${all.rank})`.as("worst_rank") })
    .from(all)
    .groupBy(sql`${all.deviceId}`)
    .as("worst_alarms");
}

/** Returns the order by state, devices of the same state by their names. `-state` lists those with the most severe alarms first. */
export function orderByState(sort: string, ranks: ReturnType<typeof openAlarmRanks>): SQL[] {
  const isInactive = sql`coalesce(${deviceActivity.active}, 0) = 0`;
  const state = sql`CASE WHEN ${ranks.rank} IS NOT NULL THEN ${ranks.rank} + 2 WHEN ${isInactive} THEN 1 ELSE 0 END`;
  return [
    sort.startsWith("-") ? desc(state) : asc(state),
    asc(sql`${devices.name} COLLATE NOCASE`),
    asc(devices.deviceId),
  ];
}
