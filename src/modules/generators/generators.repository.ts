import { and, asc, eq, or, type SQL, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type Generator, generatorResource } from "./generators.resource.ts";
import { generators } from "./generators.tables.ts";

export function createGeneratorsRepository(database: MainDatabase, clock: Clock) {
  const listed = (condition: SQL | undefined): Generator[] =>
    database.orm
      .select()
      .from(generators)
      .where(condition)
      .orderBy(asc(generators.name), asc(generators.id))
      .all();
  return {
    ...generatorResource.createStore(database, clock),
    /** Lists the active generators of all tenants. */
    listActive: (): Generator[] => listed(and(eq(generators.status, "active"), eq(generators.enabled, true))),
    /** Returns the generators that name the device or created it. */
    listOfDevice: (tenantId: TenantId, deviceId: DeviceId): Generator[] =>
      listed(
        and(
          eq(generators.tenantId, tenantId),
          // An id does not occur in a config by chance; the caller checks what is found.
          or(eq(generators.virtualDeviceId, deviceId), sql`instr(${generators.config}, ${deviceId}) > 0`),
        ),
      ),
  };
}

export type GeneratorsRepository = ReturnType<typeof createGeneratorsRepository>;
