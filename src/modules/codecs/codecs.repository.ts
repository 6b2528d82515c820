import { and, asc, count, eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { codecs } from "./codecs.tables.ts";
import type { Codec } from "./codecs.types.ts";

export interface CodecsRepository {
  list(tenantId: TenantId): Codec[];
  count(tenantId: TenantId): number;
  find(tenantId: TenantId, codecId: string): Codec | undefined;
  /** Names are compared without regard to case. */
  findByName(tenantId: TenantId, name: string): Codec | undefined;
  insert(codec: Codec): void;
  update(codec: Codec): void;
  delete(codecId: string): void;
}

export function createCodecsRepository({ orm }: MainDatabase): CodecsRepository {
  // For each frame that is decoded.
  const byId = orm
    .select()
    .from(codecs)
    .where(
      and(eq(codecs.tenantId, sql.placeholder("tenantId")), eq(codecs.codecId, sql.placeholder("codecId"))),
    )
    .prepare();
  return {
    list: (tenantId) =>
      orm
        .select()
        .from(codecs)
        .where(eq(codecs.tenantId, tenantId))
        .orderBy(asc(sql`lower(${codecs.name})`), asc(codecs.codecId))
        .all(),
    count: (tenantId) =>
      orm.select({ n: count() }).from(codecs).where(eq(codecs.tenantId, tenantId)).get()?.n ?? 0,
    find: (tenantId, codecId) => byId.get({ tenantId, codecId }),
    findByName: (tenantId, name) =>
      orm
        .select()
        .from(codecs)
        .where(and(eq(codecs.tenantId, tenantId), sql`lower(${codecs.name}) = lower(${name})`))
        .get(),
    insert: (codec) => void orm.insert(codecs).values(codec).run(),
    update: (codec) => void orm.update(codecs).set(codec).where(eq(codecs.codecId, codec.codecId)).run(),
    delete: (codecId) => void orm.delete(codecs).where(eq(codecs.codecId, codecId)).run(),
  };
}
