/**
 * A text as a CSV cell that no spreadsheet takes for a formula, quoted where it must be (RFC 4180). The apostrophe that
 * guards it is what spreadsheets themselves put before such a text; `unguarded` takes it off again.
 */
export function csvCell(text: string): string {
  const harmless = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The text of a cell that was read, without the apostrophe that `csvCell` put before it. */
export const unguarded = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
