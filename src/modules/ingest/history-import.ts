import { setImmediate } from "node:timers/promises";
import { DomainError, detail, inEnglish, invalid, toText } from "../../lib/core/domain-error.ts";
import type { HistoryFormat } from "../../lib/csv/history-format.ts";
import { historyLines, type LineGroup } from "../../lib/csv/history-lines.ts";
import {
  type CsvOptions,
  csvHistory,
  type HistoryContext,
  type HistoryNotes,
  type HistoryRow,
  type HistoryValues,
  noNotes,
} from "../../lib/csv/history-rows.ts";
import { ensureLineShape } from "../../lib/json/json-shape.ts";
import { parseJson } from "../../lib/json/sent-json.ts";
import { reasonExcerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { checkValues } from "./readings.ts";

/*
 * Imports history with timestamps from CSV or NDJSON as a stream. Each batch is on disk before the next batch is stored, so that memory stays
 * bounded and an interrupted import can continue where it stopped. Importing rows twice changes nothing.
 */

/** Max. values of a batch: enough to amortize its commit, few enough for some ms in the storage worker. */
const BATCH_VALUES = 30_000;
/** Rows, stored or refused, after which the event loop may turn. */
const BATCH_ROWS = 5_000;
/** Time in ms after which the event loop turns within a batch: rows with thousands of cells take a ms each. */
const TURN_MS = 20;
/** Rows between reads of the clock, which take as long as checking a short row. */
const ROWS_PER_LOOK = 4;
const ERRORS_LISTED_MAX = 100;
const LINE_EXAMPLE = '{"ts":1767225600000,"values":{"temperature":21.5}}';

export interface ImportProgress {
  /** Rows read so far, including refused ones but not the header. */
  readonly rows: number;
  readonly points: number;
  readonly failed: number;
}

export interface RowFailure extends Text {
  readonly row: number;
  /** Message in English. */
  readonly message: string;
}

export interface ImportResult extends ImportProgress, HistoryNotes {
  readonly success: boolean;
  /** First hundred refused rows; rows count from 1. */
  readonly errors: readonly RowFailure[];
  /** Time of the newest stored row, epoch ms. */
  readonly newestTs: number | undefined;
}

/** Row of a CSV file, or a line in the form of a device message. */
type Row = HistoryRow | { readonly row: number; readonly body: unknown };

/** Returns whether rows with these keys and only numeric values are always valid. */
function canHoldNumbers(keys: readonly string[]): boolean {
  try {
    return checkValues(Object.fromEntries(keys.map((key) => [key, 0]))) !== undefined;
  } catch {
    return false;
  }
}

async function* ndjsonRows(body: ReadableStream<Uint8Array>): AsyncGenerator<Iterable<Row>> {
  let row = 0;
  function* rowsOf({ lines, hasLongInteger }: LineGroup): Generator<Row> {
    for (const line of lines) {
      if (line.trim() === "") continue;
      const body = parsed(line, hasLongInteger);
      if (!Array.isArray(body)) yield toRow(++row, body);
      else for (const item of body) yield { row: ++row, body: item };
    }
  }
  for await (const group of historyLines(body)) yield rowsOf(group);
}

const notJson = detail("import_error.line_not_json", { example: LINE_EXAMPLE });

const toRow = (row: number, body: unknown): Row =>
  body instanceof Unread ? { row, error: body.error } : { row, body };

/** Unreadable line. */
class Unread {
  constructor(readonly error: Text) {}
}

/** Returns the value of a line, or the reason why it is unreadable. */
function parsed(line: string, hasLongInteger: boolean): unknown {
  try {
    ensureLineShape(line);
    return hasLongInteger ? parseJson(line) : JSON.parse(line);
  } catch (error) {
    return new Unread(error instanceof DomainError ? toText(error) : notJson);
  }
}

export interface ImportSource {
  readonly body: ReadableStream<Uint8Array>;
  readonly format: HistoryFormat;
  /** Properties of a CSV file that its header does not define. */
  readonly csv?: CsvOptions | undefined;
  /** Rows to skip at the start, already done by an interrupted import. */
  readonly skipRows: number;
  /** Time of the last row of the previous part of the file, epoch ms. */
  readonly previousTs?: number | undefined;
}

export interface ImportTarget {
  /** Epoch ms. */
  readonly now: number;
  /** Returns the readings of one body; rows without a timestamp are refused. @throws DomainError `invalid` */
  decode(body: unknown): Reading[];
  /** Resolves when the readings are on disk. */
  store(readings: readonly Reading[]): Promise<void>;
}

/** Returns the reason why a row is refused; rethrows errors that the row did not cause. */
function refusalOf(error: unknown): Text {
  if (!(error instanceof DomainError) || !["invalid", "too_large"].includes(error.kind)) throw error;
  return error;
}

/** Returns the storable values of a row; undefined if there are none. @throws DomainError */
const checkedValues = (values: HistoryValues, isChecked: boolean): Reading["values"] | undefined =>
  isChecked ? values : checkValues(values);

/** Collects the readings of rows for a commit, and counts the rows. */
class ImportBatch {
  readonly counts = { rows: 0, points: 0, failed: 0 };
  readonly errors: RowFailure[] = [];
  /** Time of the newest accepted row, epoch ms. */
  newestTs: number | undefined;
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

  /** Takes rows until the batch is full or the turn is over. Returns true at the end of the entries. */
  take(entries: Iterator<Row>, turnEndMs: number): boolean {
    for (let count = 0; !this.isFull; count++) {
      if (count % ROWS_PER_LOOK === 0 && performance.now() >= turnEndMs) break;
      const { done, value } = entries.next();
      if (done === true) return true;
      this.#takeRow(value);
    }
    return false;
  }

  /** Empties the batch and returns its readings, which are counted as stored points. */
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
      this.#addRow(entry);
    } catch (error) {
      this.#refuse(entry.row, refusalOf(error));
    }
  }

  #addRow(entry: Exclude<Row, { readonly error: Text }>): void {
    if ("body" in entry) {
      for (const reading of this.#target.decode(entry.body))
        this.#add(reading, Object.keys(reading.values).length);
      return;
    }
    const values = checkedValues(entry.values, entry.isChecked);
    if (values !== undefined) this.#add({ ts: entry.ts, values }, entry.points);
  }

  #add(reading: Reading, values: number): void {
    this.#readings.push(reading);
    if (this.newestTs === undefined || reading.ts > this.newestTs) this.newestTs = reading.ts;
    this.#values += values;
  }

  #refuse(row: number, { code, params }: Text): void {
    this.counts.failed++;
    if (this.errors.length < ERRORS_LISTED_MAX)
      this.errors.push({ row, message: inEnglish({ code, params }), code, params });
  }
}

