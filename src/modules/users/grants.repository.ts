import { and, asc, eq, sql } from "drizzle-orm";
import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { devices } from "../devices/devices.tables.ts";
import { userAssets, userDevices } from "./users.tables.ts";
import type { Grants } from "./users.types.ts";

/** Creates the queries for devices and assets granted to users without access to all devices. */
export function createGrantsRepository(orm: MainDatabase["orm"]) {
  const devicesOf = lazyStatement(() =>
    orm
      .select({ deviceId: userDevices.deviceId })
      .from(userDevices)
      .innerJoin(devices, eq(devices.deviceId, userDevices.deviceId))
      .where(eq(userDevices.userId, sql.placeholder("userId")))
      .orderBy(asc(userDevices.deviceId)),
  );
  const assetsOf = lazyStatement(() =>
    orm
      .select({ assetId: userAssets.assetId })
      .from(userAssets)
      .where(eq(userAssets.userId, sql.placeholder("userId")))
      .orderBy(asc(userAssets.assetId)),
  );
  /** Passes the list as one JSON parameter, because it may exceed SQLite's max. number of parameters. */
  const values = (list: readonly string[]) => sql`json_each(${JSON.stringify([...new Set(list)])})`;

  return {
    listGrants: (userId: UserId): Grants => ({
      deviceIds: devicesOf.all({ userId }).map((row) => row.deviceId),
      assetIds: assetsOf.all({ userId }).map((row) => row.assetId),
    }),
    setDevices(userId: UserId, deviceIds: readonly DeviceId[]): void {
      orm.delete(userDevices).where(eq(userDevices.userId, userId)).run();
      orm.run(
        sql`INSERT INTO ${userDevices} (user_id, device_id) SELECT ${userId}, value FROM ${values(deviceIds)}`,
      );
    },
    setAssets(userId: UserId, assetIds: readonly string[]): void {
      orm.delete(userAssets).where(eq(userAssets.userId, userId)).run();
      orm.run(
        sql`INSERT INTO ${userAssets} (user_id, asset_id) SELECT ${userId}, value FROM ${values(assetIds)}`,
      );
    },
    grantDevice: (userId: UserId, deviceId: DeviceId): void =>
      void orm.insert(userDevices).values({ userId, deviceId }).onConflictDoNothing().run(),
    withdrawDevice: (userId: UserId, deviceId: DeviceId): void =>
      void orm
        .delete(userDevices)
        .where(and(eq(userDevices.userId, userId), eq(userDevices.deviceId, deviceId)))
        .run(),
    /** Removes a deleted device from all grants. */
    forgetDevice: (deviceId: DeviceId): void =>
      void orm.delete(userDevices).where(eq(userDevices.deviceId, deviceId)).run(),
    /** Returns the first id that does not belong to a device of the tenant. */
    findUnknownDevice: (tenantId: TenantId, deviceIds: readonly string[]): string | undefined =>
      orm.all<{ value: string }>(
        sql`SELECT value FROM ${values(deviceIds)} WHERE NOT EXISTS (SELECT 1 FROM devices WHERE device_id = value AND tenant_id = ${tenantId}) LIMIT 1`,
      )[0]?.value,
  };
}
