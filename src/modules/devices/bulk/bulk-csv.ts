import { DomainError, invalid } from "../../../lib/core/domain-error.ts";
import { csvCell, unguarded } from "../../../lib/csv/csv-cell.ts";
import { CsvColumn, MISSING } from "../../../lib/csv/csv-column.ts";
import { type CsvDelimiter, dialectOf, type UnclearNumber } from "../../../lib/csv/csv-dialect.ts";
import { csvRecords } from "../../../lib/csv/csv-records.ts";
import type { JsonValue } from "../../../lib/json/json.ts";
import { excerpt, reasonExcerpt } from "../../../lib/strings/excerpt.ts";
import { decodeTextFile } from "../../../lib/strings/text-encoding.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { BulkRow } from "./bulk.types.ts";

/** Columns that a list of devices may have, in addition to `attributes.shared.<key>` and `attributes.server.<key>`. */
export const BULK_COLUMNS = [
  "name",
  "deviceType",
  "label",
  "tags",
  "assetId",
  "parentDeviceId",
  "childName",
  "profileId",
  "role",
  "type",
  "inactivityTimeoutMs",
  "targetDashboardId",
  "targetStateId",
  "applyToAllOfType",
  "commandTransport",
  "lorawanDevEui",
  "token",
] as const;

export const ATTRIBUTE_COLUMN = /^attributes\.(shared|server)\.(.+)$/;
const YES = new Set(["true", "yes", "1", "ja", "wahr"]);
const NO = new Set(["false", "no", "0", "nein", "falsch"]);

/** Returns a number, boolean, JSON value, or otherwise the string. */
function attributeOf(cell: string, numbers: CsvColumn): JsonValue | UnclearNumber | undefined {
  if (/^[[{]/.test(cell)) {
    try {
      return JSON.parse(cell) as JsonValue; // JSON.parse gives nothing else
    } catch {
      return cell;
    }
  }
  const value = numbers.read(cell);
  return value === MISSING ? cell : value;
}

/** Converts a cell to the type that the create request expects. An unreadable cell stays a string, which the check of the request refuses. */
function fieldOf(column: string, cell: string, numbers: CsvColumn): unknown {
  if (ATTRIBUTE_COLUMN.test(column)) return attributeOf(cell, numbers);
  const text = unguarded(cell);
  switch (column) {
    case "inactivityTimeoutMs": {
      const value = numbers.read(cell);
      return value === MISSING ? cell : value;
    }
    case "applyToAllOfType": {
      const word = text.toLowerCase();
      return YES.has(word) ? true : NO.has(word) ? false : text;
    }
    case "tags":
      return text.split(/[,;|]/).flatMap((tag) => tag.trim() || []);
    case "role":
    case "type":
    case "commandTransport":
      return text.toUpperCase();
    default:
      return text;
  }
}

function columnOf(name: string): string {
  if (ATTRIBUTE_COLUMN.test(name)) return name;
  const bulkColumn = BULK_COLUMNS.find((column) => column.toLowerCase() === name.toLowerCase());
  if (bulkColumn === undefined) throw invalid("bulk.column_unknown", { name: excerpt(name) });
  return bulkColumn;
}

/** Max. bytes of a record. */
const RECORD_BYTES_MAX = 1024 * 1024;
/** Cells read before the event loop may turn. */
const CELLS_PER_TURN = 5_000;

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const noRows = () => ({ rows: [], end: 0 });

async function recordsOf(text: string, delimiter: CsvDelimiter): Promise<string[][]> {
  const options = { delimiter, recordBytesMax: RECORD_BYTES_MAX };
  const records: string[][] = [];
  try {
    for await (const group of csvRecords(piecesOf(text), options, noRows))
      if (Symbol.iterator in group) records.push(...group);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid("bulk.csv_malformed", { reason: reasonExcerpt(reason) });
  }
  return records;
}

/** Yields rows, and lets the event loop turn between them. */
async function* inTurns(rows: readonly string[][]): AsyncGenerator<string[]> {
  let cells = 0;
  for (const row of rows) {
    cells += row.length;
    if (cells > CELLS_PER_TURN) {
      await workShare.next();
      cells = 0;
    }
    yield row;
  }
}

function columnsOf(header: readonly string[]): string[] {
  const columns = header.map(columnOf);
  const names = new Set<string>();
  const twice = columns.find((column) => names.size === names.add(column).size);
  if (twice !== undefined) throw invalid("bulk.column_twice", { name: excerpt(twice) });
  return columns;
}

/**
 * Parses a list of devices as CSV: quotes, a byte order mark, commas, semicolons or tabs, decimal commas. Empty cells are omitted.
 * @throws DomainError `bulk.csv_malformed`, `bulk.column_unknown` or `import.too_many_columns`
 */
export async function parseCsv(bytes: Uint8Array): Promise<BulkRow[]> {
  const text = decodeTextFile(bytes);
  const dialect = dialectOf(text, {});
  const [header, ...rows] = await recordsOf(text, dialect.delimiter);
  if (header === undefined) throw invalid("bulk.empty");
  const columns = columnsOf(header);
  const numbers = columns.map(() => new CsvColumn(dialect));
  for await (const row of inTurns(rows))
    for (const [index, cell] of row.entries()) numbers[index]?.observe(cell);
  const bulkRows: BulkRow[] = [];
  for await (const row of inTurns(rows)) {
    const fields = row.flatMap((cell, index) => {
      const [column, reader] = [columns[index], numbers[index]];
      if (cell === "") return [];
      if (column === undefined || reader === undefined) return [["", cell]];
      return [[column, fieldOf(column, cell, reader)]];
    });
    if (fields.length > 0) bulkRows.push(Object.fromEntries(fields));
  }
  return bulkRows;
}

/** Returns a line of a CSV file. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(",")}\r\n`;

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return csvCell(typeof value === "string" ? value : JSON.stringify(value));
}
