import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lt,
  max,
  sql,
  sum,
} from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import { GIVE_UP_AFTER_MS } from "../../lib/network/retry-policy.ts";
import type { Text } from "../../lib/texts/text.ts";
import { isOfForeignKey } from "../../platform/database/constraint-errors.ts";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import type { RowPage } from "../../platform/database/row-list.ts";
import type { Load } from "../../platform/delivery-queue/delivery-lanes.ts";
import { createDeliveryStore, targetPlaceholder } from "../../platform/delivery-queue/delivery-store.ts";
import { outboundCounts, outboundRequests, outboundTargets } from "./outbound.tables.ts";
import type { OutboundFilter, OutboundSource, OutboundState } from "./outbound.types.ts";

export type TargetRow = typeof outboundTargets.$inferSelect;
export type RequestRow = typeof outboundRequests.$inferSelect;
export type CountsRow = typeof outboundCounts.$inferSelect;
export type QueuedRequest = RequestRow & { readonly expiresAt: number };

/** Result of an attempt after which a request is waiting or dead. */
type AttemptResult = Pick<
  RequestRow,
  "seq" | "state" | "attempts" | "dueAt" | "triedAt" | "lastStatus" | "lastError" | "diedAt"
>;

/** Request without its body, because a list would otherwise read megabytes. */
type ListedRow = { readonly request: Omit<RequestRow, "body">; readonly target: TargetRow };

/** Error for a target removed with its tenant or with the rolled-back transaction that created it. */
export class TargetGone extends Error {}

/** Seals URLs that an earlier version stored readable, because it did not recognize their secrets. */
export function sealAddresses(
  { orm }: MainDatabase,
  seal: (url: string) => Pick<TargetRow, "url" | "urlSealed">,
): void {
  const readable = orm.select().from(outboundTargets).where(isNull(outboundTargets.urlSealed)).all();
  for (const { targetId: id, url } of readable) {
    const sealed = seal(url);
    if (sealed.urlSealed !== null)
      orm.update(outboundTargets).set(sealed).where(eq(outboundTargets.targetId, id)).run();
  }
}

