import { and, asc, count, eq, or, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { generators } from "./generators.tables.ts";
import type { Generator } from "./generators.types.ts";

export function createGeneratorsRepository({ orm }: MainDatabase) {
  const listed = (...conditions: Parameters<typeof and>): Generator[] =>
    orm
      .select()
      .from(generators)
      .where(and(...conditions))
      .orderBy(asc(generators.name), asc(generators.id))
      .all();
  return {
    list: (tenantId: TenantId): Generator[] => listed(eq(generators.tenantId, tenantId)),
    /** Lists the active generators of all tenants. */
    listActive: (): Generator[] => listed(eq(generators.status, "active"), eq(generators.enabled, true)),
    /** Returns those that name the device or had it made. */
    listOfDevice: (tenantId: TenantId, deviceId: DeviceId): Generator[] =>
      listed(
        eq(generators.tenantId, tenantId),
        // An id is nothing that could stand in a config by chance; what is found is looked at by the caller.
        or(eq(generators.virtualDeviceId, deviceId), sql`instr(${generators.config}, ${deviceId}) > 0`),
      ),
    count: (tenantId: TenantId): number =>
      orm.select({ n: count() }).from(generators).where(eq(generators.tenantId, tenantId)).get()?.n ?? 0,
    find: (tenantId: TenantId, id: string): Generator | undefined =>
      listed(eq(generators.tenantId, tenantId), eq(generators.id, id))[0],
    insert: (generator: Generator): void => void orm.insert(generators).values(generator).run(),
    update: (generator: Generator): void =>
      void orm.update(generators).set(generator).where(eq(generators.id, generator.id)).run(),
    delete: (id: string): void => void orm.delete(generators).where(eq(generators.id, id)).run(),
  };
}

export type GeneratorsRepository = ReturnType<typeof createGeneratorsRepository>;
