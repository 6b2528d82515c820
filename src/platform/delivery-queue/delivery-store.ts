import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  min,
  notInArray,
  type SQL,
  sql,
  sum,
} from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { MainDatabase } from "../database/database.ts";
import { lazyStatement } from "../database/lazy-statement.ts";
import type { RowPage } from "../database/row-list.ts";
import type { Load } from "./delivery-lanes.ts";

/** Placeholder for the id of a target in `DeliveryRows.isOfTarget`. */
export const targetPlaceholder = sql.placeholder("targetId");

/** All columns of a row, with its number. */
type Stored<Table extends SQLiteTable> = Table["$inferSelect"] & { seq: number };

/** Definition of the stored rows of one kind. */
export interface DeliveryRows<Table extends SQLiteTable, Row> {
  readonly table: Table;
  /** Number of a row, in the order of insertion. */
  readonly seq: SQLiteColumn | SQL<number>;
  /** Selects the rows of a target. */
  readonly isOfTarget: SQL;
  readonly orderKey: SQLiteColumn;
  readonly state: SQLiteColumn;
  /** State of waiting rows. Queries contain it literally, so that SQLite can use partial indexes. */
  readonly waiting: string;
  /** Column `dueAt` of the table. */
  readonly dueAt: SQLiteColumn;
  readonly expiresAt?: SQLiteColumn | SQL;
  readonly bytes?: SQLiteColumn | SQL;
  readonly toRow: (row: Stored<Table>) => Row;
}

/** Creates the queries of the delivery queue for the waiting rows of a table. */
export function createDeliveryStore<Table extends SQLiteTable, Row>(
  { orm }: Pick<MainDatabase, "orm">,
  rows: DeliveryRows<Table, Row>,
) {
  const { orderKey, dueAt, expiresAt, bytes, isOfTarget } = rows;
  const seq = sql<number>`${rows.seq}`;
  const table: SQLiteTable = rows.table;
  const isWaiting = sql`${rows.state} = ${sql.raw(`'${rows.waiting}'`)}`;
  const ofTarget = and(isOfTarget, isWaiting);
  const lanes = lazyStatement(() =>
    orm
      // With `min`, SQLite takes the due time from the row of the minimum.
      .select({ orderKey: sql<string>`${orderKey}`, dueAt: sql<number>`${dueAt}`, first: min(seq) })
      .from(table)
      .where(ofTarget)
      .groupBy(orderKey),
  );
  const totals = lazyStatement(() =>
    orm
      .select({
        rows: count(),
        bytes: bytes === undefined ? sql<number>`0` : sum(bytes).mapWith(Number),
        expiresAt: expiresAt === undefined ? sql<null>`NULL` : sql<number | null>`min(${expiresAt})`,
      })
      .from(table)
      .where(ofTarget),
  );
  const isNext = and(ofTarget, eq(orderKey, sql.placeholder("orderKey")), gt(seq, sql.placeholder("after")));
  const columns = { ...getTableColumns(table), seq };
  const head = lazyStatement(() => orm.select(columns).from(table).where(isNext).orderBy(asc(seq)).limit(1));
  const bySeq = lazyStatement(() =>
    orm
      .select(columns)
      .from(table)
      .where(eq(seq, sql.placeholder("seq"))),
  );
  return {
    /** Returns the order keys of the waiting rows of a target, each with the due time of its first row. */
    lanes: (targetId: string): { orderKey: string; dueAt: number }[] => lanes.all({ targetId }),
    /** Returns number and size of the waiting rows of a target, and the earliest expiry. */
    waiting(targetId: string): Load & { expiresAt: number } {
      const found = totals.get({ targetId });
      return {
        rows: found?.rows ?? 0,
        bytes: found?.bytes ?? 0,
        expiresAt: found?.expiresAt ?? Number.POSITIVE_INFINITY,
      };
    },
    /** Returns the oldest waiting row with the order key after the number `after`. */
    head(targetId: string, key: string, after: number): Row | undefined {
      const row = head.get({ targetId, orderKey: key, after });
      return row && rows.toRow(row as Stored<Table>);
    },
    /** Returns the numbers of the oldest waiting rows of a target, excluding `except`; with a time, only of expired rows. */
    oldest(
      targetId: string,
      options: { readonly limit: number; readonly expiredAt?: number; readonly except: readonly number[] },
    ): number[] {
      const { limit, expiredAt, except } = options;
      const isOld = expiresAt && expiredAt !== undefined ? sql`${expiresAt} <= ${expiredAt}` : undefined;
      const found = lazyStatement(() =>
        orm
          .select({ seq })
          .from(table)
          .where(and(ofTarget, isOld, notInArray(seq, [...except])))
          .orderBy(asc(seq))
          .limit(limit),
      );
      return found.all({ targetId }).map((row) => row.seq);
    },
    /** Finds a page of rows, newest first. */
    list(
      where: SQL | undefined,
      { limit, offset }: { readonly limit: number; readonly offset: number },
    ): RowPage<Row> {
      const found = orm.select({ seq }).from(table).where(where).orderBy(desc(seq)).limit(limit);
      return {
        keys: found
          .offset(offset)
          .all()
          .map((row) => row.seq),
        total: orm.select({ n: count() }).from(table).where(where).get()?.n ?? 0,
        read(wanted) {
          const row = bySeq.get({ seq: wanted });
          return row && rows.toRow(row as Stored<Table>);
        },
      };
    },
    /** Limits the due time of waiting rows to `latest`, for one target or all. */
    capDueTimes(latest: number, targetId?: string): void {
      const where = and(targetId === undefined ? isWaiting : ofTarget, gt(dueAt, latest));
      lazyStatement(() => orm.update(table).set({ dueAt: latest }).where(where)).run({ targetId });
    },
  };
}
