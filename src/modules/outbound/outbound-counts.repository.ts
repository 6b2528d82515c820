import { and, eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { outboundCounts } from "./outbound.tables.ts";
import type { OutboundSource } from "./outbound.types.ts";

export type CountsRow = typeof outboundCounts.$inferSelect;

/** What became of the requests of each source. */
export interface OutboundCountsRepository {
  countsOf(tenantId: TenantId, source: OutboundSource): CountsRow | undefined;
  addCounts(counts: CountsRow): void;
  deleteCounts(tenantId: TenantId, source: OutboundSource): void;
}

export const createOutboundCountsRepository = (orm: MainDatabase["orm"]): OutboundCountsRepository => ({
  countsOf: (tenantId, { kind, id }) =>
    orm
      .select()
      .from(outboundCounts)
      .where(countsKey({ tenantId, sourceKind: kind, sourceId: id }))
      .get(),
  addCounts: (counts) =>
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
  deleteCounts: (tenantId, source) =>
    void orm
      .delete(outboundCounts)
      .where(countsKey({ tenantId, sourceKind: source.kind, sourceId: source.id }))
      .run(),
});

const countsKey = (row: Pick<CountsRow, "tenantId" | "sourceKind" | "sourceId">) =>
  and(
    eq(outboundCounts.tenantId, row.tenantId),
    eq(outboundCounts.sourceKind, row.sourceKind),
    eq(outboundCounts.sourceId, row.sourceId),
  );
