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
import { comparedId, type DeviceId, type TenantId } from "../../lib/core/ids.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { isOfForeignKey } from "../../platform/database/constraint-errors.ts";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { prepareWrite } from "../../platform/database/prepared-write.ts";
import { auditEntries } from "./audit.tables.ts";
import type { AuditEntry, AuditFilter, AuditScope } from "./audit.types.ts";
import { type AuditHolder, AuditHolders } from "./audit-shares.ts";

/** Ids in the gateway's format, anywhere in a string. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** Field hidden from all limited readers, because the log does not know the assets of their devices. */
const ASSETS = "assetIds";
/** Fields that name devices, including deleted ones. */
const OF_DEVICES = /device(?:Ids?|s)$/i;
const HIDDEN = "(hidden)";
/** Marks a value to be removed from its container. */
const REMOVED = Symbol("removed");

/** Removes fields that name devices hidden from the reader. */
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

/** Objects that are also shown to readers who see none of the granted devices. */
const GRANTED_DEVICES: ReadonlySet<string | null> = new Set(["user", "api_key"]);

/** Returns whether the object of an entry belongs to devices that the reader does not see, such as a note or an alarm. */
function isOfHidden(
  { targetType }: AuditEntry,
  contents: readonly unknown[],
  devices: ReadonlySet<string>,
): boolean {
  if (GRANTED_DEVICES.has(targetType)) return false;
  const deviceIds = contents
    .filter(isJsonObject)
    .flatMap((content) => [content, content.config]) // a generator has its devices there
    .filter(isJsonObject)
    .flatMap((content) => [content.deviceId, content.deviceIds].flat())
    .filter((deviceId) => typeof deviceId === "string");
  return deviceIds.length > 0 && !deviceIds.some((deviceId) => devices.has(deviceId));
}

/** Removes devices and assets hidden from the reader from an entry; undefined if its object belongs to hidden devices only. */
export function redacted(entry: AuditEntry, { devices, isDevice }: AuditScope): AuditEntry | undefined {
  if (devices === "all") return entry;
  const [before, after] = [entry.before, entry.after].map((text) =>
    text === null ? undefined : (JSON.parse(text) as unknown),
  );
  if (isOfHidden(entry, [before, after], devices)) return undefined;
  const isHidden = (id: string, isDeviceField: boolean) =>
    !devices.has(id as DeviceId) && (isDeviceField || isDevice(id));
  const read = (content: unknown) => {
    if (content === undefined) return null;
    const shown = within(content, "", isHidden);
    return shown === REMOVED ? null : JSON.stringify(shown);
  };
  const { targetId } = entry;
  return {
    ...entry,
    targetId: targetId !== null && within(targetId, "", isHidden) === REMOVED ? null : targetId,
    before: read(before),
    after: read(after),
  };
}

/** Section of the log: its matches, and the start of the next section. */
export interface AuditSlice {
  readonly items: AuditEntry[];
  /** `undefined` at the beginning of the log. */
  readonly before: number | undefined;
}

export interface PrunedEntry extends AuditHolder {
  readonly tenantId: TenantId | null;
}

const toEntry = (row: typeof auditEntries.$inferSelect): AuditEntry => ({
  ...row,
});

/** Returns conditions on the owner, each covered by an index in log order. */
const ownersIn = ({ tenantId, includesStrangers }: AuditScope): SQL[] => [
  eq(auditEntries.tenantId, tenantId),
  ...(includesStrangers ? [isNull(auditEntries.tenantId)] : []),
];

const seenIn = ({ devices }: AuditScope): SQL | undefined =>
  devices === "all"
    ? undefined
    : sql`(${auditEntries.targetType} IS NOT 'device' OR ${auditEntries.targetId} IN (SELECT value FROM json_each(${JSON.stringify([...devices])})))`;

/** Returns the conditions covered by an index. */
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

const isOfTenant = (tenantId: TenantId | null): SQL =>
  tenantId === null ? isNull(auditEntries.tenantId) : eq(auditEntries.tenantId, tenantId);

