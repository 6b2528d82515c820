import { and, asc, count, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { defined } from "../../lib/core/defined.ts";
import { type DomainError, tooLarge } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { newId } from "../core/ids.ts";
import type { Clock } from "../time/clock.ts";
import type { MainDatabase } from "./database.ts";
import { lazyStatement } from "./lazy-statement.ts";
import type { RowList } from "./row-list.ts";

export type ResourceTable = SQLiteTable;
type Item<Table extends SQLiteTable> = Table["$inferSelect"];
type Column<Table extends SQLiteTable> = keyof Item<Table> & string;
/** Columns that the store sets itself. */
type Stamp = "tenantId" | "createdAt" | "updatedAt";

/** Max. MiB of texts in a tenant's rows per table, because lists read all rows in one go. */
export const ROWS_MIB_MAX = 8;

/** Stored rows of one table, each of which belongs to a tenant. */
export interface StoredRows<Table extends SQLiteTable, Key extends Column<Table>> {
  /** Its columns `tenantId`, `createdAt` and, if it has one, `updatedAt` are set by the store. */
  readonly table: Table;
  /** Column with the id. */
  readonly key: Key;
  /** Order of lists; rows with equal values are sorted by id. */
  readonly order: { readonly by: Column<Table>; readonly ignoresCase?: boolean };
  /** Gives each change a later `updatedAt` than the previous change, for readers that use it to tell versions of a row apart. */
  readonly isVersioned?: boolean;
  readonly notFound: () => DomainError;
  /** Max. rows per tenant, the error for a row beyond it, and max. MiB of their texts (`ROWS_MIB_MAX` by default). */
  readonly limit: {
    readonly max: number;
    readonly reached: (max: number) => DomainError;
    readonly mibMax?: number;
  };
  /** Columns with unique values within a tenant. `taken` gets the row with the same value. */
  readonly unique?: readonly {
    readonly column: Column<Table>;
    readonly ignoresCase?: boolean;
    readonly taken: (other: Item<Table>) => DomainError;
  }[];
}

export type NewFields<Row, Key extends keyof Row> = Omit<Row, Key | Stamp> & Partial<Pick<Row, Key>>;
export type Changes<Row> = { readonly [Field in Exclude<keyof Row, Stamp>]?: Row[Field] | undefined };

type RowHead<Row, Key extends keyof Row> = Pick<Row, Key> & Partial<Row>;

/** Reads and writes the rows of a tenant. A row of another tenant does not exist. */
export interface ResourceStore<Row, Key extends keyof Row> {
  list(tenantId: TenantId): Row[];
  /** Returns the rows of `list` without their JSON, which may be long. */
  heads(tenantId: TenantId): RowHead<Row, Key>[];
  /** Returns the rows of `list` for reading one at a time. */
  rows(tenantId: TenantId): RowList<Row, RowHead<Row, Key>>;
  count(tenantId: TenantId): number;
  find(tenantId: TenantId, id: string): Row | undefined;
  /** @throws DomainError `not_found` */
  get(tenantId: TenantId, id: string): Row;
  /** Returns the row with a value of a unique column. */
  findBy(tenantId: TenantId, column: keyof Row & string, value: string): Row | undefined;
  /** Returns a row of any tenant, for parts that work for all tenants. */
  findAcrossTenants(id: string): Row | undefined;
  /** @throws DomainError of the limit. `insert` also calls it; call it yourself if it must precede other checks. */
  ensureRoom(tenantId: TenantId): void;
  /** @throws DomainError of a unique column, then of the limit, then `resource.too_much` */
  insert(tenantId: TenantId, fields: NewFields<Row, Key>): Row;
  /**
   * Writes the changes that are not undefined.
   * @throws DomainError of a unique column, or `resource.too_much` if the row has grown
   */
  update(current: Row, changes: Changes<Row>): Row;
  delete(row: Row): void;
}

/** Row with columns unknown to the store. */
interface AnyRow {
  readonly tenantId: TenantId;
  readonly [column: string]: unknown;
}

/** Returns the bytes of user content in a row: texts and JSON, without enum values. */
function textBytes(columns: readonly SQLiteColumn[]): SQL<number> {
  const isText = ({ dataType, enumValues = [] }: SQLiteColumn) =>
    (dataType === "string" && enumValues.length === 0) || dataType === "json";
  const lengths = columns.filter(isText).map((column) => sql`coalesce(octet_length(${column}), 0)`);
  return sql.join(lengths, sql` + `) as SQL<number>;
}

/** Creates the store of a table. Checks and write are one transaction, including writes of other processes. */
export function createResourceStore<Table extends SQLiteTable, Key extends Column<Table>>(
  rows: StoredRows<Table, Key>,
  { orm, transact }: Pick<MainDatabase, "orm" | "transact">,
  clock: Pick<Clock, "now">,
): ResourceStore<Item<Table>, Key> {
  const { key, order, limit, unique = [], isVersioned = false } = rows;
  const table: SQLiteTable = rows.table;
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  const columnOf = (name: string): SQLiteColumn => columns[name] as SQLiteColumn; // named by the definition, which the compiler checks
  const isOfTenant = eq(columnOf("tenantId"), sql.placeholder("tenantId"));
  const sorted = columnOf(order.by);

  const hasId = eq(columnOf(key), sql.placeholder("id"));
  const byId = lazyStatement(() => orm.select().from(table).where(and(isOfTenant, hasId)));
  const ofAnyTenant = lazyStatement(() => orm.select().from(table).where(hasId));
  const inOrder = [order.ignoresCase ? sql`${sorted} COLLATE NOCASE` : asc(sorted), asc(columnOf(key))];
  const ofTenant = lazyStatement(() =>
    orm
      .select()
      .from(table)
      .where(isOfTenant)
      .orderBy(...inOrder),
  );
  const headsOfTenant = lazyStatement(() => {
    const short = Object.entries(columns).filter(([, { dataType }]) => dataType !== "json");
    return orm
      .select(Object.fromEntries(short))
      .from(table)
      .where(isOfTenant)
      .orderBy(...inOrder);
  });
  const total = lazyStatement(() => orm.select({ count: count() }).from(table).where(isOfTenant));

  /** Keyed by unique column. */
  const byValue = new Map(
    unique.map(({ column, ignoresCase = false }) => {
      const value = sql.placeholder("value");
      const isEqual = ignoresCase
        ? sql`lower(${columnOf(column)}) = lower(${value})`
        : eq(columnOf(column), value);
      return [column, lazyStatement(() => orm.select().from(table).where(and(isOfTenant, isEqual)))];
    }),
  );

  const countOf = (tenantId: TenantId): number => total.get({ tenantId })?.count ?? 0;
  const findById = (tenantId: TenantId, id: string) => byId.get({ tenantId, id }) as Item<Table> | undefined;
  const heads = (tenantId: TenantId) => headsOfTenant.all({ tenantId }) as RowHead<Item<Table>, Key>[];
  const findBy = (tenantId: TenantId, column: string, value: unknown) =>
    byValue.get(column)?.get({ tenantId, value }) as Item<Table> | undefined;
  const whereRow = (row: Item<Table>) => eq(columnOf(key), row[key]);

  const bytes = { total: sql<number>`coalesce(sum(${textBytes(Object.values(columns))}), 0)` };
  const bytesOfRow = lazyStatement(() => orm.select(bytes).from(table).where(hasId));
  const bytesOfTenant = lazyStatement(() => orm.select(bytes).from(table).where(isOfTenant));
  const bytesIn = (row: AnyRow): number => bytesOfRow.get({ id: row[key] })?.total ?? 0;
  const mibMax = limit.mibMax ?? ROWS_MIB_MAX;

  /** Writes a row. Rolls back if the row has grown and the texts of the tenant exceed their limit. */
  function write(row: AnyRow, isNew: boolean, run: () => void): void {
    transact(() => {
      const before = isNew ? 0 : bytesIn(row);
      run();
      if (bytesIn(row) <= before) return;
      const total = bytesOfTenant.get({ tenantId: row.tenantId })?.total ?? 0;
      if (total > mibMax * 1024 * 1024) throw tooLarge("resource.too_much", { mib: mibMax });
    });
  }

  function ensureRoom(tenantId: TenantId): void {
    if (countOf(tenantId) >= limit.max) throw limit.reached(limit.max);
  }

  function ensureFree(row: AnyRow): void {
    for (const { column, taken } of unique) {
      const other = findBy(row.tenantId, column, row[column]);
      if (other !== undefined && other[key] !== row[key]) throw taken(other);
    }
  }

  function changeStamp({ updatedAt }: Item<Table>): { updatedAt: number } | undefined {
    if (!("updatedAt" in columns)) return undefined;
    return { updatedAt: isVersioned ? Math.max(clock.now(), updatedAt + 1) : clock.now() };
  }

  return {
    list: (tenantId) => ofTenant.all({ tenantId }) as Item<Table>[],
    heads,
    rows: (tenantId) => ({ keys: heads(tenantId), read: (head) => findById(tenantId, String(head[key])) }),
    count: countOf,
    find: findById,
    get(tenantId, id) {
      const row = findById(tenantId, id);
      if (row === undefined) throw rows.notFound();
      return row;
    },
    findAcrossTenants: (id) => ofAnyTenant.get({ id }) as Item<Table> | undefined,
    findBy,
    ensureRoom,
    insert(tenantId, fields) {
      const now = clock.now();
      const stamps = { createdAt: now, ...("updatedAt" in columns && { updatedAt: now }) };
      const row = { [key]: newId(), ...fields, tenantId, ...stamps };
      write(row, true, () => {
        ensureFree(row);
        ensureRoom(tenantId);
        orm.insert(table).values(row).run();
      });
      return row as Item<Table>; // the fields and the stamps are all columns
    },
    update(current, changes) {
      const written: Record<string, unknown> = { ...defined(changes), ...changeStamp(current) };
      const row = { ...current, ...written } as AnyRow & Item<Table>;
      write(row, false, () => {
        ensureFree(row);
        if (Object.keys(written).length > 0) orm.update(table).set(written).where(whereRow(row)).run();
      });
      return row;
    },
    delete: (row) => void orm.delete(table).where(whereRow(row)).run(),
  };
}
