import { StartupError } from "../platform/startup-error.ts";

/** What the columns of a file of sensor data are, settled from its header, its first row and the options. */
export interface CsvLayout {
  readonly names: readonly string[];
  readonly timeColumn: number;
  /** The column whose value tells devices apart; undefined when the file is of one device. */
  readonly deviceColumn: number | undefined;
  /** Columns that become telemetry. */
  readonly valueColumns: readonly number[];
}

export interface CsvOptions {
  /** Names instead of a header line. */
  readonly names?: readonly string[] | undefined;
  readonly time?: string | undefined;
  readonly device?: string | undefined;
  readonly skip?: readonly string[] | undefined;
}

const looksLikeTime = (text: string): boolean => {
  const number = Number(text);
  if (text !== "" && Number.isFinite(number)) return number > 1e8; // later than 1973 in seconds, or ms
  return /^\d{4}-\d{2}-\d{2}/.test(text) && Number.isFinite(Date.parse(text.replace(" ", "T")));
};

function columnOf(names: readonly string[], wanted: string): number {
  const byName = names.indexOf(wanted);
  const byNumber = /^\d+$/.test(wanted) ? Number(wanted) - 1 : -1;
  const index = byName >= 0 ? byName : byNumber;
  if (index < 0 || index >= names.length)
    throw new StartupError(`There is no column "${wanted}"; there are ${names.join(", ")}.`);
  return index;
}

/** A header one shorter than its rows leaves out the row names, as statistics programs write them. */
export function alignHeader(header: readonly string[], firstRow: readonly string[]): string[] {
  return firstRow.length === header.length + 1 ? ["row", ...header] : [...header];
}

/** @throws StartupError when no time column can be told. */
export function settleLayout(
  names: readonly string[],
  firstRow: readonly string[],
  options: CsvOptions,
): CsvLayout {
  const timeColumn =
    options.time === undefined ? firstRow.findIndex(looksLikeTime) : columnOf(names, options.time);
  if (timeColumn < 0)
    throw new StartupError(
      "No column looks like a time (2026-11-21 10:00:00, ISO 8601, or epoch seconds or milliseconds). Is the delimiter right (--delimiter)? Else name the column with --time.",
    );
  const deviceColumn = options.device === undefined ? undefined : columnOf(names, options.device);
  const left = new Set([
    timeColumn,
    deviceColumn,
    ...(options.skip ?? []).map((name) => columnOf(names, name)),
  ]);
  const valueColumns = names
    .map((_, index) => index)
    .filter((index) => !left.has(index) && names[index] !== "row");
  if (valueColumns.length === 0) throw new StartupError("No column is left for values.");
  return { names, timeColumn, deviceColumn, valueColumns };
}

/** Epoch ms of a time in a file: epoch s or ms, or a date with UTC where it names no zone; undefined when it is none. */
function parseTime(text: string): number | undefined {
  const number = Number(text);
  if (text !== "" && Number.isFinite(number)) return Math.round(number < 1e11 ? number * 1000 : number);
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/.test(text);
  const ts = Date.parse(hasZone || text.length <= 10 ? text : `${text.replace(" ", "T")}Z`);
  return Number.isFinite(ts) ? ts : undefined;
}

/** A cell as a telemetry value: a number where the whole cell is one, true and false, else text; undefined when empty. */
function parseCell(text: string): number | boolean | string | undefined {
  if (text === "" || text === "NA" || text === "NaN" || text === "null") return undefined;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  if (text === "true" || text === "false") return text === "true";
  return text;
}

export interface CsvReading {
  readonly ts: number;
  readonly values: Record<string, number | boolean | string>;
}

/** One row as a reading; undefined when it has no time or no value. */
export function toReading(row: readonly string[], layout: CsvLayout): CsvReading | undefined {
  const ts = parseTime(row[layout.timeColumn] ?? "");
  if (ts === undefined) return undefined;
  const values: CsvReading["values"] = {};
  for (const column of layout.valueColumns) {
    const value = parseCell(row[column] ?? "");
    if (value !== undefined) values[layout.names[column] ?? `column ${column + 1}`] = value;
  }
  return Object.keys(values).length === 0 ? undefined : { ts, values };
}
