import type { Database } from "bun:sqlite";
import { workShare } from "../load/fair-share.ts";

/** Max. rows deleted per batch. More rows, or more rows that cascade from them, would block the main thread. */
const ROWS_PER_STEP = 250;
const PARENTS_PER_STEP = 100;

/** Table whose rows are deleted together with the rows they refer to. */
interface Dependent {
  readonly table: string;
  /** Foreign-key column. */
  readonly column: string;
  /** Referenced column of the parent. */
  readonly key: string;
}

type Key = string | number;

const quote = (name: string): string => `"${name}"`;

/** Returns the dependent tables of each table, from the foreign keys of the database. */
function dependentsIn(sqlite: Database): Map<string, Dependent[]> {
  const dependents = new Map<string, Dependent[]>();
  const tables = sqlite
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  for (const { name: table } of tables) {
    const keys = sqlite
      .query<{ table: string; from: string; to: string; on_delete: string }, [string]>(
        'SELECT "table", "from", "to", on_delete FROM pragma_foreign_key_list(?)',
      )
      .all(table);
    for (const { table: parent, from: column, to: key, on_delete: action } of keys) {
      if (action !== "CASCADE") continue;
      dependents.set(parent, [...(dependents.get(parent) ?? []), { table, column, key }]);
    }
  }
  return dependents;
}

/** Rows that a deletion removes by cascading, according to the foreign keys of the database. */
export interface DependentRows {
  /**
   * Deletes dependent rows in batches, with other work in between, so that the deletion of the rows with these keys is short. Rows that other
   * rows refer to are kept, because running code may hold them. In each of the other tables, less than a batch may be left per 100 parents.
   */
  clear(table: string, keys: readonly Key[]): Promise<void>;
}

/** Rows of a table that refer to any of the parents. */
interface RowsOfParents {
  readonly table: string;
  /** Foreign-key column, or `rowid`. */
  readonly column: string;
  /** JSON list of the parents' keys. */
  readonly parents: string;
}

/** @param settled by table, a condition in SQL for referenced rows that can be deleted because no running code holds them */
export function createDependentRows(
  { sqlite, transact }: { sqlite: Database; transact: (work: () => void) => void },
  settled: Readonly<Record<string, string>> = {},
): DependentRows {
  const dependents = dependentsIn(sqlite);

  /** Returns the values of a column in the rows, limited to those that meet the optional condition. */
  function valuesOf(
    wanted: string,
    { table, column, parents }: RowsOfParents,
    { only = "TRUE", limit = -1 }: { only?: string | undefined; limit?: number } = {},
  ): Key[] {
    const condition = `${quote(column)} IN (SELECT value FROM json_each(?)) AND (${only})`;
    return sqlite
      .query<{ value: Key }, [string, number]>(
        `SELECT ${quote(wanted)} AS value FROM ${quote(table)} WHERE ${condition} LIMIT ?`,
      )
      .all(parents, limit)
      .map((row) => row.value);
  }

  async function deleteRows(rows: RowsOfParents, path: ReadonlySet<string>): Promise<void> {
    const { table } = rows;
    for (;;) {
      await workShare.pause();
      const batch = valuesOf("rowid", rows, { only: settled[table], limit: ROWS_PER_STEP });
      if (batch.length < ROWS_PER_STEP) return;
      const ids = JSON.stringify(batch);
      for (const below of dependents.get(table) ?? [])
        await clearTable(below, valuesOf(below.key, { table, column: "rowid", parents: ids }), path);
      transact(() => {
        sqlite.query(`DELETE FROM ${quote(table)} WHERE rowid IN (SELECT value FROM json_each(?))`).run(ids);
      });
      await workShare.next();
    }
  }

  /** @param above tables of the keys. Rows that refer to rows of their own table, even in circles, remain for the deletion */
  async function clearTable(
    { table, column }: Dependent,
    keys: readonly Key[],
    above: ReadonlySet<string>,
  ): Promise<void> {
    if (above.has(table)) return;
    const path = new Set([...above, table]);
    const below = dependents.get(table) ?? [];
    for (let start = 0; start < keys.length; start += PARENTS_PER_STEP) {
      const parents = JSON.stringify(keys.slice(start, start + PARENTS_PER_STEP));
      const rows = { table, column, parents };
      if (below.length === 0 || settled[table] !== undefined) await deleteRows(rows, path);
      for (const next of below) await clearTable(next, valuesOf(next.key, rows), path);
    }
  }

  return {
    async clear(table, keys) {
      for (const dependent of dependents.get(table) ?? [])
        await clearTable(dependent, keys, new Set([table]));
    },
  };
}
