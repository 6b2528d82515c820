import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  min,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import { contains } from "../../platform/contains.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import { auditEntries } from "./audit.tables.ts";
import type { AuditEntry, AuditFilter, AuditScope } from "./audit.types.ts";
import { withinReach } from "./audit-reach.ts";

/** A stretch of the log: what matches in it, and where the next one begins. */
export interface AuditSlice {
  readonly items: AuditEntry[];
  /** Undefined at the log's beginning. */
  readonly before: number | undefined;
}

/** Every call looks at a bounded number of entries: the log may hold millions, and the gateway waits meanwhile. */
export interface AuditRepository {
  insert(entry: Omit<AuditEntry, "sequence">): void;
  /** Looks at the next `rows` entries before `before`, the newest first. */
  slice(
    scope: AuditScope,
    filter: AuditFilter,
    window: { before: number | undefined; rows: number },
  ): AuditSlice;
  /** Of everything in scope, whatever devices the reader may see. */
  count(scope: AuditScope): number;
  find(scope: AuditScope, auditId: string): AuditEntry | undefined;
  listActions(scope: AuditScope): string[];
  /** Deletes at most `limit` of the oldest entries of a kind, so that no more than `keep` are left of it. */
  pruneBeyond(keep: number, kind: "done" | "refused", limit: number): number;
  pruneBefore(at: number, limit: number): number;
}

const toEntry = (row: typeof auditEntries.$inferSelect, scope: AuditScope): AuditEntry =>
  withinReach({ ...row, tenantId: row.tenantId as TenantId | null }, scope); // minted by us

/** Each has an index of its own that is in the order of the log. */
const ownersIn = ({ tenantId, includesStrangers }: AuditScope): SQL[] => [
  eq(auditEntries.tenantId, tenantId),
  ...(includesStrangers ? [isNull(auditEntries.tenantId)] : []),
];

const seenIn = ({ devices }: AuditScope): SQL | undefined =>
  devices === "all"
    ? undefined
    : sql`(${auditEntries.targetType} IS NOT 'device' OR ${auditEntries.targetId} IN (SELECT value FROM json_each(${JSON.stringify([...devices])})))`;

/** What an index answers. */
const indexed = ({ action, targetId }: AuditFilter): SQL | undefined =>
  and(
    action === undefined || action.endsWith(".") ? undefined : eq(auditEntries.action, action),
    targetId === undefined ? undefined : eq(auditEntries.targetId, targetId),
  );

function matching({ from, to, actorId, action, outcome, search }: AuditFilter): SQL | undefined {
  return and(
    from === undefined ? undefined : gte(auditEntries.at, from),
    to === undefined ? undefined : lte(auditEntries.at, to),
    actorId === undefined
      ? undefined
      : or(eq(auditEntries.actorId, actorId), eq(auditEntries.impersonatorId, actorId)),
    action?.endsWith(".") === true
      ? sql`substr(${auditEntries.action}, 1, ${action.length}) = ${action}`
      : undefined,
    outcome === undefined ? undefined : eq(auditEntries.outcome, outcome),
    search === undefined
      ? undefined
      : or(
          contains(auditEntries.actorName, search),
          contains(sql`coalesce(${auditEntries.impersonatorName}, '')`, search),
          contains(sql`coalesce(${auditEntries.targetName}, '')`, search),
          contains(sql`coalesce(${auditEntries.targetId}, '')`, search),
          contains(sql`coalesce(${auditEntries.address}, '')`, search),
        ),
  );
}

const outcomesOf = { done: ["SUCCESS"], refused: ["REFUSED", "FAILED"] } as const;

export function createAuditRepository({ orm }: MainDatabase): AuditRepository {
  // Everything that is written has an entry: prepared once.
  const columns = Object.keys(getTableColumns(auditEntries)).filter((name) => name !== "sequence");
  const owner = sql.placeholder("tenantId");
  const insert = orm
    .insert(auditEntries)
    .values({
      ...(Object.fromEntries(
        columns.map((name) => [name, sql.placeholder(name)]),
      ) as unknown as typeof auditEntries.$inferInsert), // every column but the one that counts itself
      // The tenant may be what has just been deleted; the gateway's own people are told of it then.
      tenantId: sql`(SELECT ${tenants.tenantId} FROM ${tenants} WHERE ${tenants.tenantId} = ${owner})`,
    })
    .prepare();

  /** The next entries in scope by their sequence, the newest first; read from indexes alone. */
  function sequencesBefore(
    scope: AuditScope,
    filter: AuditFilter,
    { before, rows }: { before: number | undefined; rows: number },
  ): number[] {
    const older = before === undefined ? undefined : lt(auditEntries.sequence, before);
    return ownersIn(scope)
      .flatMap((owner) =>
        orm
          .select({ sequence: auditEntries.sequence })
          .from(auditEntries)
          .where(and(owner, indexed(filter), older))
          .orderBy(desc(auditEntries.sequence))
          .limit(rows)
          .all(),
      )
      .map(({ sequence }) => sequence)
      .sort((first, second) => second - first)
      .slice(0, rows);
  }

  function countWhere(where: SQL | undefined): number {
    return orm.select({ count: count() }).from(auditEntries).where(where).get()?.count ?? 0;
  }

  function remove(where: SQL | undefined, order: SQL, limit: number): number {
    const doomed = orm
      .select({ sequence: auditEntries.sequence })
      .from(auditEntries)
      .where(where)
      .orderBy(order)
      .limit(limit)
      .all()
      .map(({ sequence }) => sequence);
    if (doomed.length > 0) orm.delete(auditEntries).where(inArray(auditEntries.sequence, doomed)).run();
    return doomed.length;
  }

  return {
    insert: (entry) => void insert.run({ ...entry }),
    slice(scope, filter, window) {
      const sequences = sequencesBefore(scope, filter, window);
      const items = orm
        .select()
        .from(auditEntries)
        .where(
          and(
            sql`${auditEntries.sequence} IN (SELECT value FROM json_each(${JSON.stringify(sequences)}))`,
            seenIn(scope),
            matching(filter),
          ),
        )
        .orderBy(desc(auditEntries.sequence))
        .all()
        .map((row) => toEntry(row, scope));
      return { items, before: sequences.length < window.rows ? undefined : sequences.at(-1) };
    },
    count: (scope) => ownersIn(scope).reduce((sum, owner) => sum + countWhere(owner), 0),
    find(scope, auditId) {
      const row = orm
        .select()
        .from(auditEntries)
        .where(and(or(...ownersIn(scope)), seenIn(scope), eq(auditEntries.auditId, auditId)))
        .get();
      return row && toEntry(row, scope);
    },
    listActions(scope) {
      const found = new Set<string>();
      // From one to the next by the index: reading them all would mean reading the whole log.
      for (const owner of ownersIn(scope))
        for (let last = ""; ; ) {
          const next = orm
            .select({ action: min(auditEntries.action) })
            .from(auditEntries)
            .where(and(owner, gt(auditEntries.action, last)))
            .get()?.action;
          if (next === undefined || next === null) break;
          found.add(next);
          last = next;
        }
      return [...found].sort();
    },
    pruneBeyond(keep, kind, limit) {
      const ofKind = inArray(auditEntries.outcome, [...outcomesOf[kind]]);
      const surplus = countWhere(ofKind) - keep;
      return surplus > 0 ? remove(ofKind, asc(auditEntries.sequence), Math.min(surplus, limit)) : 0;
    },
    pruneBefore: (at, limit) => remove(lt(auditEntries.at, at), asc(auditEntries.at), limit),
  };
}
