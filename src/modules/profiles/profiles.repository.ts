import { and, asc, count, eq, ne, sql } from "drizzle-orm";
import type { ProfileId, TenantId } from "../../lib/ids.ts";
import type { KeyMetadata } from "../../lib/key-metadata.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { devices } from "../devices/devices.tables.ts";
import { deviceProfiles, profileKeys, tenantKeys } from "./profiles.tables.ts";
import type { DeviceProfile } from "./profiles.types.ts";

type Row = typeof deviceProfiles.$inferSelect;

const toProfile = (row: Row): DeviceProfile => ({
  ...row,
  profileId: row.profileId as ProfileId, // ids in our own tables were minted by us
  tenantId: row.tenantId as TenantId,
});

export function createProfilesRepository({ orm }: MainDatabase) {
  const prepare = (...conditions: Parameters<typeof and>) =>
    orm
      .select()
      .from(deviceProfiles)
      .where(and(eq(deviceProfiles.tenantId, sql.placeholder("tenantId")), ...conditions))
      .prepare();
  const byId = prepare(eq(deviceProfiles.profileId, sql.placeholder("profileId")));
  const byName = prepare(eq(deviceProfiles.name, sql.placeholder("name")));
  const byDefault = prepare(eq(deviceProfiles.isDefault, true));
  const first = (row: Row | undefined) => row && toProfile(row);
  const values = (profile: DeviceProfile) => ({
    ...profile,
    alarmRules: [...profile.alarmRules],
    deviceRequests: [...profile.deviceRequests],
  });
  return {
    list: (tenantId: TenantId): DeviceProfile[] =>
      orm
        .select()
        .from(deviceProfiles)
        .where(eq(deviceProfiles.tenantId, tenantId))
        .orderBy(asc(deviceProfiles.name))
        .all()
        .map(toProfile),
    find: (tenantId: TenantId, profileId: ProfileId): DeviceProfile | undefined =>
      first(byId.get({ tenantId, profileId })),
    findDefault: (tenantId: TenantId): DeviceProfile | undefined => first(byDefault.get({ tenantId })),
    findByName: (tenantId: TenantId, name: string): DeviceProfile | undefined =>
      first(byName.get({ tenantId, name })),
    insert: (profile: DeviceProfile): void => void orm.insert(deviceProfiles).values(values(profile)).run(),
    update: (profile: DeviceProfile): void =>
      void orm
        .update(deviceProfiles)
        .set(values(profile))
        .where(eq(deviceProfiles.profileId, profile.profileId))
        .run(),
    /** Takes the default mark from every other profile of the tenant. */
    setOnlyDefault: (tenantId: TenantId, profileId: ProfileId): void =>
      void orm
        .update(deviceProfiles)
        .set({ isDefault: false })
        .where(and(eq(deviceProfiles.tenantId, tenantId), ne(deviceProfiles.profileId, profileId)))
        .run(),
    countDevices: (profileId: ProfileId): number =>
      orm.select({ total: count() }).from(devices).where(eq(devices.profileId, profileId)).get()?.total ?? 0,
    delete: (tenantId: TenantId, profileId: ProfileId): void =>
      void orm
        .delete(deviceProfiles)
        .where(and(eq(deviceProfiles.tenantId, tenantId), eq(deviceProfiles.profileId, profileId)))
        .run(),
  };
}

/** Creates the store of key metadata, of profiles and of tenants. */
export function createKeyMetadataRepository({ orm }: MainDatabase) {
  const ofProfile = orm
    .select({ metadata: profileKeys.metadata })
    .from(profileKeys)
    .where(eq(profileKeys.profileId, sql.placeholder("profileId")))
    .prepare();
  const ofTenant = orm
    .select({ metadata: tenantKeys.metadata })
    .from(tenantKeys)
    .where(eq(tenantKeys.tenantId, sql.placeholder("tenantId")))
    .prepare();
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
