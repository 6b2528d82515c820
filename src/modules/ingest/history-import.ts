import { unguarded } from "../../lib/csv-cell.ts";
import { CsvColumns } from "../../lib/csv-column.ts";
import { type CsvDialect, createCsvClock, dialectOf, UnclearNumber } from "../../lib/csv-dialect.ts";
import { DomainError, detail, inEnglish, invalid } from "../../lib/domain-error.ts";
import { excerpt, reasonExcerpt } from "../../lib/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";

/*
 * History with time stamps of its own, from CSV or NDJSON, as a stream: read in batches, each on the disk before the next is read, so
 * that memory stays bounded and an interrupted import can go on where it stopped. Repeating rows overwrites them with themselves.
 */

const BATCH_READINGS = 1_000;
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

/** A row as the device's own body would have it. */
type Row = { readonly row: number; readonly body: unknown } | { readonly row: number; readonly error: Text };

const HEAD_BYTES_MAX = 64 * 1024;

/** The first line, as far as it tells the dialect, and the whole body again. */
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
  async function* whole() {
    yield* first;
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true || value === undefined) return;
      yield value;
    }
  }
  return { head: new TextDecoder().decode(Buffer.concat(first)), body: whole() };
}

async function* csvRows(
  source: ReadableStream<Uint8Array>,
  input: Parameters<typeof dialectOf>[1],
): AsyncGenerator<Row> {
  const { parse } = await import("csv-parse"); // by the few who import, not at every start
  const { head, body } = await withHead(source);
  const dialect = dialectOf(head, input);
  const parser = parse({
    delimiter: dialect.delimiter,
    bom: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: LINE_BYTES_MAX,
  });
  const feed = (async () => {
    for await (const chunk of body)
      if (!parser.write(chunk)) await new Promise((resolve) => parser.once("drain", resolve));
    parser.end();
  })();
  feed.catch((error: Error) => parser.destroy(error));
  let reader: ReturnType<typeof rowReader> | undefined;
  let row = 0;
  for await (const cells of parser as AsyncIterable<string[]>) {
    if (reader === undefined) reader = rowReader(cells.map(unguarded), dialect);
    else for (const ready of reader.columns.add(cells)) yield reader.toRow(++row, ready);
  }
  if (reader !== undefined) for (const ready of reader.columns.rest()) yield reader.toRow(++row, ready);
  await feed;
}

const reasonOf = ({ rule, isAboutSign }: UnclearNumber): Text =>
  isAboutSign ? detail("import_error.sign_unclear", { rule }) : rule;

/** Turns the rows of a CSV file into bodies. */
function rowReader(names: readonly string[], dialect: CsvDialect) {
  const timeColumn = names.findIndex((name) => TIME_COLUMNS.includes(name.toLowerCase()));
  if (timeColumn < 0) throw invalid("import.time_missing", { timeColumns: TIME_COLUMNS.join(", ") });
  const columns = new CsvColumns(dialect);
  const timeOf = createCsvClock(dialect.timezone);

  function toRow(row: number, cells: readonly string[]): Row {
    if (cells.length > names.length) return { row, error: detail("import_error.too_many_cells") };
    const values: [string, unknown][] = [];
    for (const [index, cell] of cells.entries()) {
      if (index === timeColumn) continue;
      const value = columns.read(cell, index);
      const name = names[index] ?? "";
      if (value instanceof UnclearNumber)
        return { row, error: detail("import_error.value", { name: excerpt(name), rule: reasonOf(value) }) };
      if (value !== undefined) values.push([name, value]);
    }
    return { row, body: { ts: timeOf(cells[timeColumn] ?? ""), values: Object.fromEntries(values) } };
  }
  return { columns, toRow };
}

async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  /** Pieces of the line that has not ended yet: joined once, however small the chunks are. */
  let pieces: string[] = [];
  let pieceCharacters = 0;
  for await (const chunk of body) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    pieces.push(first);
    pieceCharacters += first.length;
    if (pieceCharacters > LINE_BYTES_MAX) throw invalid("import.line_too_long", { max: LINE_BYTES_MAX });
    const last = others.pop();
    if (last === undefined) continue;
    yield pieces.join("");
    yield* others;
    pieces = [last];
    pieceCharacters = last.length;
  }
  yield pieces.join("") + decoder.decode();
}

async function* ndjsonRows(body: ReadableStream<Uint8Array>): AsyncGenerator<Row> {
  let row = 0;
  for await (const line of lines(body)) {
    if (line.trim() === "") continue;
    row++;
    try {
      yield { row, body: JSON.parse(line) };
    } catch {
      yield { row, error: detail("import_error.line_not_json") };
    }
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
  /** Resolves when the readings are on the disk. */
  store(readings: readonly Reading[]): Promise<void>;
}

/** Runs an import; every batch that is on the disk is reported, the result comes last. */
export async function* runImport(
  source: ImportSource,
  target: ImportTarget,
): AsyncGenerator<ImportProgress, ImportResult> {
  const rows = source.format === "csv" ? csvRows(source.body, source.dialect ?? {}) : ndjsonRows(source.body);
  const errors: RowFailure[] = [];
  const counts = { rows: 0, points: 0, failed: 0 };
  let batch: Reading[] = [];

  const refuse = (row: number, { code, params }: Text) => {
    counts.failed++;
    if (errors.length < ERRORS_LISTED_MAX)
      errors.push({ row, message: inEnglish({ code, params }), code, params });
  };
  const take = (entry: Row) => {
    counts.rows++;
    if ("error" in entry) return refuse(entry.row, entry.error);
    try {
      batch.push(...target.decode(entry.body));
    } catch (error) {
      if (!(error instanceof DomainError) || !["invalid", "too_large"].includes(error.kind)) throw error;
      refuse(entry.row, error);
    }
  };
  const flush = async () => {
    await target.store(batch);
    for (const { values } of batch) counts.points += Object.keys(values).length;
    batch = [];
  };

  for await (const entry of readable(rows)) {
    if (entry.row <= source.skipRows) continue;
    take(entry);
    if (batch.length < BATCH_READINGS) continue;
    await flush();
    yield { ...counts };
  }
  if (batch.length > 0) await flush();
  return { success: counts.failed === 0, ...counts, errors };
}

/** Returns what the parsers throw of bad input becomes an error that the caller may see. */
async function* readable(rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (error instanceof TypeError) throw invalid("import.not_utf8");
    throw invalid("import.malformed", { reason: error instanceof Error ? reasonExcerpt(error.message) : "" });
  }
}
