import { setImmediate } from "node:timers/promises";
import { csvCell } from "../../lib/csv-cell.ts";
import { exactJson } from "../../lib/exact-json.ts";
import { columnName } from "../../lib/key-format.ts";
import type { KeyMetadataMap } from "../../lib/key-metadata.ts";
import type { ScanChunk } from "../telemetry/store/store.types.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { HistoryFormat } from "./history-import.ts";

/*
 * History out of the store as text, a chunk at a time. NDJSON gives back every value with its type and bits; CSV is for
 * spreadsheets: a text that looks like a number reads as one there.
 */

/** Cells made into text at once, some 5 ms: a reader that is slow holds no more than this, and others have their turn. */
const PIECE_CELLS = 20_000;

/** Range of rows from the first up to, and without, the last. */
interface Rows {
  readonly from: number;
  readonly to: number;
}

const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

function cellOf(value: TelemetryValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") return String(value);
  return csvCell(typeof value === "string" ? value : exactJson(value));
}

function csvRows(chunk: ScanChunk, rows: Rows, keys: readonly string[]): string {
  const byKey = new Map(chunk.columns.map((column) => [column.key, column]));
  const columns = keys.map((key) => byKey.get(key));
  let text = "";
  for (let row = rows.from; row < rows.to; row++) {
    text += new Date(chunk.ts[row] ?? 0).toISOString();
    for (const column of columns) text += `,${cellOf(column?.at(row))}`;
    text += "\r\n";
  }
  return text;
}

function ndjsonRows(chunk: ScanChunk, rows: Rows): string {
  let text = "";
  for (let row = rows.from; row < rows.to; row++) {
    const values = chunk.columns.flatMap((column) => {
      const value = column.at(row);
      return value === undefined ? [] : [`${JSON.stringify(column.key)}:${exactJson(value)}`];
    });
    text += `{"ts":${chunk.ts[row]},"values":{${values.join(",")}}}\n`;
  }
  return text;
}

/** The chunks of a scan as text in `format`; `keys` are the columns of CSV, in their order, and `units` what stands behind their names. */
export async function* renderHistory(
  chunks: AsyncIterable<ScanChunk>,
  options: { format: HistoryFormat; keys: readonly string[]; units?: KeyMetadataMap | undefined },
): AsyncGenerator<string> {
  const { format, keys, units } = options;
  const headOf = (key: string): string => columnName(key, units?.get(key)?.unit);
  if (format === "csv") yield `${["ts", ...keys.map(headOf)].map(csvCell).join(",")}\r\n`;
  for await (const chunk of chunks) {
    const cellsPerRow = Math.max(1, format === "csv" ? keys.length : chunk.columns.length);
    const pieceRows = Math.max(1, Math.floor(PIECE_CELLS / cellsPerRow));
    for (let from = 0; from < chunk.ts.length; from += pieceRows) {
      const rows = { from, to: Math.min(from + pieceRows, chunk.ts.length) };
      await setImmediate();
      yield format === "csv" ? csvRows(chunk, rows, keys) : ndjsonRows(chunk, rows);
    }
  }
}
