import { and, asc, count, eq } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { parseStored } from "../../platform/database/stored-json.ts";
import { tenantAttributes } from "./tenants.tables.ts";
import type { TenantAttribute } from "./tenants.types.ts";

export function createTenantAttributesRepository({ orm }: MainDatabase) {
  const toAttribute = ({ key, value, updatedAt }: typeof tenantAttributes.$inferSelect): TenantAttribute => ({
    key,
    value: parseStored(value, "tenant_attributes", "value") as TenantAttribute["value"], // written by `save`
    updatedAt,
  });
  const whereKey = (tenantId: TenantId, key: string) =>
    and(eq(tenantAttributes.tenantId, tenantId), eq(tenantAttributes.key, key));
  return {
    /** All attributes, without their values. */
    heads: (tenantId: TenantId): Omit<TenantAttribute, "value">[] =>
      orm
        .select({ key: tenantAttributes.key, updatedAt: tenantAttributes.updatedAt })
        .from(tenantAttributes)
        .where(eq(tenantAttributes.tenantId, tenantId))
        .orderBy(asc(tenantAttributes.key))
        .all(),
    find(tenantId: TenantId, key: string): TenantAttribute | undefined {
      const row = orm.select().from(tenantAttributes).where(whereKey(tenantId, key)).get();
      return row && toAttribute(row);
    },
    count: (tenantId: TenantId): number =>
      orm
        .select({ count: count() })
        .from(tenantAttributes)
        .where(eq(tenantAttributes.tenantId, tenantId))
        .get()?.count ?? 0,
    save(tenantId: TenantId, { key, value, updatedAt }: TenantAttribute): void {
      const row = { value: JSON.stringify(value), updatedAt };
      orm
        .insert(tenantAttributes)
        .values({ tenantId, key, ...row })
        .onConflictDoUpdate({ target: [tenantAttributes.tenantId, tenantAttributes.key], set: row })
        .run();
    },
    /** Returns whether the attribute existed. */
    delete: (tenantId: TenantId, key: string): boolean =>
      orm
        .delete(tenantAttributes)
        .where(whereKey(tenantId, key))
        .returning({ key: tenantAttributes.key })
        .all().length > 0,
  };
}

export type TenantAttributesRepository = ReturnType<typeof createTenantAttributesRepository>;
