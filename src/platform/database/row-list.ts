/** Rows that may be long: they are read one at a time, for example while a list is sent. */
export interface RowList<Row, Key = number> {
  /** Key of each row, in the order of the list. A list that is searched or sorted in memory has objects with the necessary fields as keys. */
  readonly keys: readonly Key[];
  /** Returns undefined for a hidden row, or a row that was deleted meanwhile. */
  read(key: Key): Row | undefined;
}

/** Page of a list that a query has searched, sorted and cut. */
export interface RowPage<Row, Key = number> extends RowList<Row, Key> {
  /** Number of rows on all pages. */
  readonly total: number;
}

/** Converts each row of a list when it is read. Rows for which `convert` returns undefined are hidden. */
export function mapRows<Row, Shown, Key>(
  rows: RowPage<Row, Key>,
  convert: (row: Row) => Shown | undefined,
): RowPage<Shown, Key>;
export function mapRows<Row, Shown, Key>(
  rows: RowList<Row, Key>,
  convert: (row: Row) => Shown | undefined,
): RowList<Shown, Key>;
export function mapRows<Row, Shown, Key>(
  rows: RowList<Row, Key>,
  convert: (row: Row) => Shown | undefined,
): RowList<Shown, Key> {
  const read = (key: Key): Shown | undefined => {
    const row = rows.read(key);
    return row === undefined ? undefined : convert(row);
  };
  return { ...rows, read };
}

export const allRows = <Row, Key>({ keys, read }: RowList<Row, Key>): Row[] =>
  keys.flatMap((key) => read(key) ?? []);
