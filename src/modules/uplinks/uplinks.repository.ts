import { and, asc, count, eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import type { ChangeCursor } from "./uplink.protocol.ts";
import { uplinks } from "./uplinks.tables.ts";
import type { Uplink } from "./uplinks.types.ts";

export function createUplinksRepository({ orm }: MainDatabase) {
  const whereId = (uplinkId: string) => eq(uplinks.uplinkId, uplinkId);
  return {
    /** Lists by name. */
    list: (tenantId: TenantId): Uplink[] =>
      orm
        .select()
        .from(uplinks)
        .where(eq(uplinks.tenantId, tenantId))
        .orderBy(sql`${uplinks.name} COLLATE NOCASE`, asc(uplinks.uplinkId))
        .all(),
    /** Lists those of all tenants. */
    listAll: (): Uplink[] => orm.select().from(uplinks).all(),
    count: (tenantId: TenantId): number =>
      orm.select({ n: count() }).from(uplinks).where(eq(uplinks.tenantId, tenantId)).get()?.n ?? 0,
    find: (tenantId: TenantId, uplinkId: string): Uplink | undefined =>
      orm
        .select()
        .from(uplinks)
        .where(and(whereId(uplinkId), eq(uplinks.tenantId, tenantId)))
        .get(),
    hasAny: (tenantId: TenantId): boolean =>
      orm
        .select({ uplinkId: uplinks.uplinkId })
        .from(uplinks)
        .where(eq(uplinks.tenantId, tenantId))
        .limit(1)
        .get() !== undefined,
    insert: (uplink: Uplink): void => void orm.insert(uplinks).values(uplink).run(),
    /** All but the cursor. */
    update({ uplinkId, name, enabled, target, secrets, options, updatedAt }: Uplink): void {
      orm
        .update(uplinks)
        .set({ name, enabled, target, secrets, options, updatedAt })
        .where(whereId(uplinkId))
        .run();
    },
    setCursor: (uplinkId: string, cursor: ChangeCursor): void =>
      void orm.update(uplinks).set({ cursor }).where(whereId(uplinkId)).run(),
    cursorOf: (uplinkId: string): ChangeCursor | undefined =>
      orm.select({ cursor: uplinks.cursor }).from(uplinks).where(whereId(uplinkId)).get()?.cursor,
    delete: (uplinkId: string): void => void orm.delete(uplinks).where(whereId(uplinkId)).run(),
  };
}

export type UplinksRepository = ReturnType<typeof createUplinksRepository>;
