import { detail, invalid } from "../core/domain-error.ts";
import { excerpt } from "../strings/excerpt.ts";
import { utf8Pieces } from "../strings/text-encoding.ts";
import type { Text } from "../texts/text.ts";
import { TimeFault } from "../time/timestamp.ts";
import type { DateOrder } from "../time/written-time.ts";
import { unguarded } from "./csv-cell.ts";
import { CsvColumns, MISSING } from "./csv-column.ts";
import {
  type CsvDelimiter,
  type CsvDialect,
  type DecimalSign,
  dialectOf,
  isDelimiter,
  UnclearNumber,
} from "./csv-dialect.ts";
import { type ColumnChoice, type CsvLayout, settleLayout } from "./csv-layout.ts";
import { NumberRows } from "./csv-numbers.ts";
import { csvRecords, type TakenRows } from "./csv-records.ts";
import { CsvTimes, SameTimes } from "./csv-times.ts";

/*
 * The only reader of CSV files of sensor data, for the API, the console (which sends its files to the API) and the command line. Each row becomes
 * values with a timestamp, or a reason for refusing it. Values omitted from an accepted row are counted.
 */

export const LINE_BYTES_MAX = 1024 * 1024;
/** Max. bytes up to the end of the header. */
const HEAD_BYTES_MAX = 64 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Options that override the detected layout of a file. */
export interface CsvOptions extends ColumnChoice {
  readonly delimiter?: CsvDelimiter | undefined;
  readonly decimal?: DecimalSign | undefined;
  readonly timezone?: string | undefined;
  readonly dates?: DateOrder | undefined;
  /** Names of the columns, for a file without a header. */
  readonly names?: readonly string[] | undefined;
}

export interface HistoryContext {
  /** Epoch ms. */
  readonly now: number;
  /** Returns whether values that are all numbers need no check under these keys. */
  readonly canHoldNumbers: (keys: readonly string[]) => boolean;
  /** Rows that are read only to detect the format of the columns, and were imported before. */
  readonly skipRows?: number | undefined;
  /** Time of the last row of the previous part of the file, epoch ms. */
  readonly previousTs?: number | undefined;
}

export type HistoryValues = Record<string, number | boolean | string>;

export type HistoryRow =
  | {
      /** Number of the row, from 1; the header does not count. */
      readonly row: number;
      readonly ts: number;
      readonly values: HistoryValues;
      readonly points: number;
      /** True if all values are numbers that need no check. */
      readonly isChecked: boolean;
      /** Value of the device column. */
      readonly device?: string | undefined;
    }
  | { readonly row: number; readonly error: Text };

/** Notes on the whole file. */
export interface HistoryNotes {
  /** Rows with the time of an earlier row. The later value counts. */
  sameTime: number;
  /** Cells such as NA in number columns. */
  missing: number;
  /** Names of the time columns. */
  timeColumns: readonly string[];
  /** Numbers of columns, from 1, that are omitted because they have no name. */
  unnamedColumns: readonly number[];
  /** Time of the last row, epoch ms. */
  lastTs: number | undefined;
}

export const noNotes = (): HistoryNotes => ({
  sameTime: 0,
  missing: 0,
  timeColumns: [],
  unnamedColumns: [],
  lastTs: undefined,
});

interface Head {
  /** Undefined if the file does not specify it. */
  readonly delimiter: CsvDelimiter | undefined;
  readonly header: string;
  /** Header and all following bytes. */
  readonly body: AsyncIterable<Uint8Array>;
}

const SEPARATOR_LINE = /^"?sep=(.)"?$/i;

/** Returns the index after the line end at or after `start`; 0 if there is none. */
function lineEndAfter(bytes: Uint8Array, start: number): number {
  for (let index = start; index < bytes.length; index++) {
    if (bytes[index] === NEWLINE) return index + 1;
    if (bytes[index] === RETURN && index + 1 < bytes.length)
      return bytes[index + 1] === NEWLINE ? index + 2 : index + 1;
  }
  return 0;
}

