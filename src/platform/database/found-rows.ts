/** Rows that a query has found and that may be long: they are read one at a time, while a list is sent. */
export interface FoundRows<Row> {
  /** Numbers of the rows of a page, in its order. */
  readonly seqs: readonly number[];
  /** Number of rows on all pages. */
  readonly total: number;
  /** Returns undefined for a row that was deleted meanwhile. */
  read(seq: number): Row | undefined;
}

/** Returns the same rows, each as `show` returns it. */
export const shownRows = <Row, Shown>(
  { seqs, total, read }: FoundRows<Row>,
  show: (row: Row) => Shown,
): FoundRows<Shown> => ({
  seqs,
  total,
  read(seq) {
    const row = read(seq);
    return row === undefined ? undefined : show(row);
  },
});

export const allRows = <Row>({ seqs, read }: FoundRows<Row>): Row[] => seqs.flatMap((seq) => read(seq) ?? []);
