import { and, asc, eq } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { dashboardShares } from "./dashboards.tables.ts";
import type { DashboardShare } from "./shares.types.ts";

export function createSharesRepository(database: MainDatabase) {
  const { orm } = database;
  const secrets = database.secrets("dashboard links");
  const toShare = ({
    tokenHash: _,
    tokenSealed,
    ...row
  }: typeof dashboardShares.$inferSelect): DashboardShare => ({
    ...row,
    token: secrets.open(tokenSealed) ?? "",
    tenantId: row.tenantId as TenantId, // ids in our own tables were minted by us
    deviceId: row.deviceId as DeviceId | null,
  });
  return {
    /** Oldest first. */
    list: (dashboardId: string): DashboardShare[] =>
      orm
        .select()
        .from(dashboardShares)
        .where(eq(dashboardShares.dashboardId, dashboardId))
        .orderBy(asc(dashboardShares.createdAt), asc(dashboardShares.shareId))
        .all()
        .map(toShare),
    findByToken(token: string): DashboardShare | undefined {
      const row = orm
        .select()
        .from(dashboardShares)
        .where(eq(dashboardShares.tokenHash, secrets.hash(token)))
        .get();
      return row && toShare(row);
    },
    insert: ({ token, ...share }: DashboardShare): void =>
      void orm
        .insert(dashboardShares)
        .values({ ...share, tokenHash: secrets.hash(token), tokenSealed: secrets.seal(token) })
        .run(),
    /** Returns `false` if there is none. */
    delete: (dashboardId: string, shareId: string): boolean =>
      orm
        .delete(dashboardShares)
        .where(and(eq(dashboardShares.dashboardId, dashboardId), eq(dashboardShares.shareId, shareId)))
        .returning({ shareId: dashboardShares.shareId })
        .all().length > 0,
  };
}

export type SharesRepository = ReturnType<typeof createSharesRepository>;
