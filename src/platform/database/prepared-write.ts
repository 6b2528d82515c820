import type { Changes, Database, SQLQueryBindings } from "bun:sqlite";
import { is } from "drizzle-orm/entity";
import { Param, Placeholder } from "drizzle-orm/sql";

/** Values of the placeholders, by name. */
type Values = Readonly<Record<string, unknown>>;
type Bind = (values: Values) => SQLQueryBindings;

function binderOf(param: unknown): Bind {
  const isEncoded = is(param, Param) && is(param.value, Placeholder);
  const placeholder = isEncoded ? param.value : param;
  if (!is(placeholder, Placeholder)) return () => param as SQLQueryBindings; // Drizzle has encoded it
  const { name } = placeholder;
  const read: Bind = (values) => {
    if (!(name in values)) throw new Error(`No value for placeholder "${name}" was provided`);
    return values[name] as SQLQueryBindings; // of a column's type
  };
  if (!isEncoded) return read;
  const { encoder } = param;
  return (values) => encoder.mapToDriverValue(read(values)) as SQLQueryBindings; // for the driver
}

/**
 * Prepares a statement that returns no rows. Drizzle resolves the placeholders each time a statement runs, which takes about as long as inserting a
 * row. This function resolves them once.
 */
export function prepareWrite(
  sqlite: Database,
  query: { toSQL(): { sql: string; params: unknown[] } },
): (values: Values) => Changes {
  const { sql, params } = query.toSQL();
  const statement = sqlite.prepare(sql);
  const binders = params.map(binderOf);
  return (values) => statement.run(...binders.map((bind) => bind(values)));
}
