import { and, asc, count, eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { codecs } from "./codecs.tables.ts";
import type { Codec } from "./codecs.types.ts";

export function createCodecsRepository({ orm }: MainDatabase) {
  // For each frame that is decoded.
  const byId = orm
    .select()
    .from(codecs)
    .where(
      and(eq(codecs.tenantId, sql.placeholder("tenantId")), eq(codecs.codecId, sql.placeholder("codecId"))),
    )
    .prepare();
  return {
    list: (tenantId: TenantId): Codec[] =>
      orm
        .select()
        .from(codecs)
        .where(eq(codecs.tenantId, tenantId))
        .orderBy(asc(sql`lower(${codecs.name})`), asc(codecs.codecId))
        .all(),
    count: (tenantId: TenantId): number =>
      orm.select({ n: count() }).from(codecs).where(eq(codecs.tenantId, tenantId)).get()?.n ?? 0,
    find: (tenantId: TenantId, codecId: string): Codec | undefined => byId.get({ tenantId, codecId }),
    /** Names are compared without regard to case. */
    findByName: (tenantId: TenantId, name: string): Codec | undefined =>
      orm
        .select()
        .from(codecs)
        .where(and(eq(codecs.tenantId, tenantId), sql`lower(${codecs.name}) = lower(${name})`))
        .get(),
    insert: (codec: Codec): void => void orm.insert(codecs).values(codec).run(),
    update: (codec: Codec): void =>
      void orm.update(codecs).set(codec).where(eq(codecs.codecId, codec.codecId)).run(),
    delete: (codecId: string): void => void orm.delete(codecs).where(eq(codecs.codecId, codecId)).run(),
  };
}

export type CodecsRepository = ReturnType<typeof createCodecsRepository>;
