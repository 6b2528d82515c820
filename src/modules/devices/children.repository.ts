import { and, count, eq, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { devices } from "./devices.tables.ts";
import type { Device } from "./devices.types.ts";

/** Creates the queries for the children of gateways. */
export function createChildrenRepository(
  orm: MainDatabase["orm"],
  toDevice: (row: typeof devices.$inferSelect) => Device,
) {
  const byChildName = lazyStatement(() =>
    orm
      .select()
      .from(devices)
      .where(
        and(
          eq(devices.parentDeviceId, sql.placeholder("gatewayId")),
          eq(devices.childName, sql.placeholder("childName")),
        ),
      ),
  );
  const firstChildren = lazyStatement(() =>
    orm
      .select({ deviceId: devices.deviceId })
      .from(devices)
      .where(eq(devices.parentDeviceId, sql.placeholder("gatewayId")))
      .limit(sql.placeholder("max")),
  );
  const detach = lazyStatement(() =>
    orm
      .update(devices)
      .set({ parentDeviceId: null })
      .where(eq(devices.deviceId, sql.placeholder("deviceId"))),
  );
  const elsewhere = lazyStatement(() =>
    orm
      .select({ deviceId: devices.deviceId })
      .from(devices)
      .where(
        and(
          eq(devices.tenantId, sql.placeholder("tenantId")),
          eq(devices.name, sql.placeholder("name")),
          sql`${devices.parentDeviceId} IS NOT ${sql.placeholder("deviceId")}`,
        ),
      )
      .limit(1),
  );
  return {
    /** Returns the child with this name at the gateway. */
    findChild(gatewayId: DeviceId, childName: string): Device | undefined {
      const row = byChildName.get({ gatewayId, childName });
      return row && toDevice(row);
    },
    /** Returns whether a device that is not a child of the gateway has the name. */
    hasNameElsewhere: (
      { tenantId, deviceId }: { tenantId: TenantId; deviceId: DeviceId },
      name: string,
    ): boolean => elsewhere.get({ tenantId, deviceId, name }) !== undefined,
    listChildIds: (gatewayId: DeviceId): DeviceId[] =>
      orm
        .select({ deviceId: devices.deviceId })
        .from(devices)
        .where(eq(devices.parentDeviceId, gatewayId))
        .all()
        .map((row) => row.deviceId),
    /** Detaches up to `max` children from the gateway. Returns their ids. */
    detachChildren(gatewayId: DeviceId, max: number): DeviceId[] {
      const ids = firstChildren.all({ gatewayId, max }).map((row) => row.deviceId);
      for (const deviceId of ids) detach.run({ deviceId });
      return ids;
    },
    countChildren: (gatewayId: DeviceId): number =>
      orm.select({ count: count() }).from(devices).where(eq(devices.parentDeviceId, gatewayId)).get()
        ?.count ?? 0,
  };
}

export type ChildrenRepository = ReturnType<typeof createChildrenRepository>;
