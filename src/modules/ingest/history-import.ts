import { setImmediate } from "node:timers/promises";
import { unguarded } from "../../lib/csv-cell.ts";
import { CsvColumns } from "../../lib/csv-column.ts";
import { type CsvDialect, createCsvClock, dialectOf, UnclearNumber } from "../../lib/csv-dialect.ts";
import { NumberRows } from "../../lib/csv-numbers.ts";
import { csvRecords, slicesOf, type TakenRows } from "../../lib/csv-records.ts";
import { DomainError, detail, inEnglish, invalid } from "../../lib/domain-error.ts";
import { excerpt, reasonExcerpt } from "../../lib/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { checkValues } from "./readings.ts";

/*
 * History with time stamps of its own, from CSV or NDJSON, as a stream: read in batches, each on the disk before the next is read, so
 * that memory stays bounded and an interrupted import can go on where it stopped. Repeating rows overwrites them with themselves.
 */

/** Values of a batch: enough that its commit is no more than a part of the time, few enough that it takes the storage worker some ms. */
const BATCH_VALUES = 30_000;
/** Rows after which the event loop may turn, stored or refused. */
const BATCH_ROWS = 5_000;
/** Time after which the event loop turns within a batch: rows with thousands of cells take a ms each. */
const TURN_MS = 20;
const LINE_BYTES_MAX = 1024 * 1024;
const ERRORS_LISTED_MAX = 100;
const TIME_COLUMNS = ["ts", "time", "timestamp", "date", "datetime", "zeit", "zeitstempel", "datum"];

export type HistoryFormat = "csv" | "ndjson";

export interface ImportProgress {
  /** Rows read so far, refused ones included, the header not. */
  readonly rows: number;
  readonly points: number;
  readonly failed: number;
}

export interface RowFailure extends Text {
  readonly row: number;
  /** The text in English. */
  readonly message: string;
}

export interface ImportResult extends ImportProgress {
  readonly success: boolean;
  /** The first hundred rows that were refused; rows count from 1. */
  readonly errors: readonly RowFailure[];
}

/**
 * A row as the device's own body would have it, or as values that need no check and their number; `time` is the cell that its time stamp was
 * read from.
 */
type Row =
  | { readonly row: number; readonly body: unknown; readonly time?: string }
  | {
      readonly row: number;
      readonly ts: number | string;
      readonly values: Reading["values"];
      readonly points: number;
      readonly time: number | string;
    }
  | { readonly row: number; readonly error: Text };

const HEAD_BYTES_MAX = 64 * 1024;

/** Returns the first line, as far as it tells the dialect, and the whole body again, of which that line comes alone. */
async function withHead(body: ReadableStream<Uint8Array>) {
  const iterator = body[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await iterator.next();
    if (done === true || value === undefined) break;
    first.push(value);
    size += value.length;
    if (size >= HEAD_BYTES_MAX || value.includes(0x0a)) break;
  }
  const start = Buffer.concat(first);
  const lineEnd = start.indexOf(0x0a) + 1;
  async function* whole() {
    yield start.subarray(0, lineEnd);
    yield start.subarray(lineEnd);
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true || value === undefined) return;
      yield value;
    }
  }
  return { head: new TextDecoder().decode(start.subarray(0, HEAD_BYTES_MAX)), body: whole() };
}

async function* csvRows(
  source: ReadableStream<Uint8Array>,
  input: Parameters<typeof dialectOf>[1],
): AsyncGenerator<Iterable<Row>> {
  const { head, body } = await withHead(source);
  const dialect = dialectOf(head, input);
  const reader = rowReader(dialect);
  const options = { delimiter: dialect.delimiter, recordBytesMax: LINE_BYTES_MAX };
  for await (const group of csvRecords(body, options, reader.takeNumbers))
    yield "rows" in group ? group.rows : reader.rowsOf(group);
  yield reader.rest();
}

const reasonOf = ({ rule, isAboutSign }: UnclearNumber): Text =>
  isAboutSign ? detail("import_error.sign_unclear", { rule }) : rule;

/** Returns whether a row has no need to be checked if all of its values are numbers. */
function canHoldNumbers(keys: readonly string[]): boolean {
  try {
    const values = Object.fromEntries(keys.map((key) => [key, 0]));
    return new Set(keys).size === keys.length && checkValues(values) !== undefined;
  } catch {
    return false;
  }
}

