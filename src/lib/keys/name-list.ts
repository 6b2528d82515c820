/** A quoted name, up to a comma or the end. Quotation marks within it are doubled. */
const QUOTED = /"((?:[^"]|"")+)"(?=,|$)/y;

/**
 * Returns the comma-separated names of a list, such as a query parameter. As in CSV, a name with a comma or quotation marks can be quoted: `"U
 * L1,L2",temperature`.
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

/** Returns the list that `parseNames` parses. */
export const writeNames = (names: readonly string[]): string =>
  names.map((name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(",");
