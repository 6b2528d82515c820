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
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { isOfForeignKey } from "../../platform/database/constraint-errors.ts";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { prepareWrite } from "../../platform/database/prepared-write.ts";
import { auditEntries } from "./audit.tables.ts";
import type { AuditEntry, AuditFilter, AuditScope } from "./audit.types.ts";
import { type AuditHolder, AuditHolders } from "./audit-shares.ts";

/** Ids as the gateway makes them, wherever they stand in a text. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** Field that no limited reader sees: the log does not know the assets of the reader's devices. */
const ASSETS = "assetIds";
/** Fields that name devices, also ones that are deleted by now. */
const OF_DEVICES = /device(?:Ids?|s)$/i;
const HIDDEN = "(hidden)";
/** Removed from what holds it. */
const REMOVED = Symbol("removed");

/** Removes fields that name devices which the reader may not see. */
function within(
  value: unknown,
  field: string,
  isHidden: (id: string, isDeviceField: boolean) => boolean,
): unknown {
  if (field === ASSETS) return REMOVED;
  if (typeof value === "string") {
    const isDeviceField = OF_DEVICES.test(field);
    const shown = value.replace(ID, (id) => (isHidden(id, isDeviceField) ? HIDDEN : id));
    return shown === HIDDEN ? REMOVED : shown;
  }
  if (Array.isArray(value))
    return value.map((item) => within(item, field, isHidden)).filter((item) => item !== REMOVED);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value)
    .filter(([name]) => within(name, "", isHidden) !== REMOVED)
    .map(([name, member]) => [name, within(member, name, isHidden)] as const)
    .filter(([, member]) => member !== REMOVED);
  return Object.fromEntries(members);
}

/** Removes the devices and assets of an entry that the reader may not see. */
function withinReach(entry: AuditEntry, { devices, isDevice }: AuditScope): AuditEntry {
  if (devices === "all") return entry;
  const isHidden = (id: string, isDeviceField: boolean) =>
    !devices.has(id as DeviceId) && (isDeviceField || isDevice(id));
  const read = (text: string | null) => {
    if (text === null) return null;
    const shown = within(JSON.parse(text), "", isHidden);
    return shown === REMOVED ? null : JSON.stringify(shown);
  };
  const { targetId } = entry;
  return {
    ...entry,
    targetId: targetId !== null && within(targetId, "", isHidden) === REMOVED ? null : targetId,
    before: read(entry.before),
    after: read(entry.after),
  };
}

/** A stretch of the log: what matches in it, and where the next one begins. */
export interface AuditSlice {
  readonly items: AuditEntry[];
  /** `undefined` at the log's beginning. */
  readonly before: number | undefined;
}

