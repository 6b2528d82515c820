import { and, count, eq, sql } from "drizzle-orm";
import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { devices } from "./devices.tables.ts";

/** Creates the queries for the devices of a tenant. */
export function createMembershipRepository(orm: MainDatabase["orm"]) {
  // Joined by SQLite, because reading the devices one by one takes fifty times as long.
  const amongIds = lazyStatement(() =>
    orm
      .select({ count: count() })
      .from(devices)
      .where(
        and(
          eq(devices.tenantId, sql.placeholder("tenantId")),
          sql`${devices.deviceId} IN (SELECT value FROM json_each(${sql.placeholder("deviceIds")}))`,
        ),
      ),
  );
  const byId = lazyStatement(() =>
    orm
      .select({ tenantId: devices.tenantId })
      .from(devices)
      .where(eq(devices.deviceId, sql.placeholder("deviceId"))),
  );
  return {
    /** Returns whether all ids belong to devices of the tenant. */
    hasAll(tenantId: TenantId, deviceIds: readonly string[]): boolean {
      const ids = new Set(deviceIds);
      const [first = ""] = ids;
      if (ids.size === 1) return byId.get({ deviceId: first })?.tenantId === tenantId;
      const row = amongIds.get({ tenantId, deviceIds: JSON.stringify([...ids]) });
      return row?.count === ids.size;
    },
    listNames: (tenantId: TenantId): Set<string> =>
      new Set(
        orm
          .select({ name: devices.name })
          .from(devices)
          .where(eq(devices.tenantId, tenantId))
          .all()
          .map(({ name }) => name),
      ),
    /** Returns ids and profiles of all devices of a tenant, for retention. */
    listIds: (tenantId: TenantId): Array<{ deviceId: DeviceId; profileId: ProfileId }> =>
      orm
        .select({ deviceId: devices.deviceId, profileId: devices.profileId })
        .from(devices)
        .where(eq(devices.tenantId, tenantId))
        .all()
        .map((row) => ({ deviceId: row.deviceId, profileId: row.profileId })),
  };
}

export type MembershipRepository = ReturnType<typeof createMembershipRepository>;