/** First lines of a file, followed by the file from the newest of them on. */
class FirstLines {
  readonly #iterator: AsyncIterator<Uint8Array>;
  #bytes: Uint8Array = new Uint8Array(0);
  #start = 0;
  /** Index after the most recently read line; 0 if the file ends with it. */
  #end = 0;
  #isComplete = false;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#iterator = pieces[Symbol.asyncIterator]();
  }

  /** Returns the next line; undefined at the end. */
  async next(): Promise<string | undefined> {
    if (this.#isComplete && this.#end === 0) return undefined;
    this.#start = this.#end;
    for (;;) {
      this.#end = lineEndAfter(this.#bytes, this.#start);
      if (this.#end > 0 || this.#isComplete || this.#bytes.length >= HEAD_BYTES_MAX) break;
      const { done, value } = await this.#iterator.next();
      if (done === true) this.#isComplete = true;
      else this.#bytes = this.#bytes.length === 0 ? value : Buffer.concat([this.#bytes, value]);
    }
    if (this.#end === 0) this.#isComplete = true;
    return new TextDecoder()
      .decode(this.#bytes.subarray(this.#start, this.#end || this.#bytes.length))
      .trim();
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    // The line comes alone: rows of numbers are looked for at the beginning of a piece.
    if (this.#end > 0) yield this.#bytes.subarray(this.#start, this.#end);
    yield this.#bytes.subarray(this.#end > 0 ? this.#end : this.#start);
    for (;;) {
      const { done, value } = await this.#iterator.next();
      if (done === true) return;
      yield value;
    }
  }
}

/** Reads up to the header. Skips empty lines, comments and the line that specifies the delimiter for spreadsheets. */
async function readHead(pieces: AsyncIterable<Uint8Array>): Promise<Head> {
  const lines = new FirstLines(pieces);
  let delimiter: CsvDelimiter | undefined;
  let line = await lines.next();
  for (; line !== undefined; line = await lines.next()) {
    const sign = SEPARATOR_LINE.exec(line)?.[1];
    if (sign !== undefined && isDelimiter(sign)) delimiter = sign;
    else if (line !== "" && !line.startsWith("#")) break;
  }
  return { delimiter, header: line ?? "", body: lines.rest() };
}

/** Reads a CSV file. `notes` is complete at the end. */
export async function* csvHistory(
  source: AsyncIterable<Uint8Array>,
  options: CsvOptions,
  context: HistoryContext & { readonly notes: HistoryNotes },
): AsyncGenerator<Iterable<HistoryRow>> {
  const head = await readHead(utf8Pieces(source));
  const { delimiter = head.delimiter } = options;
  const dialect = dialectOf(head.header, { ...options, delimiter });
  const reader = new RowReader(dialect, options, context);
  const form = { delimiter: dialect.delimiter, recordBytesMax: LINE_BYTES_MAX };
  for await (const group of csvRecords(head.body, form, (bytes) => reader.takeNumbers(bytes)))
    yield "rows" in group ? group.rows : reader.rowsOf(group);
  yield reader.rest();
}

/** Converts the records of a CSV file to rows. The first record contains the column names. */
class RowReader {
  readonly #dialect: CsvDialect;
  readonly #options: CsvOptions;
  readonly #context: HistoryContext & { readonly notes: HistoryNotes };
  readonly #columns: CsvColumns;
  readonly #ownTimes = new SameTimes();
  /** Keyed by device, for a file with several devices. */
  readonly #sameTimes = new Map<string, SameTimes>();
  #header: readonly string[] | undefined;
  /** Determined from the first rows. */
  #settled: { readonly layout: CsvLayout; readonly times: CsvTimes } | undefined;
  /** Undefined if rows of numbers need a check, too. */
  #numbers: NumberRows | undefined;
  #row = 0;
  readonly #skipRows: number;

  constructor(
    dialect: CsvDialect,
    options: CsvOptions,
    context: HistoryContext & { readonly notes: HistoryNotes },
  ) {
    this.#dialect = dialect;
    this.#options = options;
    this.#context = context;
    this.#columns = new CsvColumns(dialect);
    this.#header = options.names;
    this.#skipRows = context.skipRows ?? 0;
  }

  *rowsOf(records: Iterable<string[]>): Generator<HistoryRow> {
    for (const cells of records)
      if (this.#header === undefined) this.#header = cells.map(unguarded);
      else yield* this.#read(this.#columns.add(cells));
  }

  *rest(): Generator<HistoryRow> {
    if (this.#header === undefined) throw invalid("import.empty");
    if (this.#settled === undefined) yield* this.#read(this.#columns.rest(), true);
  }

  /** Takes rows of numbers directly. They count as samples of a column like others. */
  takeNumbers(bytes: Uint8Array): TakenRows<HistoryRow> {
    const numbers = this.#numbers;
    if (this.#settled === undefined || numbers === undefined || !this.#columns.areNumbersPlain)
      return { rows: [], end: 0 };
    const { layout, times } = this.#settled;
    const rows: HistoryRow[] = [];
    numbers.open(bytes);
    while (numbers.next()) rows.push(this.#toNumberRow(numbers, layout, times));
    return { rows, end: numbers.position };
  }

  /** Determines the columns from the first rows, which are those of the sample. */
  #settle(header: readonly string[], rows: readonly (readonly string[])[]) {
    const { now, canHoldNumbers, notes } = this.#context;
    const { timezone } = this.#dialect;
    const layout = settleLayout(header, rows, { ...this.#options, now });
    const { timeColumn, clockColumn, names, keys } = layout;
    const times = new CsvTimes(layout, rows, { now, timezone, order: this.#options.dates });
    const columns = clockColumn === undefined ? [timeColumn] : [timeColumn, clockColumn];
    notes.timeColumns = columns.map((column) => names[column] ?? "");
    notes.unnamedColumns = layout.unnamed.map((column) => column + 1);
    const valueKeys = keys.filter((key) => key !== undefined);
    if (clockColumn === undefined && layout.deviceColumn === undefined && canHoldNumbers(valueKeys))
      this.#numbers = new NumberRows({ ...this.#dialect, columns: names.length, timeColumn });
    this.#settled = { layout, times };
    return this.#settled;
  }

  *#read(records: readonly string[][], isEnd = false): Generator<HistoryRow> {
    const [first] = records;
    if (first === undefined && !isEnd) return;
    const { layout, times } = this.#settled ?? this.#settle(this.#header ?? [], records);
    for (const cells of records) {
      const row = this.#toRow(cells, layout, times);
      if (row !== undefined) yield row;
    }
  }

  /** Counts a row. After the rows that were imported before, times continue from the end of that part of the file. */
  #count(times: CsvTimes): number {
    const { previousTs } = this.#context;
    if (this.#row === this.#skipRows && previousTs !== undefined) times.continueFrom(previousTs);
    return ++this.#row;
  }

  #noteTime(row: number, ts: number, device?: string): void {
    if (row <= this.#skipRows) return;
    const times = device === undefined ? this.#ownTimes : this.#timesOf(device);
    if (times.add(ts)) this.#context.notes.sameTime++;
    this.#context.notes.lastTs = ts;
  }

  #timesOf(device: string): SameTimes {
    const times = this.#sameTimes.get(device) ?? new SameTimes();
    this.#sameTimes.set(device, times);
    return times;
  }

  #toRow(cells: readonly string[], layout: CsvLayout, times: CsvTimes): HistoryRow | undefined {
    if (isHeaderAgain(cells, layout.names)) return undefined;
    const row = this.#count(times);
    const { names, deviceColumn } = layout;
    const beyond =
      cells.length > names.length ? cells.slice(names.length).find((cell) => cell !== "") : undefined;
    if (beyond !== undefined) return { row, error: tooManyCells(beyond, names.length) };
    const read = this.#valuesOf(cells, layout);
    if ("code" in read) return { row, error: read };
    const time = times.textOf(cells);
    const ts = times.read(time);
    if (ts instanceof TimeFault) return { row, error: timeError(time, ts) };
    const device = deviceColumn === undefined ? undefined : (cells[deviceColumn] ?? "");
    this.#noteTime(row, ts, device);
    return { row, ts, values: read.values, points: read.points, isChecked: false, device };
  }

  /** Returns the values of a row, or the reason of its refusal. */
  #valuesOf(cells: readonly string[], { keys }: CsvLayout): { values: HistoryValues; points: number } | Text {
    const values: HistoryValues = Object.create(null); // a column may be named __proto__
    let points = 0;
    for (let column = 0; column < keys.length; column++) {
      const key = keys[column];
      const cell = cells[column];
      if (key === undefined || cell === undefined) continue;
      const value = this.#columns.read(cell, column);
      if (value instanceof UnclearNumber)
        return detail("import_error.value", { name: excerpt(key), rule: reasonOf(value) });
      if (value === MISSING) this.#context.notes.missing++;
      if (value === undefined || value === MISSING) continue;
      values[key] = value;
      points++;
    }
    return { values, points };
  }

  #toNumberRow({ cells, decimals, time }: NumberRows, { keys }: CsvLayout, times: CsvTimes): HistoryRow {
    const row = this.#count(times);
    const values: Record<string, number> = Object.create(null);
    let points = 0;
    for (let index = 0; index < cells.length; index++) {
      const number = cells[index] ?? Number.NaN;
      if (Number.isNaN(number)) continue;
      this.#columns.observeNumber(index, (decimals[index] ?? 0) > 0);
      const key = keys[index];
      if (key === undefined) continue;
      values[key] = number;
      points++;
    }
    const ts = times.read(time);
    if (ts instanceof TimeFault) return { row, error: timeError(String(time), ts) };
    this.#noteTime(row, ts);
    return { row, ts, values, points, isChecked: points > 0 };
  }
}

const reasonOf = ({ rule, isAboutSign }: UnclearNumber): Text =>
  isAboutSign ? detail("import_error.sign_unclear", { rule }) : rule;

const tooManyCells = (cell: string, columns: number): Text =>
  detail("import_error.too_many_cells", { cell: excerpt(cell), columns });

/** Returns whether a row repeats the header, as in concatenated files. */
const isHeaderAgain = (cells: readonly string[], names: readonly string[]): boolean =>
  cells[0] === names[0] &&
  cells.length === names.length &&
  cells.every((cell, index) => cell === names[index]);

export function timeError(time: string, { reason }: TimeFault): Text {
  const cell = excerpt(time);
  if (reason.code === "telemetry.ts_invalid") return detail("import_error.time_invalid", { cell });
  return detail("import_error.time", { cell, reason });
}
