import { and, asc, count, eq, or, sql } from "drizzle-orm";
import type { DeviceId, ProfileId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { isAmong, type VisibleDevices } from "../../platform/is-among.ts";
import { devices } from "../devices/devices.tables.ts";
import type { RuleScope } from "./rule-scope.ts";

const listed = (values: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;

const isInScope = ({ deviceIds, deviceTypes, tags }: RuleScope) =>
  or(
    sql`${devices.deviceId} IN ${listed(deviceIds)}`,
    sql`${devices.deviceType} IN ${listed(deviceTypes)}`,
    sql`EXISTS (SELECT 1 FROM json_each(${devices.tags}) AS tag WHERE tag.value IN ${listed(tags)})`,
  );

/** Returns the devices of a profile that a rule with this scope watches, as far as the caller sees them: the first by name, and the number of all. */
export const createWatchedDevices =
  ({ orm }: MainDatabase) =>
  (
    { tenantId, devices: visible }: { readonly tenantId: TenantId; readonly devices: VisibleDevices },
    { profileId, scope, limit }: { profileId: string; scope: RuleScope | undefined; limit: number },
  ): { deviceIds: DeviceId[]; total: number } => {
    const condition = and(
      eq(devices.tenantId, tenantId),
      eq(devices.profileId, profileId as ProfileId), // only compared
      isAmong(devices.deviceId, visible),
      scope && isInScope(scope),
    );
    const rows = orm
      .select({ deviceId: devices.deviceId })
      .from(devices)
      .where(condition)
      .orderBy(asc(devices.name), asc(devices.deviceId))
      .limit(limit)
      .all();
    const counted = orm.select({ total: count() }).from(devices).where(condition).get();
    return { deviceIds: rows.map(({ deviceId }) => deviceId as DeviceId), total: counted?.total ?? 0 };
  };
