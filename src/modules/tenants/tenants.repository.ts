import { eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { tenants } from "./tenants.tables.ts";
import type { Tenant } from "./tenants.types.ts";

export function createTenantsRepository({ orm }: MainDatabase) {
  const toTenant = (row: typeof tenants.$inferSelect): Tenant => ({
    tenantId: row.tenantId,
    name: row.name,
    planName: row.planName,
    isHost: row.isHost,
  });
  // Prepared, because every authenticated request needs it.
  const byId = lazyStatement(() =>
    orm
      .select()
      .from(tenants)
      .where(eq(tenants.tenantId, sql.placeholder("tenantId"))),
  );
  return {
    insert: (tenant: Tenant, now: number): void =>
      void orm
        .insert(tenants)
        .values({ ...tenant, createdAt: now, updatedAt: now })
        .run(),
    find(tenantId: TenantId): Tenant | undefined {
      const row = byId.get({ tenantId });
      return row && toTenant(row);
    },
    list: (): Tenant[] => orm.select().from(tenants).all().map(toTenant),
    rename: (tenantId: TenantId, name: string, now: number): void =>
      void orm.update(tenants).set({ name, updatedAt: now }).where(eq(tenants.tenantId, tenantId)).run(),
    setPlan: (tenantId: TenantId, planName: string, now: number): void =>
      void orm.update(tenants).set({ planName, updatedAt: now }).where(eq(tenants.tenantId, tenantId)).run(),
    /** Deletes the tenant with all its rows in this database. */
    delete: (tenantId: TenantId): void =>
      void orm.delete(tenants).where(eq(tenants.tenantId, tenantId)).run(),
  };
}

export type TenantsRepository = ReturnType<typeof createTenantsRepository>;
