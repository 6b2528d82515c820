import { eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { tenants } from "./tenants.tables.ts";
import type { Tenant } from "./tenants.types.ts";

export interface TenantsRepository {
  insert(tenant: Tenant, now: number): void;
  find(tenantId: TenantId): Tenant | undefined;
  list(): Tenant[];
  rename(tenantId: TenantId, name: string, now: number): void;
  setPlan(tenantId: TenantId, planName: string, now: number): void;
  /** With all that is the tenant's in this database. */
  delete(tenantId: TenantId): void;
}

export function createTenantsRepository({ orm }: MainDatabase): TenantsRepository {
  const toTenant = (row: typeof tenants.$inferSelect): Tenant => ({
    tenantId: row.tenantId as TenantId, // ids in our own tables were minted by us
    name: row.name,
    planName: row.planName,
    isHost: row.isHost,
  });
  // Asked for with each request that says whose it is.
  const byId = orm
    .select()
    .from(tenants)
    .where(eq(tenants.tenantId, sql.placeholder("tenantId")))
    .prepare();
  return {
    insert: (tenant, now) =>
      void orm
        .insert(tenants)
        .values({ ...tenant, createdAt: now, updatedAt: now })
        .run(),
    find(tenantId) {
      const row = byId.get({ tenantId });
      return row && toTenant(row);
    },
    list: () => orm.select().from(tenants).all().map(toTenant),
    rename: (tenantId, name, now) =>
      void orm.update(tenants).set({ name, updatedAt: now }).where(eq(tenants.tenantId, tenantId)).run(),
    setPlan: (tenantId, planName, now) =>
      void orm.update(tenants).set({ planName, updatedAt: now }).where(eq(tenants.tenantId, tenantId)).run(),
    delete: (tenantId) => void orm.delete(tenants).where(eq(tenants.tenantId, tenantId)).run(),
  };
}
