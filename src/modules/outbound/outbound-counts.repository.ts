import { and, eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { outboundCounts } from "./outbound.tables.ts";
import type { OutboundSource } from "./outbound.types.ts";

export type CountsRow = typeof outboundCounts.$inferSelect;

/** Counters of the requests of each source, by result. */
export const createOutboundCountsRepository = (orm: MainDatabase["orm"]) => ({
  countsOf: (tenantId: TenantId, { kind, id }: OutboundSource): CountsRow | undefined =>
    orm
      .select()
      .from(outboundCounts)
      .where(countsKey({ tenantId, sourceKind: kind, sourceId: id }))
      .get(),
  addCounts: (counts: CountsRow): void =>
    void orm
      .insert(outboundCounts)
      .values(counts)
      .onConflictDoUpdate({
        target: [outboundCounts.tenantId, outboundCounts.sourceKind, outboundCounts.sourceId],
        set: {
          sent: sql`${outboundCounts.sent} + ${counts.sent}`,
          died: sql`${outboundCounts.died} + ${counts.died}`,
          ...(counts.lastSentAt !== null && { lastSentAt: counts.lastSentAt }),
          ...(counts.lastError !== null && {
            lastError: counts.lastError,
            lastErrorAt: counts.lastErrorAt,
          }),
        },
      })
      .run(),
  deleteCounts: (tenantId: TenantId, source: OutboundSource): void =>
    void orm
      .delete(outboundCounts)
      .where(countsKey({ tenantId, sourceKind: source.kind, sourceId: source.id }))
      .run(),
});

export type OutboundCountsRepository = ReturnType<typeof createOutboundCountsRepository>;

const countsKey = (row: Pick<CountsRow, "tenantId" | "sourceKind" | "sourceId">) =>
  and(
    eq(outboundCounts.tenantId, row.tenantId),
    eq(outboundCounts.sourceKind, row.sourceKind),
    eq(outboundCounts.sourceId, row.sourceId),
  );
