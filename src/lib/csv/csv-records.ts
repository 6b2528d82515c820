import { setImmediate } from "node:timers/promises";
import { invalid } from "../core/domain-error.ts";
import type { CsvDelimiter } from "./csv-dialect.ts";

/** Bytes parsed before the event loop gets a turn: 30 ms of csv-parse for short records. */
const SLICE_BYTES = 16 * 1024;
/** Kept bytes of an incomplete line. */
const HELD_BYTES_MAX = 1024;
const NEWLINE = 10;

/** Max. columns of a file. Preparing many more would block the event loop before the first row. */
export const CSV_COLUMNS_MAX = 1_000;

/** Max. records of csv-parse per group. */
const GROUP_MAX = 500;

export interface CsvRecordOptions {
  readonly delimiter: CsvDelimiter;
  /** Max. bytes of a record. A larger one is malformed. */
  readonly recordBytesMax: number;
}

/** Rows parsed directly from bytes. */
export interface TakenRows<Row> {
  readonly rows: readonly Row[];
  /** Index of the first remaining byte. */
  readonly end: number;
}

/** Parses as many rows as possible from bytes that start with a row. */
export type RowTaker<Row> = (bytes: Uint8Array) => TakenRows<Row>;

const nothingTaken: TakenRows<never> = { rows: [], end: 0 };

/** Trims a cell. Nearly all cells begin and end with a letter, a digit or a sign. */
function trimmed(cell: string): string {
  const first = cell.charCodeAt(0);
  const last = cell.charCodeAt(cell.length - 1);
  return first > 32 && first < 127 && last > 32 && last < 127 ? cell : cell.trim();
}

function ensureColumns({ length }: readonly string[]): void {
  if (length > CSV_COLUMNS_MAX) throw invalid("import.too_many_columns", { max: CSV_COLUMNS_MAX });
}

/** Splits records without quotes. Skips empty lines. @throws DomainError `import.too_many_columns` */
function* split(lines: readonly string[], delimiter: string): Generator<string[]> {
  for (const line of lines) {
    const cells = line.split(delimiter, CSV_COLUMNS_MAX + 1);
    ensureColumns(cells);
    for (let index = 0; index < cells.length; index++) cells[index] = trimmed(cells[index] ?? "");
    if (cells.length > 1 || cells[0] !== "") yield cells;
  }
}

/** Returns the lines of a text with any line ending. */
const linesOf = (text: string): string[] =>
  text.includes("\r") ? text.split(/\r\n|\n|\r/) : text.split("\n");

/** Yields a body in slices. The event loop gets a turn before each slice, even if the whole body has arrived. */
export async function* slicesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body)
    for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
      await setImmediate();
      yield chunk.subarray(start, start + SLICE_BYTES);
    }
}

/** Yields a body in slices that start at line starts, except within long lines. Each slice is valid until the next one is requested. */
async function* lineSlicesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  /** The incomplete line, followed by the next slice. */
  const bytes = new Uint8Array(HELD_BYTES_MAX + SLICE_BYTES);
  let held = 0;
  let isWithinLine = false;
  for await (const slice of slicesOf(body)) {
    bytes.set(slice, held);
    const length = held + slice.length;
    const lineEnd = bytes.lastIndexOf(NEWLINE, length - 1) + 1;
    const isHeld: boolean = length - lineEnd <= HELD_BYTES_MAX && (lineEnd > 0 || !isWithinLine);
    const end: number = isHeld ? lineEnd : length;
    if (end > 0) yield bytes.subarray(0, end);
    isWithinLine = end > lineEnd;
    bytes.copyWithin(0, end, length);
    held = length - end;
  }
  if (held > 0) yield bytes.subarray(0, held);
}

/**
 * Reads the records of a CSV file in UTF-8, in groups. Rows that `takeRows` takes are not split. Records without quotes are split directly, six
 * times as fast as by csv-parse. From the first quote on, csv-parse reads the file and decides on malformed records. Line endings LF, CR LF and CR
 * may be mixed.
 * @throws DomainError `import.too_many_columns`
 */
export async function* csvRecords<Row>(
  body: AsyncIterable<Uint8Array>,
  options: CsvRecordOptions,
  takeRows: RowTaker<Row>,
): AsyncGenerator<Iterable<string[]> | TakenRows<Row>> {
  const { delimiter, recordBytesMax } = options;
  const decoder = new TextDecoder();
  const pieces = lineSlicesOf(body);
  /** Decoded text that is not split yet: the start of the last record. */
  let rest = "";
  let isAtLine = false;
  for await (const piece of pieces) {
    const taken = isAtLine && rest === "" ? takeRows(piece) : nothingTaken;
    if (taken.rows.length > 0) yield taken;
    isAtLine = piece.at(-1) === NEWLINE;
    const text = decoder.decode(piece.subarray(taken.end), { stream: true });
    rest += text;
    // A tab is both a delimiter and white space to be trimmed.
    const isSimple = delimiter !== "\t" && !text.includes('"');
    if (!isSimple || rest.length > recordBytesMax) {
      yield* parsed(rest, pieces, { ...options, decoder });
      return;
    }
    // However small the pieces of a long line are, it is searched once.
    const lineEnd = text.includes("\n") ? rest.lastIndexOf("\n") : -1;
    if (lineEnd < 0) continue;
    const lines = linesOf(rest.slice(0, lineEnd));
    rest = rest.slice(lineEnd + 1);
    yield split(lines, delimiter);
  }
  rest += decoder.decode();
  yield split(linesOf(rest), delimiter);
}

interface Handover extends CsvRecordOptions {
  readonly decoder: TextDecoder;
}

/** Reads the remaining text with csv-parse. `rest` starts with a record. */
async function* parsed(
  rest: string,
  pieces: AsyncIterable<Uint8Array>,
  { delimiter, recordBytesMax, decoder }: Handover,
): AsyncGenerator<Iterable<string[]>> {
  // csv-parse takes too long for a long line of delimiters.
  if (!rest.includes('"')) ensureColumns((linesOf(rest).at(-1) ?? "").split(delimiter, CSV_COLUMNS_MAX + 1));
  const { parse } = await import("csv-parse"); // loaded when needed, not at every start
  const parser = parse({
    delimiter,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: recordBytesMax,
    record_delimiter: ["\r\n", "\n", "\r"],
  });
  const write = async (text: string) => {
    if (!parser.write(text)) await new Promise((resolve) => parser.once("drain", resolve));
  };
  const feed = (async () => {
    await write(rest);
    for await (const piece of pieces) await write(decoder.decode(piece, { stream: true }));
    await write(decoder.decode());
    parser.end();
  })();
  feed.catch((error: Error) => parser.destroy(error));
  for await (const first of parser as AsyncIterable<string[]>) {
    const group = [first];
    for (
      let record = parser.read();
      record !== null;
      record = group.length < GROUP_MAX ? parser.read() : null
    )
      group.push(record);
    for (const cells of group) ensureColumns(cells);
    yield group;
  }
  await feed;
}