export function createOutboundRepository(database: MainDatabase) {
  const { orm } = database;
  const { targetId, state, seq, queuedAt } = outboundRequests;
  const store = createDeliveryStore(database, {
    table: outboundRequests,
    seq,
    isOfTarget: eq(targetId, targetPlaceholder),
    orderKey: outboundRequests.orderKey,
    state,
    waiting: "WAITING",
    dueAt: outboundRequests.dueAt,
    bytes: outboundRequests.bytes,
    expiresAt: sql`${queuedAt} + ${sql.raw(String(GIVE_UP_AFTER_MS))}`,
    toRow: (row): QueuedRequest => ({ ...row, expiresAt: row.queuedAt + GIVE_UP_AFTER_MS }),
  });
  const { seq: _, ...columns } = getTableColumns(outboundRequests);
  const placeholders = Object.fromEntries(Object.keys(columns).map((name) => [name, sql.placeholder(name)]));
  // Runs for every webhook.
  const insert = lazyStatement(() =>
    orm
      .insert(outboundRequests)
      .values(placeholders as unknown as typeof outboundRequests.$inferInsert) // each stands for its column
      .onConflictDoNothing()
      .returning({ seq }),
  );
  // Runs for hundreds of results in a transaction.
  const settle = lazyStatement(() =>
    orm
      .update(outboundRequests)
      .set({
        state: sql`${sql.placeholder("state")}`,
        attempts: sql`${sql.placeholder("attempts")}`,
        dueAt: sql`${sql.placeholder("dueAt")}`,
        triedAt: sql`${sql.placeholder("triedAt")}`,
        lastStatus: sql`${sql.placeholder("lastStatus")}`,
        lastError: sql`${sql.placeholder("lastError")}`,
        diedAt: sql`${sql.placeholder("diedAt")}`,
      })
      .where(and(eq(seq, sql.placeholder("seq")), eq(state, "WAITING"))),
  );
  const targetsOf = (tenantId: TenantId, { kind, id }: { kind: string; id?: string | undefined }) =>
    and(
      eq(outboundTargets.tenantId, tenantId),
      eq(outboundTargets.sourceKind, kind),
      id === undefined ? undefined : eq(outboundTargets.sourceId, id),
    );
  const idsOf = (tenantId: TenantId, source: OutboundSource) =>
    orm
      .select({ targetId: outboundTargets.targetId })
      .from(outboundTargets)
      .where(targetsOf(tenantId, source));
  const { body: __, ...listed } = getTableColumns(outboundRequests);
  const listedBySeq = lazyStatement(() =>
    orm
      .select({ request: listed, target: outboundTargets })
      .from(outboundRequests)
      .innerJoin(outboundTargets, eq(targetId, outboundTargets.targetId))
      .where(eq(seq, sql.placeholder("seq"))),
  );

  const deleteRows = (seqs: readonly number[]) => {
    for (let index = 0; index < seqs.length; index += 500)
      orm
        .delete(outboundRequests)
        .where(inArray(seq, seqs.slice(index, index + 500)))
        .run();
  };

  return {
    ...store,
    /** Returns the id of the target with the same fingerprint, creating it if necessary. Undefined if its tenant was deleted. */
    ensureTarget(target: TargetRow): string | undefined {
      try {
        orm.insert(outboundTargets).values(target).onConflictDoNothing().run();
      } catch (error) {
        if (!isOfForeignKey(error)) throw error;
        return undefined;
      }
      const found = orm
        .select({ targetId: outboundTargets.targetId })
        .from(outboundTargets)
        .where(eq(outboundTargets.fingerprint, target.fingerprint))
        .get();
      return found?.targetId ?? target.targetId;
    },
    findTarget: (id: string): TargetRow | undefined =>
      orm.select().from(outboundTargets).where(eq(outboundTargets.targetId, id)).get(),
    listTargets: (tenantId: TenantId, source: OutboundSource): TargetRow[] =>
      orm.select().from(outboundTargets).where(targetsOf(tenantId, source)).all(),
    targets: (): TargetRow[] =>
      orm
        .select()
        .from(outboundTargets)
        .where(
          sql`EXISTS (SELECT 1 FROM ${outboundRequests} WHERE ${targetId} = ${outboundTargets.targetId} AND ${state} = 'WAITING')`,
        )
        .all(),
    /** Deletes targets without requests. */
    deleteUnusedTargets: (): void =>
      void orm
        .delete(outboundTargets)
        .where(
          sql`NOT EXISTS (SELECT 1 FROM ${outboundRequests} WHERE ${targetId} = ${outboundTargets.targetId})`,
        )
        .run(),
    /** Inserts a request. Returns its number, or `undefined` if its dedupe key exists. @throws TargetGone */
    insert(request: Omit<RequestRow, "seq">): number | undefined {
      try {
        return insert.get(request)?.seq;
      } catch (error) {
        throw isOfForeignKey(error) ? new TargetGone() : error;
      }
    },
    find: (number: number): { request: RequestRow; target: TargetRow } | undefined =>
      orm
        .select({ request: outboundRequests, target: outboundTargets })
        .from(outboundRequests)
        .innerJoin(outboundTargets, eq(targetId, outboundTargets.targetId))
        .where(eq(seq, number))
        .get(),
    list(tenantId: TenantId, filter: OutboundFilter): RowPage<ListedRow> {
      const where = and(
        filter.source === undefined
          ? eq(outboundTargets.tenantId, tenantId)
          : targetsOf(tenantId, filter.source),
        filter.state === undefined ? undefined : eq(state, filter.state),
        filter.search === undefined ? undefined : contains(outboundTargets.url, filter.search),
      );
      // By an index alone, because a page with a large offset would read and sort all rows before it.
      const page = orm
        .select({ seq })
        .from(outboundRequests)
        .innerJoin(outboundTargets, eq(targetId, outboundTargets.targetId))
        .where(where)
        .orderBy(desc(seq))
        .limit(filter.limit)
        .offset(filter.offset)
        .all();
      const total = orm
        .select({ n: count() })
        .from(outboundRequests)
        .innerJoin(outboundTargets, eq(targetId, outboundTargets.targetId))
        .where(where)
        .get();
      return {
        keys: page.map((row) => row.seq),
        total: total?.n ?? 0,
        read: (wanted) => listedBySeq.get({ seq: wanted }),
      };
    },
    deleteRows,
    /** Writes the result of an attempt to a waiting request. */
    settle: ({ lastError, ...result }: AttemptResult): void =>
      void settle.run({ ...result, lastError: JSON.stringify(lastError) }),
    /** Converts the oldest waiting requests of a target to dead letters. */
    giveUp(
      id: string,
      { error, diedAt, ...options }: Parameters<typeof store.oldest>[1] & { error: Text; diedAt: number },
    ): Load {
      const gone = orm
        .update(outboundRequests)
        .set({ state: "DEAD", diedAt, lastError: error })
        .where(inArray(seq, store.oldest(id, options)))
        .returning({ bytes: outboundRequests.bytes })
        .all();
      return { rows: gone.length, bytes: gone.reduce((total, row) => total + row.bytes, 0) };
    },
    /** Returns number and target of a source's dead letters after the number `after`, oldest first. */
    listDead: (
      tenantId: TenantId,
      source: OutboundSource,
      { after, limit }: { after: number; limit: number },
    ): { seq: number; targetId: string }[] =>
      orm
        .select({ seq, targetId })
        .from(outboundRequests)
        .where(and(inArray(targetId, idsOf(tenantId, source)), eq(state, "DEAD"), gt(seq, after)))
        .orderBy(asc(seq))
        .limit(limit)
        .all(),
    /** Requeues the dead requests among `seqs` for the target `to`. Returns their number. */
    revive: (seqs: readonly number[], to: string, now: number): number =>
      orm
        .update(outboundRequests)
        .set({ targetId: to, state: "WAITING", attempts: 0, queuedAt: now, dueAt: now, diedAt: null })
        .where(and(inArray(seq, [...seqs]), eq(state, "DEAD")))
        .returning({ seq })
        .all().length,
    /** Deletes at most `limit` requests of a source, optionally only in one state. Returns their number. */
    deleteOf(
      tenantId: TenantId,
      source: OutboundSource,
      { which, limit }: { which?: OutboundState | undefined; limit: number },
    ): number {
      const selected = orm
        .select({ seq })
        .from(outboundRequests)
        .where(
          and(inArray(targetId, idsOf(tenantId, source)), which === undefined ? undefined : eq(state, which)),
        )
        .limit(limit);
      return orm.delete(outboundRequests).where(inArray(seq, selected)).returning({ seq }).all().length;
    },
    /** Deletes dead letters that died before `before`, and the oldest of the tenant with the most if there are too many; at most `limit` of each. */
    pruneDead: (limits: Readonly<Load>, options: { before: number; limit: number }): void =>
      deleteRows(deadToDelete(orm, limits, options)),
    /** Returns the latest stored time of the queue's clock. */
    latestRunning(): number {
      const found = orm
        .select({ queued: max(queuedAt), tried: max(outboundRequests.triedAt) })
        .from(outboundRequests)
        .get();
      return Math.max(found?.queued ?? 0, found?.tried ?? 0);
    },
    numbersOf(tenantId: TenantId, source: OutboundSource): { waiting: number; dead: number } {
      const rows = orm
        .select({ state, n: count() })
        .from(outboundRequests)
        .where(inArray(targetId, idsOf(tenantId, source)))
        .groupBy(state)
        .all();
      const of = (wanted: OutboundState) => rows.find((row) => row.state === wanted)?.n ?? 0;
      return { waiting: of("WAITING"), dead: of("DEAD") };
    },
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
  };
}

