/** Max. bytes of stored JSON that are parsed in one turn of the event loop. JSON of small parts takes many times its size when it is parsed. */
const BYTES_MAX = 256 * 1024;

/** Returns the first rows whose JSON may be parsed together, at least one. `bytes` is the size of the JSON of a row. */
export function parsedTogether<Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let total = 0;
  const end = rows.findIndex(({ bytes }) => {
    total += bytes;
    return total > BYTES_MAX;
  });
  return end === -1 ? rows : rows.slice(0, Math.max(1, end));
}
