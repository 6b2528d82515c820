import { eq, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { deviceActivity } from "./devices.tables.ts";
import type { DeviceActivity } from "./devices.types.ts";

export function createActivityRepository({ orm }: MainDatabase) {
  const byId = lazyStatement(() =>
    orm
      .select()
      .from(deviceActivity)
      .where(eq(deviceActivity.deviceId, sql.placeholder("deviceId"))),
  );
  const columns = [
    "active",
    "lastActivityAt",
    "lastConnectedAt",
    "lastDisconnectedAt",
    "inactivityAlarmAt",
    "intervalMs",
    "observedMs",
  ] as const;
  const save = lazyStatement(() =>
    orm
      .insert(deviceActivity)
      .values({
        deviceId: sql.placeholder("deviceId"),
        active: sql.placeholder("active"),
        lastActivityAt: sql.placeholder("lastActivityAt"),
        lastConnectedAt: sql.placeholder("lastConnectedAt"),
        lastDisconnectedAt: sql.placeholder("lastDisconnectedAt"),
        inactivityAlarmAt: sql.placeholder("inactivityAlarmAt"),
        intervalMs: sql.placeholder("intervalMs"),
        observedMs: sql.placeholder("observedMs"),
      })
      .onConflictDoUpdate({
        target: deviceActivity.deviceId,
        set: Object.fromEntries(
          columns.map((column) => [column, sql.raw(`excluded.${deviceActivity[column].name}`)]),
        ),
      }),
  );
  return {
    find(deviceId: DeviceId): DeviceActivity | undefined {
      const row = byId.get({ deviceId });
      if (row === undefined) return undefined;
      const activity = omit(row, "deviceId");
      return activity;
    },
    listActive: (): DeviceId[] =>
      orm
        .select({ deviceId: deviceActivity.deviceId })
        .from(deviceActivity)
        .where(eq(deviceActivity.active, true))
        .all()
        .map((row) => row.deviceId),
    save(deviceId: DeviceId, activity: DeviceActivity): void {
      save.run({
        deviceId,
        ...activity,
        active: activity.active ? 1 : 0,
        intervalMs: Math.round(activity.intervalMs),
        observedMs: Math.round(activity.observedMs),
      });
    },
  };
}

export type ActivityRepository = ReturnType<typeof createActivityRepository>;
