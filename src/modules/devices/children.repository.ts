import { and, count, eq, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { devices } from "./devices.tables.ts";
import type { Device } from "./devices.types.ts";

/** Devices as the children of gateways. */
export interface ChildrenRepository {
  /** The child that a gateway calls so. */
  findChild(gatewayId: DeviceId, childName: string): Device | undefined;
  /** Whether a device that is no child of the gateway has the name. */
  hasNameElsewhere(gateway: { tenantId: TenantId; deviceId: DeviceId }, name: string): boolean;
  listChildIds(gatewayId: DeviceId): DeviceId[];
  countChildren(gatewayId: DeviceId): number;
}

export function createChildrenRepository(
  orm: MainDatabase["orm"],
  toDevice: (row: typeof devices.$inferSelect) => Device,
): ChildrenRepository {
  const byChildName = orm
    .select()
    .from(devices)
    .where(
      and(
        eq(devices.parentDeviceId, sql.placeholder("gatewayId")),
        eq(devices.childName, sql.placeholder("childName")),
      ),
    )
    .prepare();
  const elsewhere = orm
    .select({ deviceId: devices.deviceId })
    .from(devices)
    .where(
      and(
        eq(devices.tenantId, sql.placeholder("tenantId")),
        eq(devices.name, sql.placeholder("name")),
        sql`${devices.parentDeviceId} IS NOT ${sql.placeholder("deviceId")}`,
      ),
    )
    .limit(1)
    .prepare();
  return {
    findChild(gatewayId, childName) {
      const row = byChildName.get({ gatewayId, childName });
      return row && toDevice(row);
    },
    hasNameElsewhere: ({ tenantId, deviceId }, name) =>
      elsewhere.get({ tenantId, deviceId, name }) !== undefined,
    listChildIds: (gatewayId) =>
      orm
        .select({ deviceId: devices.deviceId })
        .from(devices)
        .where(eq(devices.parentDeviceId, gatewayId))
        .all()
        .map((row) => row.deviceId as DeviceId), // minted by us
    countChildren: (gatewayId) =>
      orm.select({ count: count() }).from(devices).where(eq(devices.parentDeviceId, gatewayId)).get()
        ?.count ?? 0,
  };
}