/** Turns the records of a CSV file, the first of which has the names of the columns, into bodies. */
function rowReader(dialect: CsvDialect) {
  const columns = new CsvColumns(dialect);
  const timeOf = createCsvClock(dialect.timezone);
  let names: readonly string[] | undefined;
  let timeColumn = -1;
  /** Undefined where rows of numbers would have to be checked too. */
  let numbers: NumberRows | undefined;
  let row = 0;

  function readHeader(cells: readonly string[]): readonly string[] {
    const found = cells.map(unguarded);
    timeColumn = found.findIndex((name) => TIME_COLUMNS.includes(name.toLowerCase()));
    if (timeColumn < 0) throw invalid("import.time_missing", { timeColumns: TIME_COLUMNS.join(", ") });
    if (canHoldNumbers(found.toSpliced(timeColumn, 1)))
      numbers = new NumberRows({ ...dialect, columns: found.length, timeColumn });
    return found;
  }

  function toRow(header: readonly string[], cells: readonly string[]): Row {
    row++;
    if (cells.length > header.length) return { row, error: detail("import_error.too_many_cells") };
    const values: Record<string, unknown> = Object.create(null); // a column may be named __proto__
    let index = -1;
    for (const cell of cells) {
      if (++index === timeColumn) continue;
      const value = columns.read(cell, index);
      const name = header[index] ?? "";
      if (value instanceof UnclearNumber)
        return { row, error: detail("import_error.value", { name: excerpt(name), rule: reasonOf(value) }) };
      if (value !== undefined) values[name] = value;
    }
    const time = cells[timeColumn] ?? "";
    return { row, body: { ts: timeOf(time), values }, time };
  }

  /** Takes rows of numbers as they are. They count for what a column shows like any others. */
  function takeNumbers(bytes: Uint8Array, hasReturns: boolean): TakenRows<Row> {
    if (names === undefined || numbers === undefined || columns.isHolding) return { rows: [], end: 0 };
    const rows: Row[] = [];
    numbers.open(bytes, hasReturns);
    while (numbers.next()) rows.push(toNumberRow(names, numbers));
    const separators = rows.length * (names.length + (hasReturns ? 1 : 0));
    columns.addNumberRows(rows.length, numbers.position - separators);
    return { rows, end: numbers.position };
  }

  function toNumberRow(header: readonly string[], { cells, decimals, time }: NumberRows): Row {
    const values: Record<string, number> = Object.create(null);
    let points = 0;
    for (let index = 0; index < cells.length; index++) {
      const number = cells[index] ?? Number.NaN;
      if (Number.isNaN(number)) continue;
      values[header[index] ?? ""] = number;
      points++;
      columns.observeNumber(index, (decimals[index] ?? 0) > 0);
    }
    return { row: ++row, ts: typeof time === "number" ? time : timeOf(time), values, points, time };
  }

  function* rowsOf(records: Iterable<string[]>): Generator<Row> {
    for (const cells of records)
      if (names === undefined) names = readHeader(cells);
      else for (const ready of columns.add(cells)) yield toRow(names, ready);
  }

  function* rest(): Generator<Row> {
    if (names !== undefined) for (const ready of columns.rest()) yield toRow(names, ready);
  }
  return { takeNumbers, rowsOf, rest };
}

/** Reads the lines, in groups. */
async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  /** Pieces of the line that has not ended yet: joined once, however small the chunks are. */
  let pieces: string[] = [];
  let pieceCharacters = 0;
  for await (const chunk of slicesOf(body)) {
    const group = decoder.decode(chunk, { stream: true }).split("\n");
    const [first = ""] = group;
    pieces.push(first);
    pieceCharacters += first.length;
    if (pieceCharacters > LINE_BYTES_MAX) throw invalid("import.line_too_long", { max: LINE_BYTES_MAX });
    if (group.length === 1) continue;
    const last = group.pop() ?? "";
    group[0] = pieces.join("");
    yield group;
    pieces = [last];
    pieceCharacters = last.length;
  }
  yield [pieces.join("") + decoder.decode()];
}

async function* ndjsonRows(body: ReadableStream<Uint8Array>): AsyncGenerator<Iterable<Row>> {
  let row = 0;
  function* rowsOf(group: readonly string[]): Generator<Row> {
    for (const line of group) {
      if (line.trim() === "") continue;
      row++;
      yield { row, ...parsed(line) };
    }
  }
  for await (const group of lines(body)) yield rowsOf(group);
}

function parsed(line: string): { readonly body: unknown } | { readonly error: Text } {
  try {
    return { body: JSON.parse(line) };
  } catch {
    return { error: detail("import_error.line_not_json") };
  }
}

export interface ImportSource {
  readonly body: ReadableStream<Uint8Array>;
  readonly format: HistoryFormat;
  /** Properties of a CSV file that its header does not tell. */
  readonly dialect?: Parameters<typeof dialectOf>[1] | undefined;
  /** Rows to leave out at the start: those that an earlier, interrupted import has done. */
  readonly skipRows: number;
}