function csvRows(
  { body, csv = {}, skipRows, previousTs }: ImportSource,
  { now }: ImportTarget,
  notes: HistoryNotes,
): AsyncGenerator<Iterable<HistoryRow>> {
  const context: HistoryContext = { now, canHoldNumbers, skipRows, previousTs };
  return csvHistory(body, csv, { ...context, notes });
}

/** Runs an import. Yields progress after each batch on disk, and returns the result. */
export async function* runImport(
  source: ImportSource,
  target: ImportTarget,
): AsyncGenerator<ImportProgress, ImportResult> {
  const notes = noNotes();
  const rows = source.format === "csv" ? csvRows(source, target, notes) : ndjsonRows(source.body);
  const batch = new ImportBatch(target, source.skipRows);
  const { counts, errors } = batch;
  let onDisk: ImportProgress = { ...counts };
  /** Commit in progress while the next rows are read. */
  let commit = Promise.resolve();
  const flush = async () => {
    const readings = batch.empty();
    const reached = { ...counts };
    await commit;
    commit = (readings.length === 0 ? setImmediate() : target.store(readings)).then(() => {
      onDisk = reached;
    });
    commit.catch(() => undefined); // the next `await` throws it
  };

  let turnEndMs = performance.now() + TURN_MS;
  for await (const group of readable(rows)) {
    const entries = group[Symbol.iterator]();
    while (!batch.take(entries, turnEndMs)) {
      if (performance.now() >= turnEndMs) {
        await workShare.next();
        turnEndMs = performance.now() + TURN_MS;
      }
      if (!batch.isFull) continue;
      await flush();
      if (onDisk.rows > 0) yield onDisk;
    }
  }
  await flush();
  await commit;
  return { success: counts.failed === 0, ...counts, errors, ...notes, newestTs: batch.newestTs };
}

/** Converts errors of the parsers for invalid input to errors for the caller. */
async function* readable(groups: AsyncGenerator<Iterable<Row>>): AsyncGenerator<Iterable<Row>> {
  try {
    yield* groups;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw invalid("import.malformed", { reason: error instanceof Error ? reasonExcerpt(error.message) : "" });
  }
}
