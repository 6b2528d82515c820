import { and, asc, count, eq, or, sql } from "drizzle-orm";
import { comparedId, type DeviceId, type TenantId } from "../../lib/core/ids.ts";
import { contains, containsText } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { VisibleDevices } from "../../platform/database/is-among.ts";
import { devices } from "../devices/devices.tables.ts";
import { schedulerTargets } from "./scheduler.tables.ts";
import type { JobTargets, RunTarget, Target } from "./scheduler.types.ts";

interface TargetFilter {
  readonly visible: VisibleDevices;
  /** Part of a device's name or error, or a device's id. */
  readonly search?: string | undefined;
}

interface TargetCounts {
  readonly total: number;
  readonly failed: number;
}

type Row = typeof schedulerTargets.$inferSelect;

const toTarget = ({ runId: _, ...row }: Row): RunTarget => ({
  ...row,
  // branded when it was written
});

/** Stores the devices of runs: targets and results. */
export function createTargetsRepository({ orm }: MainDatabase) {
  const among = (column: typeof devices.deviceId | typeof schedulerTargets.deviceId, ids: Iterable<string>) =>
    sql`${column} IN (SELECT value FROM json_each(${JSON.stringify([...ids])}))`;
  const matching = (runId: string, { visible, search }: TargetFilter) =>
    and(
      eq(schedulerTargets.runId, runId),
      visible === "all" ? undefined : among(schedulerTargets.deviceId, visible),
      search === undefined
        ? undefined
        : or(
            contains(schedulerTargets.name, search),
            containsText(schedulerTargets.error, search),
            eq(schedulerTargets.deviceId, comparedId(search)),
          ),
    );
  return {
    /** Returns the existing devices of a job. */
    resolve: (tenantId: TenantId, targets: JobTargets): Target[] =>
      orm
        .select({ deviceId: devices.deviceId, name: devices.name })
        .from(devices)
        .where(
          and(
            eq(devices.tenantId, tenantId),
            "deviceType" in targets
              ? eq(devices.deviceType, targets.deviceType)
              : among(devices.deviceId, targets.deviceIds),
          ),
        )
        .orderBy(asc(devices.deviceId))
        .all()
        .map(({ deviceId, name }) => ({ deviceId, name })),
    save(runId: string, targets: readonly RunTarget[]): void {
      if (targets.length === 0) return;
      orm
        .insert(schedulerTargets)
        .values(targets.map((target) => ({ runId, ...target })))
        .onConflictDoNothing()
        .run();
    },
    listIds: (runId: string): DeviceId[] =>
      orm
        .select({ deviceId: schedulerTargets.deviceId })
        .from(schedulerTargets)
        .where(eq(schedulerTargets.runId, runId))
        .all()
        .map(({ deviceId }) => deviceId),
    count(runId: string, filter: TargetFilter): TargetCounts {
      const row = orm
        .select({
          total: count(),
          failed: sql<number>`count(*) FILTER (WHERE ${schedulerTargets.status} = 'FAILED')`,
        })
        .from(schedulerTargets)
        .where(matching(runId, filter))
        .get();
      return row ?? { total: 0, failed: 0 };
    },
    /** Lists targets, failed targets first, then by name. */
    list: (
      runId: string,
      {
        status,
        limit,
        offset,
        ...filter
      }: TargetFilter & { status?: RunTarget["status"] | undefined; limit: number; offset: number },
    ): RunTarget[] =>
      orm
        .select()
        .from(schedulerTargets)
        .where(
          and(
            matching(runId, filter),
            status === undefined ? undefined : eq(schedulerTargets.status, status),
          ),
        )
        .orderBy(asc(schedulerTargets.status), asc(schedulerTargets.name), asc(schedulerTargets.deviceId))
        .limit(limit)
        .offset(offset)
        .all()
        .map(toTarget),
  };
}

export type TargetsRepository = ReturnType<typeof createTargetsRepository>;
