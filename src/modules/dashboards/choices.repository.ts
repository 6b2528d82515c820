import { and, asc, eq, ne, sql } from "drizzle-orm";
import type { TenantId, UserId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { dashboardChoices, dashboards } from "./dashboards.tables.ts";

/** Whether a dashboard is a user's favorite, and whether it is their start page. */
export interface Choice {
  readonly isFavorite: boolean;
  readonly isStart: boolean;
}

/** Stores users' favorites and start pages among the dashboards of their tenant. */
export function createChoicesRepository({ orm, transact }: Pick<MainDatabase, "orm" | "transact">) {
  const { userId, dashboardId, isFavorite, isStart } = dashboardChoices;
  return {
    list: (tenantId: TenantId, user: UserId): Array<Choice & { dashboardId: string }> =>
      orm
        .select({ dashboardId, isFavorite, isStart })
        .from(dashboardChoices)
        .innerJoin(dashboards, eq(dashboards.id, dashboardId))
        .where(and(eq(userId, user), eq(dashboards.tenantId, tenantId)))
        .orderBy(sql`${dashboards.name} COLLATE NOCASE`, asc(dashboardId))
        .all(),
    /** Changes the given fields. A new start page replaces the previous one. */
    set(user: UserId, id: string, changes: Partial<Choice>): void {
      transact(() => {
        if (changes.isStart === true)
          orm
            .update(dashboardChoices)
            .set({ isStart: false })
            .where(and(eq(userId, user), ne(dashboardId, id)))
            .run();
        orm
          .insert(dashboardChoices)
          .values({ isFavorite: false, isStart: false, ...changes, userId: user, dashboardId: id })
          .onConflictDoUpdate({ target: [userId, dashboardId], set: { dashboardId: id, ...changes } })
          .run();
      });
    },
  };
}

export type ChoicesRepository = ReturnType<typeof createChoicesRepository>;
