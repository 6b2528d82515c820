/** Rows that a query has found and that may be long: they are read one at a time, while a list is sent. */
export interface FoundRows<Row, Key = number> {
  /** Keys of the rows of a page, in its order. */
  readonly keys: readonly Key[];
  /** Number of rows on all pages. */
  readonly total: number;
  /** Returns undefined for a row that was deleted meanwhile. */
  read(key: Key): Row | undefined;
}

/** Returns the same rows, each converted by `show`. */
export const shownRows = <Row, Shown, Key>(
  { keys, total, read }: FoundRows<Row, Key>,
  show: (row: Row) => Shown,
): FoundRows<Shown, Key> => ({
  keys,
  total,
  read(key) {
    const row = read(key);
    return row === undefined ? undefined : show(row);
  },
});

export const allRows = <Row, Key>({ keys, read }: FoundRows<Row, Key>): Row[] =>
  keys.flatMap((key) => read(key) ?? []);
