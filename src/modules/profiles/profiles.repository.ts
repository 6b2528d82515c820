import { and, count, eq, getTableColumns, ne, sql } from "drizzle-orm";
import type { ProfileId, TenantId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import type { KeyMetadata } from "../../lib/keys/key-metadata.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { isAmong, type VisibleDevices } from "../../platform/database/is-among.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { devices } from "../devices/devices.tables.ts";
import {
  type DeviceProfile,
  type ProfileSettings,
  profileNotFound,
  profileResource,
} from "./profiles.resource.ts";
import { deviceProfiles, profileKeys, tenantKeys } from "./profiles.tables.ts";

export function createProfilesRepository(database: MainDatabase, clock: Clock) {
  const { orm } = database;
  const byDefault = lazyStatement(() =>
    orm
      .select()
      .from(deviceProfiles)
      .where(
        and(eq(deviceProfiles.tenantId, sql.placeholder("tenantId")), eq(deviceProfiles.isDefault, true)),
      ),
  );
  const settings = lazyStatement(() =>
    orm
      .select(omit(getTableColumns(deviceProfiles), "alarmRules", "deviceRequests", "commands"))
      .from(deviceProfiles)
      .where(
        and(
          eq(deviceProfiles.tenantId, sql.placeholder("tenantId")),
          eq(deviceProfiles.profileId, sql.placeholder("profileId")),
        ),
      ),
  );
  return {
    ...profileResource.createStore(database, clock),
    /** @throws DomainError `profile.not_found` */
    settingsOf(tenantId: TenantId, profileId: ProfileId): ProfileSettings {
      const found = settings.get({ tenantId, profileId });
      if (found === undefined) throw profileNotFound();
      return found;
    },
    findDefault: (tenantId: TenantId): DeviceProfile | undefined => byDefault.get({ tenantId }),
    /** Removes the default mark from every other profile of the tenant. */
    setOnlyDefault: (tenantId: TenantId, profileId: ProfileId): void =>
      void orm
        .update(deviceProfiles)
        .set({ isDefault: false })
        .where(and(eq(deviceProfiles.tenantId, tenantId), ne(deviceProfiles.profileId, profileId)))
        .run(),
    /** Returns the number of visible devices by profile, without profiles that have none. */
    countDevicesOfAll: (tenantId: TenantId, visible: VisibleDevices): Map<string, number> =>
      new Map(
        orm
          .select({ profileId: devices.profileId, total: count() })
          .from(devices)
          .where(and(eq(devices.tenantId, tenantId), isAmong(devices.deviceId, visible)))
          .groupBy(devices.profileId)
          .all()
          .map(({ profileId, total }) => [profileId, total]),
      ),
    countDevices: (profileId: ProfileId): number =>
      orm.select({ total: count() }).from(devices).where(eq(devices.profileId, profileId)).get()?.total ?? 0,
  };
}

/** Creates the store of profiles' and tenants' key metadata. */
export function createKeyMetadataRepository({ orm }: MainDatabase) {
  const ofProfile = lazyStatement(() =>
    orm
      .select({ metadata: profileKeys.metadata })
      .from(profileKeys)
      .where(eq(profileKeys.profileId, sql.placeholder("profileId"))),
  );
  const ofTenant = lazyStatement(() =>
    orm
      .select({ metadata: tenantKeys.metadata })
      .from(tenantKeys)
      .where(eq(tenantKeys.tenantId, sql.placeholder("tenantId"))),
  );
  return {
    ofProfile: (profileId: ProfileId): readonly KeyMetadata[] => ofProfile.get({ profileId })?.metadata ?? [],
    ofTenant: (tenantId: TenantId): readonly KeyMetadata[] => ofTenant.get({ tenantId })?.metadata ?? [],
    saveOfProfile: (profileId: ProfileId, metadata: readonly KeyMetadata[]): void =>
      void orm
        .insert(profileKeys)
        .values({ profileId, metadata })
        .onConflictDoUpdate({ target: profileKeys.profileId, set: { metadata } })
        .run(),
    saveOfTenant: (tenantId: TenantId, metadata: readonly KeyMetadata[]): void =>
      void orm
        .insert(tenantKeys)
        .values({ tenantId, metadata })
        .onConflictDoUpdate({ target: tenantKeys.tenantId, set: { metadata } })
        .run(),
  };
}

export type KeyMetadataRepository = ReturnType<typeof createKeyMetadataRepository>;
export type ProfilesRepository = ReturnType<typeof createProfilesRepository>;