/** Prepares the insert statement, because every change writes an entry. */
function prepareInsert({ orm, sqlite }: Pick<MainDatabase, "orm" | "sqlite">) {
  const columns = Object.keys(getTableColumns(auditEntries)).filter((name) => name !== "sequence");
  const values = Object.fromEntries(
    columns.map((name) => [name, sql.placeholder(name)]),
  ) as unknown as typeof auditEntries.$inferInsert; // all columns except the automatic sequence
  return prepareWrite(sqlite, orm.insert(auditEntries).values(values));
}

/** Returns a function that inserts an entry and returns its tenant; null if the tenant was just deleted, whose entries the gateway's owners see. */
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
  /** Called in the entry's transaction with its tenant; null if the tenant was just deleted. */
  inserted(tenantId: TenantId | null): void;
  failed(error: unknown): void;
}

/** Creates the repository. Each call examines a limited number of entries: the log may hold millions, and the gateway waits meanwhile. */
export function createAuditRepository({ orm, sqlite, writes }: MainDatabase) {
  const insertEntry = createEntryInsert({ orm, sqlite });
  /** Commits waiting entries and returns the database. */
  function current() {
    writes.settle();
    return orm;
  }

  /** Returns the sequence numbers of the next entries in scope, newest first, from indexes alone. */
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
    /** Commits an entry together with all writes of the same turn of the event loop. */
    insert: (entry: Omit<AuditEntry, "sequence">, { inserted, failed }: InsertEnd): void =>
      writes.add({
        isOptional: true,
        write: () => inserted(insertEntry(entry)),
        committed: () => undefined,
        failed,
      }),
    /** Examines the next `rows` entries before `before`, newest first. Not redacted: apply `redacted` before showing entries. */
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
        .map(toEntry);
      return { items, before: sequences.length < window.rows ? undefined : sequences.at(-1) };
    },
    /** Counts all entries in scope, including those about hidden devices. */
    count: (scope: AuditScope): number => ownersIn(scope).reduce((sum, owner) => sum + countWhere(owner), 0),
    find(scope: AuditScope, auditId: string): AuditEntry | undefined {
      const row = current()
        .select()
        .from(auditEntries)
        .where(and(or(...ownersIn(scope)), seenIn(scope), eq(auditEntries.auditId, auditId)))
        .get();
      return row && redacted(toEntry(row), scope);
    },
    listActions(scope: AuditScope): string[] {
      const found = new Set<string>();
      // Skips from value to value by the index; reading all rows would read the whole log.
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
    /** Returns ids of all tenants with entries; null for entries without a known tenant. */
    listTenants(): Array<TenantId | null> {
      const found: Array<TenantId | null> = countWhere(isNull(auditEntries.tenantId)) > 0 ? [null] : [];
      // Skips from value to value by the index, as above.
      for (let last = ""; ; ) {
        const next = current()
          .select({ tenantId: min(auditEntries.tenantId) })
          .from(auditEntries)
          .where(gt(auditEntries.tenantId, comparedId(last)))
          .get()?.tenantId;
        if (next === undefined || next === null) return found;
        found.push(next);
        last = next;
      }
    },
    /** Counts the entries of a tenant by holder, from an index alone. */
    countHolders(tenantId: TenantId | null): AuditHolders {
      const holders = new AuditHolders();
      const rows = current()
        .select({ share: auditEntries.share, holder: auditEntries.holder, entries: count() })
        .from(auditEntries)
        .where(isOfTenant(tenantId))
        .groupBy(auditEntries.share, auditEntries.holder)
        .all();
      for (const { entries, ...holder } of rows) holders.add(holder, entries);
      return holders;
    },
    /** Deletes the oldest entry of a holder. Returns false if there is none. */
    removeOldest(tenantId: TenantId | null, { share, holder }: AuditHolder): boolean {
      const oldest = current()
        .select({ sequence: min(auditEntries.sequence) })
        .from(auditEntries)
        .where(and(isOfTenant(tenantId), eq(auditEntries.share, share), eq(auditEntries.holder, holder)))
        .get()?.sequence;
      if (oldest === undefined || oldest === null) return false;
      current().delete(auditEntries).where(eq(auditEntries.sequence, oldest)).run();
      return true;
    },
    /** Deletes at most `limit` entries older than `timeMs`. Returns their holders. */
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
      return doomed;
    },
  };
}

export type AuditRepository = ReturnType<typeof createAuditRepository>;
