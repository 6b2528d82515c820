import { sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { attributes } from "../attributes/attributes.tables.ts";
import { devices } from "../devices/devices.tables.ts";
import { EXTERNAL_ID_KEY } from "./integrations.types.ts";

/** Devices by what other networks know them by. */
export function createDeviceIdentities({ orm }: MainDatabase) {
  // The keys stand in the text: only so are the indexes of these two keys used, and not the list of all devices that have one.
  const prepared = (key: "integration.lorawan.dev_eui" | typeof EXTERNAL_ID_KEY) =>
    orm
      .select({ deviceId: attributes.deviceId })
      .from(attributes)
      .innerJoin(devices, sql`${devices.deviceId} = ${attributes.deviceId}`)
      .where(
        sql`${attributes.key} = '${sql.raw(key)}' AND ${attributes.scope} = 'SERVER' AND ${attributes.value} = ${sql.placeholder("value")} AND ${devices.tenantId} = ${sql.placeholder("tenantId")}`,
      )
      .limit(1)
      .prepare();
  const byDevEui = prepared("integration.lorawan.dev_eui");
  const byExternalId = prepared(EXTERNAL_ID_KEY);
  return {
    findByDevEui: (tenantId: TenantId, devEui: string): DeviceId | undefined =>
      byDevEui.get({ tenantId, value: JSON.stringify(devEui) })?.deviceId as DeviceId | undefined, // minted by us
    findByExternalId: (tenantId: TenantId, externalId: string): DeviceId | undefined =>
      byExternalId.get({ tenantId, value: JSON.stringify(externalId) })?.deviceId as DeviceId | undefined,
  };
}

export type DeviceIdentities = ReturnType<typeof createDeviceIdentities>;
