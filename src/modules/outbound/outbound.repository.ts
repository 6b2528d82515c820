import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  lt,
  max,
  min,
  notInArray,
  sql,
  sum,
} from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { isOfForeignKey } from "../../platform/constraint-errors.ts";
import { contains } from "../../platform/contains.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { outboundRequests, outboundTargets } from "./outbound.tables.ts";
import type { OutboundFilter, OutboundSource, OutboundState } from "./outbound.types.ts";
import {
  createOutboundCountsRepository,
  type OutboundCountsRepository,
} from "./outbound-counts.repository.ts";

export type TargetRow = typeof outboundTargets.$inferSelect;
export type RequestRow = typeof outboundRequests.$inferSelect;

type ListedRow = { readonly request: RequestRow; readonly target: TargetRow };

/** The row of a target was removed, with its tenant or with the transaction that made it. */
export class TargetGone extends Error {}

export interface LaneRow {
  readonly orderKey: string;
  readonly dueAt: number;
}

/** A request that was given up. */
export type GivenUp = Pick<RequestRow, "seq" | "targetId" | "bytes">;

interface GiveUpOptions {
  readonly error: Text;
  readonly limit: number;
  readonly queuedBefore?: number;
  /** Epoch ms. */
  readonly at: number;
  /** Numbers of requests in flight, which go on. */
  readonly except: readonly number[];
}

export interface OutboundRepository extends OutboundCountsRepository {
  /** The target with the same fingerprint, made when there is none. Undefined where its tenant is gone. */
  ensureTarget(target: TargetRow): string | undefined;
  findTarget(targetId: string): TargetRow | undefined;
  listTargets(tenantId: TenantId, source: OutboundSource): TargetRow[];
  listTargetsWithWaiting(): TargetRow[];
  /** Targets that nothing is kept for any more. */
  deleteUnusedTargets(): void;
  /** Returns `undefined` if its dedupe key is taken. @throws TargetGone */
  insert(request: Omit<RequestRow, "seq">): number | undefined;
  /** Returns the order keys of the requests that wait for a target, each with the time when its first is due. */
  lanes(targetId: string): LaneRow[];
  waiting(targetId: string): { rows: number; bytes: number; oldestAt: number };
  /** The first that waits with the order key, behind `after`. */
  head(targetId: string, orderKey: string, after: number): RequestRow | undefined;
  find(seq: number): ListedRow | undefined;
  list(tenantId: TenantId, filter: OutboundFilter): { items: ListedRow[]; total: number };
  deleteRows(seqs: readonly number[]): void;
  retried(seq: number, changes: Partial<RequestRow>): void;
  /** The oldest that wait for a target, of those that were queued before if a time is given: they die. */
  giveUp(targetId: string, options: GiveUpOptions): GivenUp[];
  /** The dead wait anew, for another target if one is given: all of a target, or one; at most `limit`. How many. */
  revive(which: { targetId: string; seq?: number; limit: number }, to: string, now: number): number;
  /** All of a source, or those in a state. */
  deleteOf(tenantId: TenantId, source: OutboundSource, state: OutboundState | undefined): number;
  /** Deletes dead letters that died before `before`, and the oldest of the tenant with the most while there are too many; at most `limit` of each. */
  pruneDead(
    max: { readonly rows: number; readonly bytes: number },
    options: { before: number; limit: number },
  ): void;
  /** Returns the latest time of the running clock that a request has stored. */
  latestRunning(): number;
  numbersOf(tenantId: TenantId, source: OutboundSource): { waiting: number; dead: number };
}