export type OutboundRepository = ReturnType<typeof createOutboundRepository>;

const countsKey = (row: Pick<CountsRow, "tenantId" | "sourceKind" | "sourceId">) =>
  and(
    eq(outboundCounts.tenantId, row.tenantId),
    eq(outboundCounts.sourceKind, row.sourceKind),
    eq(outboundCounts.sourceId, row.sourceId),
  );

/** Returns the numbers of expired dead letters, and of the oldest of the tenant with the most if there are too many. */
function deadToDelete(
  orm: MainDatabase["orm"],
  limits: Readonly<Load>,
  { before, limit }: { before: number; limit: number },
): number[] {
  const { seq, tenantId, diedAt, bytes } = outboundRequests;
  const isDead = sql`${outboundRequests.state} = 'DEAD'`; // by this text, the index is found
  const tenants = orm
    .select({ tenantId, rows: count(), bytes: sum(bytes).mapWith(Number) })
    .from(outboundRequests)
    .where(isDead)
    .groupBy(tenantId)
    .all();
  const shareOf = (of: Load) => Math.max(of.rows / limits.rows, of.bytes / limits.bytes);
  const rows = tenants.reduce((total, of) => total + of.rows, 0);
  const size = tenants.reduce((total, of) => total + of.bytes, 0);
  const old = tenants.flatMap((of) =>
    orm
      .select({ seq })
      .from(outboundRequests)
      .where(and(isDead, eq(tenantId, of.tenantId), lt(diedAt, before)))
      .limit(limit)
      .all(),
  );
  const [fullest] = tenants.sort((a, b) => shareOf(b) - shareOf(a));
  if (fullest === undefined || (rows <= limits.rows && size <= limits.bytes))
    return old.map((row) => row.seq);
  const ofFullest = orm
    .select({ seq })
    .from(outboundRequests)
    .where(and(isDead, eq(tenantId, fullest.tenantId)))
    .orderBy(asc(diedAt), asc(seq))
    .limit(size > limits.bytes ? limit : Math.min(limit, rows - limits.rows))
    .all();
  return [...new Set([...old, ...ofFullest].map((row) => row.seq))];
}