export interface PrunedEntry extends AuditHolder {
  readonly tenantId: TenantId | null;
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

/** Returns the conditions that an index answers. */
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

const isOf = (tenantId: TenantId | null): SQL =>
  tenantId === null ? isNull(auditEntries.tenantId) : eq(auditEntries.tenantId, tenantId);

/** Everything that is written has an entry: prepared once. */
function prepareInsert({ orm, sqlite }: Pick<MainDatabase, "orm" | "sqlite">) {
  const columns = Object.keys(getTableColumns(auditEntries)).filter((name) => name !== "sequence");
  const values = Object.fromEntries(
    columns.map((name) => [name, sql.placeholder(name)]),
  ) as unknown as typeof auditEntries.$inferInsert; // every column but the one that counts itself
  return prepareWrite(sqlite, orm.insert(auditEntries).values(values));
}

/**
 * Returns a function that inserts an entry and returns its tenant. The tenant is null if it has just been deleted; the owners of
 * the gateway see the entry then.
 */
function createEntryInsert(database: Pick<MainDatabase, "orm" | "sqlite">) {
  const insert = prepareInsert(database);
  return (entry: Omit<AuditEntry, "sequence">): TenantId | null => {
    try {
      insert(entry);
      return entry.tenantId;
    } catch (error) {
      if (!isOfForeignKey(error)) throw error;
      insert({ ...entry, tenantId: null });
      return null;
    }
  };
}

interface InsertEnd {
  /** Called in the transaction of the entry with the tenant that it is kept for: null where the tenant has just been deleted. */
  inserted(tenantId: TenantId | null): void;
  failed(error: unknown): void;
}

/** Every call looks at a bounded number of entries: the log may hold millions, and the gateway waits meanwhile. */
export function createAuditRepository({ orm, sqlite, writes }: MainDatabase) {
  const insertEntry = createEntryInsert({ orm, sqlite });
  /** The log with the entries that wait for their commit. */
  function current() {
    writes.settle();
    return orm;
  }

  /** The next entries in scope by their sequence, the newest first; read from indexes alone. */
  function sequencesBefore(
    scope: AuditScope,
    filter: AuditFilter,
    { before, rows }: { before: number | undefined; rows: number },
  ): number[] {
    const older = before === undefined ? undefined : lt(auditEntries.sequence, before);
    return ownersIn(scope)
      .flatMap((owner) =>
        current()
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
    return current().select({ count: count() }).from(auditEntries).where(where).get()?.count ?? 0;
  }

  return {
    /** Commits an entry with all that is written in the same turn of the event loop. */
    insert: (entry: Omit<AuditEntry, "sequence">, { inserted, failed }: InsertEnd): void =>
      writes.add({
        isOptional: true,
        write: () => inserted(insertEntry(entry)),
        committed: () => undefined,
        failed,
      }),
    /** Looks at the next `rows` entries before `before`, the newest first. */
    slice(
      scope: AuditScope,
      filter: AuditFilter,
      window: { before: number | undefined; rows: number },
    ): AuditSlice {
      const sequences = sequencesBefore(scope, filter, window);
      const items = current()
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
    /** Counts everything in scope, whatever devices the reader may see. */
    count: (scope: AuditScope): number => ownersIn(scope).reduce((sum, owner) => sum + countWhere(owner), 0),
    find(scope: AuditScope, auditId: string): AuditEntry | undefined {
      const row = current()
        .select()
        .from(auditEntries)
        .where(and(or(...ownersIn(scope)), seenIn(scope), eq(auditEntries.auditId, auditId)))
        .get();
      return row && toEntry(row, scope);
    },
    listActions(scope: AuditScope): string[] {
      const found = new Set<string>();
      // From one to the next by the index: reading them all would mean reading the whole log.
      for (const owner of ownersIn(scope))
        for (let last = ""; ; ) {
          const next = current()
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
    /** Ids of all tenants that have entries; null for those of nobody known here. */
    listTenants(): Array<TenantId | null> {
      const found: Array<TenantId | null> = countWhere(isNull(auditEntries.tenantId)) > 0 ? [null] : [];
      // From one to the next by the index, as above.
      for (let last = ""; ; ) {
        const next = current()
          .select({ tenantId: min(auditEntries.tenantId) })
          .from(auditEntries)
          .where(gt(auditEntries.tenantId, last))
          .get()?.tenantId;
        if (next === undefined || next === null) return found;
        found.push(next as TenantId); // minted by us
        last = next;
      }
    },
    /** Counts the entries of a tenant by who answers for them; read from an index alone. */
    countHolders(tenantId: TenantId | null): AuditHolders {
      const holders = new AuditHolders();
      const rows = current()
        .select({ share: auditEntries.share, holder: auditEntries.holder, entries: count() })
        .from(auditEntries)
        .where(isOf(tenantId))
        .groupBy(auditEntries.share, auditEntries.holder)
        .all();
      for (const { entries, ...holder } of rows) holders.add(holder, entries);
      return holders;
    },
    /** Deletes the oldest entry of a holder; false where there is none. */
    removeOldest(tenantId: TenantId | null, { share, holder }: AuditHolder): boolean {
      const oldest = current()
        .select({ sequence: min(auditEntries.sequence) })
        .from(auditEntries)
        .where(and(isOf(tenantId), eq(auditEntries.share, share), eq(auditEntries.holder, holder)))
        .get()?.sequence;
      if (oldest === undefined || oldest === null) return false;
      current().delete(auditEntries).where(eq(auditEntries.sequence, oldest)).run();
      return true;
    },
    /** Deletes at most `limit` entries that are older than `at`, and returns whose they were. */
    pruneBefore(timeMs: number, limit: number): PrunedEntry[] {
      const { sequence, tenantId, share, holder } = auditEntries;
      const doomed = current()
        .select({ sequence, tenantId, share, holder })
        .from(auditEntries)
        .where(lt(auditEntries.at, timeMs))
        .orderBy(asc(auditEntries.at))
        .limit(limit)
        .all();
      const sequences = doomed.map((entry) => entry.sequence);
      if (sequences.length > 0) current().delete(auditEntries).where(inArray(sequence, sequences)).run();
      return doomed.map((entry) => ({ ...entry, tenantId: entry.tenantId as TenantId | null })); // minted by us
    },
  };
}

export type AuditRepository = ReturnType<typeof createAuditRepository>;
