import { and, asc, eq, ne, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { dashboardChoices, dashboards } from "./dashboards.tables.ts";

/** Whether a dashboard is one of the person's favorites, and the page that the console opens with. */
export interface Choice {
  readonly isFavorite: boolean;
  readonly isStart: boolean;
}

/** What people chose for themselves among the dashboards of their tenant. */
export function createChoicesRepository({ orm, transact }: Pick<MainDatabase, "orm" | "transact">) {
  const { userId, dashboardId, isFavorite, isStart } = dashboardChoices;
  return {
    list: (tenantId: TenantId, user: string): Array<Choice & { dashboardId: string }> =>
      orm
        .select({ dashboardId, isFavorite, isStart })
        .from(dashboardChoices)
        .innerJoin(dashboards, eq(dashboards.id, dashboardId))
        .where(and(eq(userId, user), eq(dashboards.tenantId, tenantId)))
        .orderBy(sql`${dashboards.name} COLLATE NOCASE`, asc(dashboardId))
        .all(),
    /** Changes what is given. A person has one start page, so another one is none any more. */
    set(user: string, id: string, changes: Partial<Choice>): void {
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
