import { asc, eq, or, sql } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database/database.ts";
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
  });
  return {
    /** Returns the links that show the dashboard, alone or in a rotation, oldest first. */
    list: (dashboardId: string): DashboardShare[] =>
      orm
        .select()
        .from(dashboardShares)
        .where(
          or(
            eq(dashboardShares.dashboardId, dashboardId),
            sql`exists (select 1 from json_each(${dashboardShares.rotation}, '$.dashboardIds') where value = ${dashboardId})`,
          ),
        )
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
    setDashboards: ({ shareId, dashboardId, rotation }: DashboardShare): void =>
      void orm
        .update(dashboardShares)
        .set({ dashboardId, rotation })
        .where(eq(dashboardShares.shareId, shareId))
        .run(),
    delete: (shareId: string): void =>
      void orm.delete(dashboardShares).where(eq(dashboardShares.shareId, shareId)).run(),
  };
}

export type SharesRepository = ReturnType<typeof createSharesRepository>;
