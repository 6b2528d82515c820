/**
 * A text as a CSV cell that no spreadsheet takes for a formula, quoted where it must be (RFC 4180). Some spreadsheets read the signs in full
 * width (`＝`) as the plain ones. The apostrophe that guards a text is what spreadsheets themselves put there; `unguarded` takes it off again.
 */
export function csvCell(text: string): string {
  const harmless = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The text of a cell that was read, without the apostrophe that `csvCell` put before it. */
export const unguarded = (cell: string): string =>
  /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell;
