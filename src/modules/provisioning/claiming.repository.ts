import { and, eq, isNull } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { devices } from "../devices/devices.tables.ts";
import type { ClaimableDevice } from "./claiming.types.ts";
import { claimableDevices } from "./provisioning.tables.ts";

/** Max. devices with the same name whose keys are compared. */
const NAMESAKES_MAX = 20;

const toClaimable = (row: typeof claimableDevices.$inferSelect): ClaimableDevice => ({
  ...row,
});

export function createClaimingRepository(database: MainDatabase) {
  const { orm } = database;
  const secrets = database.secrets("claiming");
  return {
    hashOf: (secretKey: string): string => secrets.hash(secretKey),
    find(deviceId: DeviceId): ClaimableDevice | undefined {
      const row = orm.select().from(claimableDevices).where(eq(claimableDevices.deviceId, deviceId)).get();
      return row && toClaimable(row);
    },
    /** Lists the tenant's claimable and claimed devices with exactly this name. */
    listNamed: (tenantId: TenantId, name: string): ClaimableDevice[] =>
      orm
        .select({ claimable: claimableDevices })
        .from(claimableDevices)
        .innerJoin(devices, eq(devices.deviceId, claimableDevices.deviceId))
        .where(and(eq(devices.tenantId, tenantId), eq(devices.name, name)))
        .limit(NAMESAKES_MAX)
        .all()
        .map(({ claimable }) => toClaimable(claimable)),
    /** Makes the device claimable, unless it is already claimed. Returns whether it did. */
    open({
      deviceId,
      ...window
    }: Pick<ClaimableDevice, "deviceId" | "secretHash" | "openedAt" | "expiresAt">) {
      const rows = orm
        .insert(claimableDevices)
        .values({ deviceId, ...window })
        .onConflictDoUpdate({
          target: claimableDevices.deviceId,
          set: window,
          setWhere: isNull(claimableDevices.claimedAt),
        })
        .returning({ deviceId: claimableDevices.deviceId })
        .all();
      return rows.length > 0;
    },
    /** Returns `false` if the device was claimed meanwhile. */
    claim(deviceId: DeviceId, claim: { claimedAt: number; ownerId: string; ownerName: string }): boolean {
      const rows = orm
        .update(claimableDevices)
        .set(claim)
        .where(and(eq(claimableDevices.deviceId, deviceId), isNull(claimableDevices.claimedAt)))
        .returning({ deviceId: claimableDevices.deviceId })
        .all();
      return rows.length > 0;
    },
    delete: (deviceId: DeviceId): void =>
      void orm.delete(claimableDevices).where(eq(claimableDevices.deviceId, deviceId)).run(),
  };
}

export type ClaimingRepository = ReturnType<typeof createClaimingRepository>;
