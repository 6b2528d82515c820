import { asc, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { DeviceId, ProfileId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { attributes } from "../attributes/attributes.tables.ts";
import { devices } from "../devices/devices.tables.ts";
import { integrationProfiles, integrations } from "./integrations.tables.ts";
import { EXTERNAL_ID_KEY, OWNER_KEY } from "./integrations.types.ts";

/** Devices with the same external id, of which each is another integration's. */
const NAMESAKES_MAX = 20;

/** A device that other networks know by an id. */
export interface IdentifiedDevice {
  readonly deviceId: DeviceId;
  /** Integration whose announcements it follows; undefined if it was not announced. */
  readonly owner: string | undefined;
}

/** Devices by what other networks know them by, and profiles by the integration that has created them. */
export function createDeviceIdentities({ orm }: MainDatabase) {
  const owners = alias(attributes, "owners");
  // The keys stand in the text: only so are the indexes of these two keys used, and not the list of all devices that have one.
  const prepared = (key: "integration.lorawan.dev_eui" | typeof EXTERNAL_ID_KEY) =>
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
      .limit(NAMESAKES_MAX)
      .prepare();
  const byDevEui = prepared("integration.lorawan.dev_eui");
  const byExternalId = prepared(EXTERNAL_ID_KEY);
  /** Attributes are stored as JSON. */
  function ownerOf(json: string | null): string | undefined {
    const value: unknown = json === null ? undefined : JSON.parse(json);
    return typeof value === "string" ? value : undefined;
  }
  return {
    findByDevEui: (tenantId: TenantId, devEui: string): DeviceId | undefined =>
      byDevEui.get({ tenantId, value: JSON.stringify(devEui) })?.deviceId as DeviceId | undefined, // minted by us
    /** Returns the devices with the id, the oldest first. */
    findByExternalId: (tenantId: TenantId, externalId: string): IdentifiedDevice[] =>
      byExternalId.all({ tenantId, value: JSON.stringify(externalId) }).map(({ deviceId, owner }) => ({
        deviceId: deviceId as DeviceId,
        owner: ownerOf(owner),
      })),
    isIntegration: (integrationId: string): boolean =>
      orm
        .select({ integrationId: integrations.integrationId })
        .from(integrations)
        .where(eq(integrations.integrationId, integrationId))
        .get() !== undefined,
    /** Returns the integration that has created the profile, if that integration is still there. */
    creatorOf: (profileId: ProfileId): string | undefined =>
      orm
        .select({ integrationId: integrations.integrationId })
        .from(integrationProfiles)
        .innerJoin(integrations, eq(integrations.integrationId, integrationProfiles.integrationId))
        .where(eq(integrationProfiles.profileId, profileId))
        .get()?.integrationId,
    /** Returns whether some integration has created the profile, which may be deleted by now. */
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
