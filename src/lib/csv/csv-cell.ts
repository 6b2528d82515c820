/**
 * Returns a text as a CSV cell that spreadsheets do not interpret as a formula, quoted if necessary (RFC 4180). Some spreadsheets treat full-width
 * signs (`＝`) like the plain ones. Spreadsheets use the same apostrophe to mark text; `unguarded` removes it.
 */
export function csvCell(text: string): string {
  const harmless = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Returns the text of a parsed cell without the apostrophe of `csvCell`. */
export const unguarded = (cell: string): string =>
  /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell;
