import { and, eq, gt, or, sql } from "drizzle-orm";
import type { DeviceId, ProfileId, TenantId } from "../../../lib/core/ids.ts";
import type { MainDatabase } from "../../../platform/database/database.ts";
import type { VisibleDevices } from "../../../platform/database/is-among.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import { devices } from "../../devices/devices.tables.ts";
import type { RuleScope } from "../rules/rule-scope.ts";

const listed = (values: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;

const isInScope = ({ deviceIds, deviceTypes, tags }: RuleScope) =>
  or(
    sql`${devices.deviceId} IN ${listed(deviceIds)}`,
    sql`${devices.deviceType} IN ${listed(deviceTypes)}`,
    sql`EXISTS (SELECT 1 FROM json_each(${devices.tags}) AS tag WHERE tag.value IN ${listed(tags)})`,
  );

const conditionOf = (scope: RuleScope | undefined) =>
  scope === undefined ? sql<number>`1` : sql<number>`${isInScope(scope)}`;

/** Devices per query; with 64 tags each, a query takes about 10 ms. */
const PAGE = 200;
const rowId = sql<number>`${devices}.rowid`;

/** Returns the visible devices of a profile that a rule with this scope watches: the first by name, and the total number. */
export const createWatchedDevices =
  ({ orm }: MainDatabase) =>
  async (
    { tenantId, devices: visible }: { readonly tenantId: TenantId; readonly devices: VisibleDevices },
    { profileId, scope, limit }: { profileId: string; scope: RuleScope | undefined; limit: number },
  ): Promise<{ deviceIds: DeviceId[]; total: number }> => {
    const watched = conditionOf(scope);
    const read = (after: number) =>
      orm
        .select({
          row: rowId,
          deviceId: devices.deviceId,
          name: devices.name,
          isWatched: watched,
        })
        .from(devices)
        .where(
          and(
            eq(devices.profileId, profileId as ProfileId), // only compared
            eq(devices.tenantId, tenantId),
            gt(rowId, after),
          ),
        )
        .orderBy(rowId)
        .limit(PAGE)
        .all();
    // Not in the query: each page would read the whole list of ids again.
    const isVisible = (deviceId: string) => visible === "all" || visible.has(deviceId as DeviceId);
    const found: { deviceId: string; name: string }[] = [];
    for (let page = read(0); ; page = read(page.at(-1)?.row ?? 0)) {
      found.push(...page.filter(({ isWatched, deviceId }) => isWatched === 1 && isVisible(deviceId)));
      if (page.length < PAGE) break;
      await workShare.pause();
    }
    const first = limit === 0 ? [] : found.sort(byName).slice(0, limit);
    return { deviceIds: first.map(({ deviceId }) => deviceId as DeviceId), total: found.length };
  };

/** Compares as SQLite does. */
const compare = (left: string, right: string): number => Number(left > right) - Number(left < right);
const byName = (
  left: { name: string; deviceId: string },
  right: { name: string; deviceId: string },
): number => compare(left.name, right.name) || compare(left.deviceId, right.deviceId);
