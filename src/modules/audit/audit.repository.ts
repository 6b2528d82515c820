import { and, count, desc, eq, gte, inArray, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import { auditEntries } from "./audit.tables.ts";
import type { AuditEntry, AuditFilter, AuditScope } from "./audit.types.ts";

export interface AuditRepository {
  insert(entry: Omit<AuditEntry, "sequence">): void;
  /** The newest first; only those before `before`, where that is given. */
  list(
    scope: AuditScope,
    filter: AuditFilter,
    page: { limit: number; before?: number | undefined },
  ): AuditEntry[];
  count(scope: AuditScope, filter: AuditFilter): number;
  find(scope: AuditScope, auditId: string): AuditEntry | undefined;
  listActions(scope: AuditScope): string[];
  /** Deletes at most `limit` entries that are beyond the newest `keep` of their kind. */
  pruneBeyond(keep: number, kind: "done" | "refused", limit: number): number;
  pruneBefore(at: number, limit: number): number;
}

const toEntry = (row: typeof auditEntries.$inferSelect): AuditEntry => ({
  ...row,
  tenantId: row.tenantId as TenantId | null, // minted by us
});

function inScope({ tenantId, devices, includesStrangers }: AuditScope): SQL | undefined {
  const own = eq(auditEntries.tenantId, tenantId);
  const seen =
    devices === "all"
      ? undefined
      : sql`(${auditEntries.targetType} IS NOT 'device' OR ${auditEntries.targetId} IN (SELECT value FROM json_each(${JSON.stringify([...devices])})))`;
  return and(includesStrangers ? or(own, isNull(auditEntries.tenantId)) : own, seen);
}

const contains = (column: SQL | typeof auditEntries.actorName, text: string) =>
  sql`instr(lower(${column}), lower(${text})) > 0`;

function matching({ from, to, actorId, action, outcome, targetId, search }: AuditFilter): SQL | undefined {
  return and(
    from === undefined ? undefined : gte(auditEntries.at, from),
    to === undefined ? undefined : lte(auditEntries.at, to),
    actorId === undefined
      ? undefined
      : or(eq(auditEntries.actorId, actorId), eq(auditEntries.impersonatorId, actorId)),
    action === undefined
      ? undefined
      : action.endsWith(".")
        ? sql`substr(${auditEntries.action}, 1, ${action.length}) = ${action}`
        : eq(auditEntries.action, action),
    outcome === undefined ? undefined : eq(auditEntries.outcome, outcome),
    targetId === undefined ? undefined : eq(auditEntries.targetId, targetId),
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

export function createAuditRepository({ orm }: MainDatabase): AuditRepository {
  const remove = (where: SQL | undefined, options: { offset: number; limit: number }): number => {
    const doomed = orm
      .select({ sequence: auditEntries.sequence })
      .from(auditEntries)
      .where(where)
      .orderBy(desc(auditEntries.sequence))
      .limit(options.limit)
      .offset(options.offset)
      .all()
      .map(({ sequence }) => sequence);
    if (doomed.length > 0) orm.delete(auditEntries).where(inArray(auditEntries.sequence, doomed)).run();
    return doomed.length;
  };
  return {
    insert({ tenantId, ...entry }) {
      // The tenant may be what has just been deleted; the gateway's own people are told of it then.
      const known = sql`(SELECT ${tenants.tenantId} FROM ${tenants} WHERE ${tenants.tenantId} = ${tenantId})`;
      orm
        .insert(auditEntries)
        .values({ ...entry, tenantId: known })
        .run();
    },
    list: (scope, filter, { limit, before }) =>
      orm
        .select()
        .from(auditEntries)
        .where(
          and(
            inScope(scope),
            matching(filter),
            before === undefined ? undefined : lt(auditEntries.sequence, before),
          ),
        )
        .orderBy(desc(auditEntries.sequence))
        .limit(limit)
        .all()
        .map(toEntry),
    count: (scope, filter) =>
      orm
        .select({ count: count() })
        .from(auditEntries)
        .where(and(inScope(scope), matching(filter)))
        .get()?.count ?? 0,
    find(scope, auditId) {
      const row = orm
        .select()
        .from(auditEntries)
        .where(and(inScope(scope), eq(auditEntries.auditId, auditId)))
        .get();
      return row && toEntry(row);
    },
    listActions: (scope) =>
      orm
        .selectDistinct({ action: auditEntries.action })
        .from(auditEntries)
        .where(inScope(scope))
        .orderBy(auditEntries.action)
        .all()
        .map(({ action }) => action),
    pruneBeyond: (keep, kind, limit) =>
      remove(
        kind === "done"
          ? eq(auditEntries.outcome, "SUCCESS")
          : inArray(auditEntries.outcome, ["REFUSED", "FAILED"]),
        { offset: keep, limit },
      ),
    pruneBefore: (at, limit) => remove(lt(auditEntries.at, at), { offset: 0, limit }),
  };
}
