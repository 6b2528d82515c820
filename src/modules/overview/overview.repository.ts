import { and, count, eq, isNull, sql } from "drizzle-orm";
import { ALARM_SEVERITIES, type AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { alarms } from "../alarms/alarms.tables.ts";
import { deviceActivity, devices } from "../devices/devices.tables.ts";
import { deviceState, isOwnDevice } from "../devices/devices-state.repository.ts";
import type { AlarmCounts } from "./overview.types.ts";

const noAlarms = Object.fromEntries(ALARM_SEVERITIES.map((severity) => [severity, 0])) as Record<
  AlarmSeverity,
  number
>; // of all severities

/** Creates the counts that the overview shows. */
export function createOverviewRepository({ orm }: MainDatabase) {
  return {
    /** Counts the open alarms of a tenant, or of some of its devices. */
    countOpenAlarms(tenantId: TenantId, visible: "all" | ReadonlySet<DeviceId>): AlarmCounts {
      const isVisible =
        visible === "all"
          ? undefined
          : sql`${alarms.deviceId} IN (SELECT value FROM json_each(${JSON.stringify([...visible])}))`;
      const rows = orm
        .select({ severity: alarms.severity, count: count() })
        .from(alarms)
        .where(and(eq(alarms.tenantId, tenantId), isNull(alarms.clearedAt), isVisible))
        .groupBy(alarms.severity)
        .all();
      return { ...noAlarms, ...Object.fromEntries(rows.map((row) => [row.severity, row.count])) };
    },
    /** Counts the open alarms of every tenant that has devices, and its devices that are in the state ACTIVE, as the overview counts them. */
    countAll(): Array<{ tenantId: TenantId; activeDevices: number; openAlarms: number }> {
      const open = orm
        .select({ tenantId: alarms.tenantId, count: count() })
        .from(alarms)
        .where(isNull(alarms.clearedAt))
        .groupBy(alarms.tenantId)
        .all();
      const openOf = new Map(open.map((row) => [row.tenantId, row.count]));
      return orm
        .select({
          tenantId: devices.tenantId,
          activeDevices: sql<number>`coalesce(sum(${deviceState} = 'ACTIVE' AND NOT ${isOwnDevice}), 0)`,
        })
        .from(devices)
        .leftJoin(deviceActivity, eq(deviceActivity.deviceId, devices.deviceId))
        .groupBy(devices.tenantId)
        .all()
        .map((row) => ({
          tenantId: row.tenantId as TenantId, // minted by us
          activeDevices: row.activeDevices,
          openAlarms: openOf.get(row.tenantId) ?? 0,
        }));
    },
  };
}

export type OverviewRepository = ReturnType<typeof createOverviewRepository>;