export function createOutboundRepository({ orm }: MainDatabase): OutboundRepository {
  const { targetId, state, orderKey, seq, queuedAt } = outboundRequests;
  const head = orm
    .select()
    .from(outboundRequests)
    .where(
      and(
        eq(targetId, sql.placeholder("targetId")),
        eq(state, "WAITING"),
        eq(orderKey, sql.placeholder("orderKey")),
        gt(seq, sql.placeholder("after")),
      ),
    )
    .orderBy(asc(seq))
    .limit(1)
    .prepare();
  const { seq: _, ...columns } = getTableColumns(outboundRequests);
  const placeholders = Object.fromEntries(Object.keys(columns).map((name) => [name, sql.placeholder(name)]));
  // Runs for every webhook.
  const insert = orm
    .insert(outboundRequests)
    .values(placeholders as unknown as typeof outboundRequests.$inferInsert) // each stands for its column
    .onConflictDoNothing()
    .returning({ seq })
    .prepare();
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
  const joined = () =>
    orm
      .select({ request: outboundRequests, target: outboundTargets })
      .from(outboundRequests)
      .innerJoin(outboundTargets, eq(targetId, outboundTargets.targetId));

  const deleteRows = (seqs: readonly number[]) => {
    for (let index = 0; index < seqs.length; index += 500)
      orm
        .delete(outboundRequests)
        .where(inArray(seq, seqs.slice(index, index + 500)))
        .run();
  };

  return {
    ...createOutboundCountsRepository(orm),
    ensureTarget(target) {
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
    findTarget: (id) => orm.select().from(outboundTargets).where(eq(outboundTargets.targetId, id)).get(),
    listTargets: (tenantId, source) =>
      orm.select().from(outboundTargets).where(targetsOf(tenantId, source)).all(),
    listTargetsWithWaiting: () =>
      orm
        .select()
        .from(outboundTargets)
        .where(
          sql`EXISTS (SELECT 1 FROM ${outboundRequests} WHERE ${targetId} = ${outboundTargets.targetId} AND ${state} = 'WAITING')`,
        )
        .all(),
    deleteUnusedTargets: () =>
      void orm
        .delete(outboundTargets)
        .where(
          sql`NOT EXISTS (SELECT 1 FROM ${outboundRequests} WHERE ${targetId} = ${outboundTargets.targetId})`,
        )
        .run(),
    insert(request) {
      try {
        return insert.get(request)?.seq;
      } catch (error) {
        throw isOfForeignKey(error) ? new TargetGone() : error;
      }
    },
    lanes: (id) =>
      orm
        // The due time beside `min` is the one of the row with the least number: SQLite says so.
        .select({ orderKey, dueAt: outboundRequests.dueAt, first: min(seq) })
        .from(outboundRequests)
        .where(and(eq(targetId, id), eq(state, "WAITING")))
        .groupBy(orderKey)
        .all(),
    waiting(id) {
      const found = orm
        .select({ rows: count(), bytes: sum(outboundRequests.bytes), oldestAt: min(queuedAt) })
        .from(outboundRequests)
        .where(and(eq(targetId, id), eq(state, "WAITING")))
        .get();
      return {
        rows: found?.rows ?? 0,
        bytes: Number(found?.bytes ?? 0),
        oldestAt: found?.oldestAt ?? Number.POSITIVE_INFINITY,
      };
    },
    head: (id, key, after) => head.get({ targetId: id, orderKey: key, after }),
    find: (number) => joined().where(eq(seq, number)).get(),
    list(tenantId, filter) {
      const where = and(
        filter.source === undefined
          ? eq(outboundTargets.tenantId, tenantId)
          : targetsOf(tenantId, filter.source),
        filter.state === undefined ? undefined : eq(state, filter.state),
        filter.search === undefined ? undefined : contains(outboundTargets.url, filter.search),
      );
      const items = joined().where(where).orderBy(desc(seq)).limit(filter.limit).offset(filter.offset).all();
      const total = orm
        .select({ n: count() })
        .from(outboundRequests)
        .innerJoin(outboundTargets, eq(targetId, outboundTargets.targetId))
        .where(where)
        .get();
      return { items, total: total?.n ?? 0 };
    },
    deleteRows,
    retried: (number, changes) =>
      void orm
        .update(outboundRequests)
        .set(changes)
        .where(and(eq(seq, number), eq(state, "WAITING")))
        .run(),
    giveUp(id, { error, limit, at, except, queuedBefore }) {
      const oldest = orm
        .select({ seq })
        .from(outboundRequests)
        .where(
          and(
            eq(targetId, id),
            sql`${state} = 'WAITING'`, // by this text, the index is found
            queuedBefore === undefined ? undefined : lt(queuedAt, queuedBefore),
            notInArray(seq, [...except]),
          ),
        )
        .orderBy(asc(seq))
        .limit(limit);
      return orm
        .update(outboundRequests)
        .set({ state: "DEAD", diedAt: at, lastError: error })
        .where(inArray(seq, oldest))
        .returning({ seq, targetId, bytes: outboundRequests.bytes })
        .all();
    },
    revive(which, to, now) {
      const selected = orm
        .select({ seq })
        .from(outboundRequests)
        .where(
          and(
            eq(targetId, which.targetId),
            eq(state, "DEAD"),
            which.seq === undefined ? undefined : eq(seq, which.seq),
          ),
        )
        .orderBy(asc(seq))
        .limit(which.limit);
      return orm
        .update(outboundRequests)
        .set({ targetId: to, state: "WAITING", attempts: 0, queuedAt: now, dueAt: now, diedAt: null })
        .where(inArray(seq, selected))
        .returning({ seq })
        .all().length;
    },
    deleteOf: (tenantId, source, which) =>
      orm
        .delete(outboundRequests)
        .where(
          and(inArray(targetId, idsOf(tenantId, source)), which === undefined ? undefined : eq(state, which)),
        )
        .returning({ seq })
        .all().length,
    pruneDead: (limits, options) => deleteRows(deadToDelete(orm, limits, options)),
    latestRunning() {
      const found = orm
        .select({ queued: max(queuedAt), tried: max(outboundRequests.triedAt) })
        .from(outboundRequests)
        .get();
      return Math.max(found?.queued ?? 0, found?.tried ?? 0);
    },
    numbersOf(tenantId, source) {
      const rows = orm
        .select({ state, n: count() })
        .from(outboundRequests)
        .where(inArray(targetId, idsOf(tenantId, source)))
        .groupBy(state)
        .all();
      const of = (wanted: OutboundState) => rows.find((row) => row.state === wanted)?.n ?? 0;
      return { waiting: of("WAITING"), dead: of("DEAD") };
    },
  };
}

/** Numbers of the dead letters that are too old, and of the oldest of the tenant with the most if there are too many. */
function deadToDelete(
  orm: MainDatabase["orm"],
  limits: { readonly rows: number; readonly bytes: number },
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
  const shareOf = (of: { rows: number; bytes: number }) =>
    Math.max(of.rows / limits.rows, of.bytes / limits.bytes);
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
