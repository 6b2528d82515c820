import { csvCell, unguarded } from "../../../lib/csv-cell.ts";
import { csvNumber, type DecimalSign, dialectOf } from "../../../lib/csv-dialect.ts";
import { invalid } from "../../../lib/domain-error.ts";
import { excerpt, reasonExcerpt } from "../../../lib/excerpt.ts";
import type { JsonValue } from "../../../lib/json.ts";
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

/** UTF-8, or what spreadsheets on Windows write where they do not say so. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** A number, yes or no, JSON, or else the text. */
function attributeOf(cell: string, decimal: DecimalSign): JsonValue {
  if (cell === "true" || cell === "false") return cell === "true";
  if (/^[[{]/.test(cell)) {
    try {
      return JSON.parse(cell) as JsonValue; // JSON.parse gives nothing else
    } catch {
      return cell;
    }
  }
  return csvNumber(cell, decimal) ?? cell;
}

/** A cell as the create request would have it; what cannot be read stays text, and is refused as that. */
function fieldOf(column: string, cell: string, decimal: DecimalSign): unknown {
  if (attributeColumn.test(column)) return attributeOf(cell, decimal);
  switch (column) {
    case "inactivityTimeoutMs":
      return csvNumber(cell, decimal) ?? cell;
    case "applyToAllOfType": {
      const word = cell.toLowerCase();
      return yes.has(word) ? true : no.has(word) ? false : cell;
    }
    case "tags":
      return cell.split(/[,;|]/).flatMap((tag) => tag.trim() || []);
    case "role":
    case "type":
    case "commandTransport":
      return cell.toUpperCase();
    default:
      return cell;
  }
}

function columnOf(name: string): string {
  if (attributeColumn.test(name)) return name;
  const known = bulkColumns.find((column) => column.toLowerCase() === name.toLowerCase());
  if (known === undefined) throw invalid("bulk.column_unknown", { name: excerpt(name) });
  return known;
}

/**
 * A list of devices as CSV: quotes, a byte order mark, commas, semicolons or tabs, decimal commas. Empty cells are not given.
 * @throws DomainError `bulk.csv_malformed`, `bulk.column_unknown`.
 */
export async function parseCsv(bytes: Uint8Array): Promise<BulkRow[]> {
  const { parse } = await import("csv-parse/sync"); // by the few who import, not at every start
  const text = decodeText(bytes).replace(/^\uFEFF/, "");
  const { delimiter, decimal } = dialectOf(text, {});
  let cells: string[][];
  try {
    cells = parse(text, { delimiter, trim: true, skip_empty_lines: true, relax_column_count: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid("bulk.csv_malformed", { reason: reasonExcerpt(reason) });
  }
  const [header, ...rows] = cells;
  if (header === undefined) throw invalid("bulk.empty");
  const columns = header.map(columnOf);
  const names = new Set<string>();
  const twice = columns.find((column) => names.size === names.add(column).size);
  if (twice !== undefined) throw invalid("bulk.column_twice", { twice: excerpt(twice) });
  return rows
    .filter((row) => row.some((cell) => cell !== ""))
    .map((row) =>
      Object.fromEntries(
        row.flatMap((cell, index) => {
          const column = columns[index];
          if (column === undefined) return cell === "" ? [] : [["", cell]];
          return cell === "" ? [] : [[column, fieldOf(column, unguarded(cell), decimal)]];
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
