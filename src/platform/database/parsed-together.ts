/** Characters of stored JSON that are parsed without a pause: up to 3 ms for small parts, which take many times their size when parsed. */
export const PARSED_MAX = 64 * 1024;
/** Max. bytes of JSON in rows that are read, parsed and stored together. */
const BYTES_MAX = 4 * PARSED_MAX;

/** Returns the first rows whose JSON may be parsed together, at least one. `bytes` is the size of the JSON of a row. */
export function parsedTogether<Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let total = 0;
  const end = rows.findIndex(({ bytes }) => {
    total += bytes;
    return total > BYTES_MAX;
  });
  return end === -1 ? rows : rows.slice(0, Math.max(1, end));
}
