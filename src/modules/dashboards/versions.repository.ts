import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { DASHBOARDS_MAX } from "./dashboards.errors.ts";
import type { DashboardContent, Version } from "./dashboards.resource.ts";
import { dashboardVersions } from "./dashboards.tables.ts";
import { EMPTY_CONTENT, VERSIONS_BYTES_MAX, VERSIONS_MAX, type VersionEntry } from "./dashboards.types.ts";

interface NewVersion extends VersionEntry {
  readonly dashboardId: string;
  readonly tenantId: TenantId;
  readonly content: DashboardContent;
}

interface Limit {
  readonly count: number;
  readonly bytes: number;
}

const LIMITS: Readonly<Record<"dashboard" | "tenant", Limit>> = {
  dashboard: { count: VERSIONS_MAX, bytes: VERSIONS_BYTES_MAX.dashboard },
  tenant: { count: DASHBOARDS_MAX * VERSIONS_MAX, bytes: VERSIONS_BYTES_MAX.tenant },
};

/** Stores earlier versions of dashboards. They are deleted with their dashboard. */
export function createVersionsRepository({ orm }: Pick<MainDatabase, "orm">, limits = LIMITS) {
  const { version, tenantId, savedAt, savedBy, bytes, name, widgets } = dashboardVersions;
  const ofDashboard = (id: string) => eq(dashboardVersions.dashboardId, id);

  /** Deletes the oldest versions of a scope beyond a number or size. */
  const prune = (scope: SQL, limit: Limit): void =>
    void orm.run(sql`
      delete from ${dashboardVersions} where rowid in (
        select id from (
          select rowid as id, row_number() over newest as place, sum(${bytes}) over newest as total
          from ${dashboardVersions} where ${scope}
          window newest as (order by ${savedAt} desc, ${version} desc)
        ) where place > ${limit.count} or (place > 1 and total > ${limit.bytes})
      )`);

  return {
    /** Returns the earlier versions of a dashboard, newest first. */
    list: (id: string): VersionEntry[] =>
      orm
        .select({ version, name, widgets, savedBy, savedAt })
        .from(dashboardVersions)
        .where(ofDashboard(id))
        .orderBy(desc(version))
        .all(),
    find(id: string, number: number): Version | undefined {
      const row = orm
        .select()
        .from(dashboardVersions)
        .where(and(ofDashboard(id), eq(version, number)))
        .get();
      // Content stored before a field existed lacks it.
      return row && { entry: row, content: { ...EMPTY_CONTENT, ...JSON.parse(row.content) } };
    },
    /** Adds a version and deletes the oldest versions beyond the limits. */
    add({ content, ...entry }: NewVersion): void {
      const text = JSON.stringify(content);
      orm
        .insert(dashboardVersions)
        .values({ ...entry, content: text, bytes: Buffer.byteLength(text) })
        .run();
      prune(ofDashboard(entry.dashboardId), limits.dashboard);
      prune(eq(tenantId, entry.tenantId), limits.tenant);
    },
  };
}

export type VersionsRepository = ReturnType<typeof createVersionsRepository>;
