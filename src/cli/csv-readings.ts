import { CsvColumns } from "../lib/csv-column.ts";
import { type CsvDialect, createCsvClock, dialectOf, UnclearNumber } from "../lib/csv-dialect.ts";
import { inEnglish } from "../lib/domain-error.ts";
import { StartupError } from "../platform/startup-error.ts";

/** Describes what the columns of a file of sensor data are, settled from its header, its first row and the options. */
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

const inUtc = createCsvClock("UTC");

const isTimeText = (text: string): boolean => {
  const number = Number(text);
  if (text !== "" && Number.isFinite(number)) return number > 1e8; // later than 1973 in seconds, or ms
  return (
    typeof inUtc(text) === "number" || (/^\d{4}-\d{2}-\d{2}/.test(text) && Number.isFinite(Date.parse(text)))
  );
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
    options.time === undefined ? firstRow.findIndex(isTimeText) : columnOf(names, options.time);
  if (timeColumn < 0)
    throw new StartupError(
      "No column looks like a time (2026-11-21 10:00:00, 21.11.2026 10:00, ISO 8601, or epoch seconds or milliseconds). Is the delimiter right (--delimiter)? Else name the column with --time.",
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

/** Epoch ms of a time in a file: epoch s or ms, or a date, in the file's zone where it names none; undefined when it is none. */
function parseTime(text: string, timeOf: (text: string) => number | string): number | undefined {
  const number = Number(text);
  if (text !== "" && Number.isFinite(number)) return Math.round(number < 1e11 ? number * 1000 : number);
  const time = timeOf(text);
  const ts = typeof time === "number" ? time : Date.parse(time);
  return Number.isFinite(ts) ? ts : undefined;
}

const isMissing = (text: string) => ["", "NA", "NaN", "null"].includes(text);

export interface CsvReading {
  readonly ts: number;
  readonly values: Record<string, number | boolean | string>;
}

/** Describes how the cells of a file are read. */
export interface CsvCells {
  readonly columns: CsvColumns;
  readonly timeOf: (text: string) => number | string;
}

export const cellsOf = (dialect: CsvDialect): CsvCells => ({
  columns: new CsvColumns(dialect),
  timeOf: createCsvClock(dialect.timezone),
});

/** Decimal points, and times in UTC where they name no zone. */
export const plainCells: CsvCells = cellsOf(dialectOf("", { decimal: "point" }));

/**
 * Converts a row to a reading; undefined when it has no time or no value. @throws StartupError for a cell that looks like a number and
 * cannot be read as one.
 */
export function toReading(
  row: readonly string[],
  layout: CsvLayout,
  { columns, timeOf }: CsvCells,
): CsvReading | undefined {
  const ts = parseTime(row[layout.timeColumn] ?? "", timeOf);
  if (ts === undefined) return undefined;
  const values: CsvReading["values"] = {};
  for (const column of layout.valueColumns) {
    const cell = row[column] ?? "";
    const value = isMissing(cell) ? undefined : columns.read(cell, column);
    const name = layout.names[column] ?? `column ${column + 1}`;
    if (value instanceof UnclearNumber)
      throw new StartupError(`${name}: ${inEnglish(value.rule)}${value.isAboutSign ? " (--decimal)" : ""}.`);
    if (value !== undefined) values[name] = value;
  }
  return Object.keys(values).length === 0 ? undefined : { ts, values };
}
