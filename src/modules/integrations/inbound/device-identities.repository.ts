import { asc, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { DeviceId, ProfileId, TenantId } from "../../../lib/core/ids.ts";
import type { MainDatabase } from "../../../platform/database/database.ts";
import { lazyStatement } from "../../../platform/database/lazy-statement.ts";
import { attributes } from "../../attributes/attributes.tables.ts";
import { devices } from "../../devices/devices.tables.ts";
import { integrationProfiles, integrations } from "../integrations.tables.ts";
import { ADDRESS_KEY, EXTERNAL_ID_KEY, OWNER_KEY } from "../integrations.types.ts";

/** Max. devices with the same external id, each of a different integration. */
const NAMESAKES_MAX = 20;

/** Device with an external id of another network. */
export interface IdentifiedDevice {
  readonly deviceId: DeviceId;
  /** Integration whose announcements the device follows; undefined if it was not announced. */
  readonly owner: string | undefined;
}

/** Devices by external id, and profiles by the integration that created them. */
export function createDeviceIdentities({ orm }: MainDatabase) {
  const owners = alias(attributes, "owners");
  // The keys stand in the text: only so are the indexes of these two keys used, and not the list of all devices that have one.
  const prepared = (key: "integration.lorawan.dev_eui" | typeof EXTERNAL_ID_KEY | typeof ADDRESS_KEY) =>
    lazyStatement(() =>
      orm
        .select({ deviceId: attributes.deviceId, owner: owners.value })
        .from(attributes)
        .innerJoin(devices, sql`${devices.deviceId} = ${attributes.deviceId}`)
        .leftJoin(
          owners,
          sql`${owners.deviceId} = ${attributes.deviceId} AND ${owners.scope} = 'SERVER' AND ${owners.key} = ${OWNER_KEY}`,
        )
        .where(
          sql`${attributes.key} = '${sql.raw(key)}' AND ${attributes.scope} = 'SERVER' AND ${attributes.value} = ${sql.placeholder("value")} AND ${devices.tenantId} = ${sql.placeholder("tenantId")}`,
        )
        .orderBy(asc(attributes.deviceId))
        .limit(NAMESAKES_MAX),
    );
  const byDevEui = prepared("integration.lorawan.dev_eui");
  const byExternalId = prepared(EXTERNAL_ID_KEY);
  const byAddress = prepared(ADDRESS_KEY);
  /** Returns the owner from an attribute, which is stored as JSON. */
  function ownerOf(json: string | null): string | undefined {
    const value: unknown = json === null ? undefined : JSON.parse(json);
    return typeof value === "string" ? value : undefined;
  }
  const found = (query: typeof byExternalId, tenantId: TenantId, value: string): IdentifiedDevice[] =>
    query.all({ tenantId, value: JSON.stringify(value) }).map(({ deviceId, owner }) => ({
      deviceId,
      owner: ownerOf(owner),
    }));
  return {
    findByDevEui: (tenantId: TenantId, devEui: string): DeviceId | undefined =>
      byDevEui.get({ tenantId, value: JSON.stringify(devEui) })?.deviceId,
    /** Returns the devices with the external id, oldest first. */
    findByExternalId: (tenantId: TenantId, externalId: string) => found(byExternalId, tenantId, externalId),
    findByAddress: (tenantId: TenantId, address: string) => found(byAddress, tenantId, address),
    isIntegration: (integrationId: string): boolean =>
      orm
        .select({ integrationId: integrations.integrationId })
        .from(integrations)
        .where(eq(integrations.integrationId, integrationId))
        .get() !== undefined,
    /** Returns the integration that created the profile, if it still exists. */
    creatorOf: (profileId: ProfileId): string | undefined =>
      orm
        .select({ integrationId: integrations.integrationId })
        .from(integrationProfiles)
        .innerJoin(integrations, eq(integrations.integrationId, integrationProfiles.integrationId))
        .where(eq(integrationProfiles.profileId, profileId))
        .get()?.integrationId,
    /** Returns whether an integration, possibly deleted, created the profile. */
    isCreated: (profileId: ProfileId): boolean =>
      orm
        .select({ profileId: integrationProfiles.profileId })
        .from(integrationProfiles)
        .where(eq(integrationProfiles.profileId, profileId))
        .get() !== undefined,
    saveCreator: (profileId: ProfileId, integrationId: string): void =>
      void orm
        .insert(integrationProfiles)
        .values({ profileId, integrationId })
        .onConflictDoUpdate({ target: integrationProfiles.profileId, set: { integrationId } })
        .run(),
  };
}

export type DeviceIdentities = ReturnType<typeof createDeviceIdentities>;
