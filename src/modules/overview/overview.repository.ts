import { and, count, eq, isNull, sql } from "drizzle-orm";
import { ALARM_SEVERITIES, type AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { alarms } from "../alarms/alarms.tables.ts";
import type { AlarmCounts } from "./overview.types.ts";

const noAlarms = Object.fromEntries(ALARM_SEVERITIES.map((severity) => [severity, 0])) as Record<
  AlarmSeverity,
  number
>; // of all severities

/** Creates the counts for the overview. */
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
    /** Returns the number of open alarms per tenant that has any. */
    countOpenByTenant(): Map<TenantId, number> {
      const rows = orm
        .select({ tenantId: alarms.tenantId, count: count() })
        .from(alarms)
        .where(isNull(alarms.clearedAt))
        .groupBy(alarms.tenantId)
        .all();
      return new Map(rows.map((row) => [row.tenantId, row.count]));
    },
  };
}

export type OverviewRepository = ReturnType<typeof createOverviewRepository>;
