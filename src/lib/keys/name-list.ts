/** A name in quotation marks, up to a comma or the end; marks within it are doubled. */
const QUOTED = /"((?:[^"]|"")+)"(?=,|$)/y;

/**
 * Returns the names of a list that are separated by commas, such as a parameter of a query. As in CSV, a name with a comma or with
 * quotation marks may stand in quotation marks: `"U L1,L2",temperature`.
 */
export function parseNames(text: string): string[] {
  const names: string[] = [];
  for (let start = 0; start <= text.length; ) {
    QUOTED.lastIndex = start;
    const found = QUOTED.exec(text)?.[1];
    const comma = found === undefined ? text.indexOf(",", start) : QUOTED.lastIndex;
    const end = comma < 0 ? text.length : comma;
    const name = found === undefined ? text.slice(start, end) : found.replaceAll('""', '"');
    if (name !== "") names.push(name);
    start = end + 1;
  }
  return names;
}

/** Returns the list from which `parseNames` reads the names. */
export const writeNames = (names: readonly string[]): string =>
  names.map((name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(",");