export interface ImportTarget {
  /** Readings of one body; throws `invalid` with what is wrong. Rows without a time stamp are refused. */
  decode(body: unknown): Reading[];
  /** Returns a time as epoch ms, and throws like `decode`. */
  timestamp(time: number | string): number;
  /** Resolves when the readings are on the disk. */
  store(readings: readonly Reading[]): Promise<void>;
}

/** Returns why a row is refused; throws what is no mistake of the row. */
function refusalOf(error: unknown, time: number | string | undefined): Text {
  if (!(error instanceof DomainError) || !["invalid", "too_large"].includes(error.kind)) throw error;
  if (time === undefined || !error.code.startsWith("telemetry.ts_")) return error;
  const cell = excerpt(String(time));
  if (error.code === "telemetry.ts_invalid") return detail("import_error.time_invalid", { cell });
  return detail("import_error.time", { cell, reason: { code: error.code, params: error.params } });
}

/** Collects the readings of rows until there are enough for a commit, and counts the rows. */
class ImportBatch {
  readonly counts = { rows: 0, points: 0, failed: 0 };
  readonly errors: RowFailure[] = [];
  readonly #target: ImportTarget;
  readonly #skipRows: number;
  #readings: Reading[] = [];
  #values = 0;
  #rows = 0;

  constructor(target: ImportTarget, skipRows: number) {
    this.#target = target;
    this.#skipRows = skipRows;
  }

  get isFull(): boolean {
    return this.#values >= BATCH_VALUES || this.#rows >= BATCH_ROWS;
  }

  /** Returns `true` at the end of the entries. It ends before where the batch is full or the event loop shall turn. */
  take(entries: Iterator<Row>, turnEndMs: number): boolean {
    while (!this.isFull && performance.now() < turnEndMs) {
      const { done, value } = entries.next();
      if (done === true) return true;
      this.#takeRow(value);
    }
    return false;
  }

  /** Returns the readings, which count as points from now on. */
  empty(): readonly Reading[] {
    const readings = this.#readings;
    this.counts.points += this.#values;
    [this.#readings, this.#values, this.#rows] = [[], 0, 0];
    return readings;
  }

  #takeRow(entry: Row): void {
    if (entry.row <= this.#skipRows) return;
    this.counts.rows++;
    this.#rows++;
    if ("error" in entry) {
      this.#refuse(entry.row, entry.error);
      return;
    }
    try {
      if ("values" in entry)
        this.#add({ ts: this.#target.timestamp(entry.ts), values: entry.values }, entry.points);
      else
        for (const reading of this.#target.decode(entry.body))
          this.#add(reading, Object.keys(reading.values).length);
    } catch (error) {
      this.#refuse(entry.row, refusalOf(error, entry.time));
    }
  }

  #add(reading: Reading, values: number): void {
    this.#readings.push(reading);
    this.#values += values;
  }

  #refuse(row: number, { code, params }: Text): void {
    this.counts.failed++;
    if (this.errors.length < ERRORS_LISTED_MAX)
      this.errors.push({ row, message: inEnglish({ code, params }), code, params });
  }
}

/** Runs an import; every batch that is on the disk is reported, the result comes last. */
export async function* runImport(
  source: ImportSource,
  target: ImportTarget,
): AsyncGenerator<ImportProgress, ImportResult> {
  const rows = source.format === "csv" ? csvRows(source.body, source.dialect ?? {}) : ndjsonRows(source.body);
  const batch = new ImportBatch(target, source.skipRows);
  const { counts, errors } = batch;
  let onDisk: ImportProgress = { ...counts };
  /** The commit that is in progress while the next rows are read. */
  let commit = Promise.resolve();
  const flush = async () => {
    const readings = batch.empty();
    const reached = { ...counts };
    await commit;
    commit = (readings.length === 0 ? setImmediate() : target.store(readings)).then(() => {
      onDisk = reached;
    });
    commit.catch(() => undefined); // whoever waits for it next hears of it
  };

  let turnEndMs = performance.now() + TURN_MS;
  for await (const group of readable(rows)) {
    const entries = group[Symbol.iterator]();
    while (!batch.take(entries, turnEndMs)) {
      if (performance.now() >= turnEndMs) {
        await setImmediate();
        turnEndMs = performance.now() + TURN_MS;
      }
      if (!batch.isFull) continue;
      await flush();
      if (onDisk.rows > 0) yield onDisk;
    }
  }
  await flush();
  await commit;
  return { success: counts.failed === 0, ...counts, errors };
}

/** Returns what the parsers throw of bad input becomes an error that the caller may see. */
async function* readable(groups: AsyncGenerator<Iterable<Row>>): AsyncGenerator<Iterable<Row>> {
  try {
    yield* groups;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (error instanceof TypeError) throw invalid("import.not_utf8");
    throw invalid("import.malformed", { reason: error instanceof Error ? reasonExcerpt(error.message) : "" });
  }
}
