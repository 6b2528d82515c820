import type { Database } from "bun:sqlite";
import { workShare } from "../load/fair-share.ts";

/** Max. rows deleted per part. More rows, or more rows that cascade from them, would block the main thread. */
const ROWS_AT_ONCE = 250;
const PARENTS_AT_ONCE = 100;

/** A table whose rows are deleted with the rows that they refer to. */
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
   * Deletes dependent rows in parts, with other work in between, so that the deletion of the rows with these keys is short. A table whose
   * rows others refer to keeps them, because running code
   * holds them. Of the other tables, fewer rows than a part may be left.
   */
  clear(table: string, keys: readonly Key[]): Promise<void>;
}

/** @param settled by table, a condition for referenced rows that can be deleted because no running code holds them */
export function createDependentRows(
  { sqlite, transact }: { sqlite: Database; transact: (work: () => void) => void },
  settled: Readonly<Record<string, string>> = {},
): DependentRows {
  const dependents = dependentsIn(sqlite);

  const keysOf = (table: string, key: string, condition: string, parents: string, limit = -1): Key[] =>
    sqlite
      .query<{ key: Key }, [string, number]>(
        `SELECT ${key} AS key FROM ${quote(table)} WHERE ${condition} IN (SELECT value FROM json_each(?)) LIMIT ?`,
      )
      .all(parents, limit)
      .map((row) => row.key);

  async function deleteRows(dependent: Dependent, parents: string): Promise<void> {
    const { table, column } = dependent;
    const only = settled[table];
    const condition = `${only === undefined ? "" : `${only} AND `}${quote(column)}`;
    for (;;) {
      await workShare.pause();
      const rows = keysOf(table, "rowid", condition, parents, ROWS_AT_ONCE);
      if (rows.length < ROWS_AT_ONCE) return;
      const ids = JSON.stringify(rows);
      for (const below of dependents.get(table) ?? []) {
        const keys = keysOf(table, quote(below.key), "rowid", ids);
        await clearTable(below, keys);
      }
      transact(() => {
        sqlite.query(`DELETE FROM ${quote(table)} WHERE rowid IN (SELECT value FROM json_each(?))`).run(ids);
      });
      await workShare.next();
    }
  }

  async function clearTable(dependent: Dependent, keys: readonly Key[]): Promise<void> {
    const { table, column } = dependent;
    const below = dependents.get(table) ?? [];
    for (let start = 0; start < keys.length; start += PARENTS_AT_ONCE) {
      const parents = JSON.stringify(keys.slice(start, start + PARENTS_AT_ONCE));
      if (below.length === 0 || settled[table] !== undefined) await deleteRows(dependent, parents);
      for (const next of below)
        await clearTable(next, keysOf(table, quote(next.key), quote(column), parents));
    }
  }

  return {
    async clear(table, keys) {
      for (const dependent of dependents.get(table) ?? []) await clearTable(dependent, keys);
    },
  };
}
