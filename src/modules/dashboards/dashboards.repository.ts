import { and, asc, count, eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { dashboards } from "./dashboards.tables.ts";
import type { Dashboard } from "./dashboards.types.ts";

export function createDashboardsRepository({ orm }: MainDatabase) {
  const listed = (...conditions: Parameters<typeof and>): Dashboard[] =>
    orm
      .select()
      .from(dashboards)
      .where(and(...conditions))
      .orderBy(sql`${dashboards.name} COLLATE NOCASE`, asc(dashboards.id))
      .all()
      .map((row) => ({ ...row, tenantId: row.tenantId as TenantId })); // minted by us
  return {
    /** Lists the dashboards by name. */
    list: (tenantId: TenantId): Dashboard[] => listed(eq(dashboards.tenantId, tenantId)),
    count: (tenantId: TenantId): number =>
      orm.select({ n: count() }).from(dashboards).where(eq(dashboards.tenantId, tenantId)).get()?.n ?? 0,
    find: (tenantId: TenantId, id: string): Dashboard | undefined =>
      listed(eq(dashboards.tenantId, tenantId), eq(dashboards.id, id))[0],
    insert: (dashboard: Dashboard): void => void orm.insert(dashboards).values(dashboard).run(),
    update: (dashboard: Dashboard): void =>
      void orm.update(dashboards).set(dashboard).where(eq(dashboards.id, dashboard.id)).run(),
    delete: (id: string): void => void orm.delete(dashboards).where(eq(dashboards.id, id)).run(),
  };
}

export type DashboardsRepository = ReturnType<typeof createDashboardsRepository>;
