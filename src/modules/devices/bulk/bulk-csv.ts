import { csvCell, unguarded } from "../../../lib/csv-cell.ts";
import { CsvColumn, MISSING } from "../../../lib/csv-column.ts";
import { dialectOf, type UnclearNumber } from "../../../lib/csv-dialect.ts";
import { invalid } from "../../../lib/domain-error.ts";
import { excerpt, reasonExcerpt } from "../../../lib/excerpt.ts";
import type { JsonValue } from "../../../lib/json.ts";
import { decodeTextFile } from "../../../lib/text-encoding.ts";
import type { BulkRow } from "./bulk.types.ts";

/** Columns that a list of devices may have, beside `attributes.shared.<key>` and `attributes.server.<key>`. */
export const bulkColumns = [
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

export const attributeColumn = /^attributes\.(shared|server)\.(.+)$/;
const yes = new Set(["true", "yes", "1", "ja", "wahr"]);
const no = new Set(["false", "no", "0", "nein", "falsch"]);

/** A number, yes or no, JSON, or else the text. */
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

/** A cell as the create request would have it; what cannot be read stays text, and is refused as that. */
function fieldOf(column: string, cell: string, numbers: CsvColumn): unknown {
  if (attributeColumn.test(column)) return attributeOf(cell, numbers);
  const text = unguarded(cell);
  switch (column) {
    case "inactivityTimeoutMs": {
      const value = numbers.read(cell);
      return value === MISSING ? cell : value;
    }
    case "applyToAllOfType": {
      const word = text.toLowerCase();
      return yes.has(word) ? true : no.has(word) ? false : text;
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
  if (attributeColumn.test(name)) return name;
  const bulkColumn = bulkColumns.find((column) => column.toLowerCase() === name.toLowerCase());
  if (bulkColumn === undefined) throw invalid("bulk.column_unknown", { name: excerpt(name) });
  return bulkColumn;
}

/**
 * A list of devices as CSV: quotes, a byte order mark, commas, semicolons or tabs, decimal commas. Empty cells are not given.
 * @throws DomainError `bulk.csv_malformed`, `bulk.column_unknown`.
 */
export async function parseCsv(bytes: Uint8Array): Promise<BulkRow[]> {
  const { parse } = await import("csv-parse/sync"); // by the few who import, not at every start
  const text = decodeTextFile(bytes);
  const dialect = dialectOf(text, {});
  let cells: string[][];
  try {
    cells = parse(text, {
      delimiter: dialect.delimiter,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid("bulk.csv_malformed", { reason: reasonExcerpt(reason) });
  }
  const [header, ...rows] = cells;
  if (header === undefined) throw invalid("bulk.empty");
  const columns = header.map(columnOf);
  const names = new Set<string>();
  const twice = columns.find((column) => names.size === names.add(column).size);
  if (twice !== undefined) throw invalid("bulk.column_twice", { name: excerpt(twice) });
  const numbers = columns.map(() => new CsvColumn(dialect));
  for (const row of rows) for (const [index, cell] of row.entries()) numbers[index]?.observe(cell);
  return rows
    .filter((row) => row.some((cell) => cell !== ""))
    .map((row) =>
      Object.fromEntries(
        row.flatMap((cell, index) => {
          const [column, reader] = [columns[index], numbers[index]];
          if (cell === "") return [];
          if (column === undefined || reader === undefined) return [["", cell]];
          return [[column, fieldOf(column, cell, reader)]];
        }),
      ),
    );
}

/** A line of a CSV file. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(",")}\r\n`;

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return csvCell(typeof value === "string" ? value : JSON.stringify(value));
}
