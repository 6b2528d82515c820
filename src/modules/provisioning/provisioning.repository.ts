import { and, eq, ne, sql } from "drizzle-orm";
import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { deviceProfiles } from "../profiles/profiles.tables.ts";
import { deviceClaims, profileProvisioning } from "./provisioning.tables.ts";
import type { Provisioning } from "./provisioning.types.ts";

export function createProvisioningRepository(database: MainDatabase) {
  const { orm } = database;
  const secrets = database.secrets("provisioning");
  const byProfile = lazyStatement(() =>
    orm
      .select()
      .from(profileProvisioning)
      .where(eq(profileProvisioning.profileId, sql.placeholder("profileId"))),
  );
  const byKey = lazyStatement(() =>
    orm
      .select({ provisioning: profileProvisioning, tenantId: deviceProfiles.tenantId })
      .from(profileProvisioning)
      .innerJoin(deviceProfiles, eq(deviceProfiles.profileId, profileProvisioning.profileId))
      .where(eq(profileProvisioning.key, sql.placeholder("key"))),
  );
  const open = lazyStatement(() =>
    orm
      .select({ key: profileProvisioning.key })
      .from(profileProvisioning)
      .where(and(ne(profileProvisioning.mode, "DISABLED")))
      .limit(1),
  );
  const toProvisioning = ({
    secretSealed,
    ...row
  }: typeof profileProvisioning.$inferSelect): Provisioning => ({
    ...row,
    secret: secrets.open(secretSealed),
  });
  return {
    find(profileId: ProfileId): Provisioning | undefined {
      const row = byProfile.get({ profileId });
      return row && toProvisioning(row);
    },
    /** Finds the settings with the tenant of their profile. */
    findByKey(key: string): (Provisioning & { readonly tenantId: TenantId }) | undefined {
      const row = byKey.get({ key });
      return row && { ...toProvisioning(row.provisioning), tenantId: row.tenantId };
    },
    /** Returns whether devices of any profile may register themselves. */
    isOpen: (): boolean => open.get() !== undefined,
    save({ secret, ...provisioning }: Provisioning & { readonly secret: string }): void {
      const row = { ...provisioning, secretSealed: secrets.seal(secret) };
      orm
        .insert(profileProvisioning)
        .values(row)
        .onConflictDoUpdate({ target: profileProvisioning.profileId, set: row })
        .run();
    },
    findClaim: (deviceId: DeviceId): { claimedAt: number } | undefined =>
      orm
        .select({ claimedAt: deviceClaims.claimedAt })
        .from(deviceClaims)
        .where(eq(deviceClaims.deviceId, deviceId))
        .get(),
    saveClaim: (deviceId: DeviceId, claim: { claimedAt: number; address: string }): void =>
      void orm
        .insert(deviceClaims)
        .values({ deviceId, ...claim })
        .run(),
    deleteClaim: (deviceId: DeviceId): void =>
      void orm.delete(deviceClaims).where(eq(deviceClaims.deviceId, deviceId)).run(),
  };
}

export type ProvisioningRepository = ReturnType<typeof createProvisioningRepository>;
