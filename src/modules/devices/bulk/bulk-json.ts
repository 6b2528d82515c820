import { invalid, tooLarge } from "../../../lib/core/domain-error.ts";
import { isJsonObject } from "../../../lib/json/json.ts";
import { deeper } from "../../../lib/json/json-depth.ts";
import { ensureShape, JSON_OBJECTS_MAX } from "../../../lib/json/json-shape.ts";
import { decodeText, endOfString, parseJson } from "../../../lib/json/sent-json.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { BulkRow } from "./bulk.types.ts";

/** Characters read before other work gets its turn. */
const PART_CHARACTERS = 32 * 1024;
const ROW_CHARACTERS_MAX = 1024 * 1024;
/** Max. characters of the object outside the rows. */
const REST_CHARACTERS_MAX = 64 * 1024;
/** Name of the list's field, directly before the list. */
const FIELD = /"rows"\s{0,50}:\s{0,50}$/;
const FIELD_CHARACTERS_MAX = 120;
/** Number of open brackets around a row. */
const ROWS_DEPTH = 2;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;

const malformed = () => invalid("body.malformed", { format: "JSON" });

/** Moves from one bracket or comma of a JSON text to the next. */
class Scanner {
  readonly text: string;
  index = -1;
  /** Number of open brackets. */
  depth = 0;
  #objects = 0;
  #paused = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Moves to the next bracket or comma. Returns false at the end. @throws DomainError `body.malformed` or `body.too_many_objects` */
  next(): boolean {
    while (++this.index < this.text.length) {
      const code = this.text.charCodeAt(this.index);
      const change = deeper(code);
      if (change !== 0) this.#turn(change);
      if (change !== 0 || code === COMMA) return true;
      if (code === QUOTE) this.index = endOfString(this.text, this.index) - 1;
      if (this.index < 0) throw malformed();
    }
    return false;
  }

  #turn(change: number): void {
    this.depth += change;
    if (change > 0 && ++this.#objects > JSON_OBJECTS_MAX)
      throw tooLarge("body.too_many_objects", { max: JSON_OBJECTS_MAX });
  }

  get isAtList(): boolean {
    const { text, index, depth } = this;
    if (depth !== ROWS_DEPTH || text.charCodeAt(index) !== OPENING_BRACKET) return false;
    return FIELD.test(text.slice(Math.max(0, index - FIELD_CHARACTERS_MAX), index));
  }

  /** Whether another row follows. */
  get isBehindRow(): boolean {
    return this.depth === ROWS_DEPTH && this.text.charCodeAt(this.index) === COMMA;
  }

  /** Lets other work run once enough characters were read; undefined if no pause is due. */
  pause(): Promise<void> | undefined {
    if (this.index - this.#paused < PART_CHARACTERS) return undefined;
    this.#paused = this.index;
    return workShare.pause();
  }
}

function parse(text: string): unknown {
  ensureShape(text);
  try {
    return parseJson(text);
  } catch {
    throw malformed();
  }
}

/** Adds rows from a text in which commas separate them. */
function addRows(rows: BulkRow[], text: string): void {
  if (text.length > PART_CHARACTERS + ROW_CHARACTERS_MAX)
    throw tooLarge("bulk.row_too_large", { row: rows.length + 1, max: ROW_CHARACTERS_MAX });
  const added = parse(`[${text}]`);
  if (!Array.isArray(added) || added.length === 0) throw malformed();
  if (!added.every(isJsonObject)) throw invalid("bulk.rows_missing");
  for (const row of added) rows.push(row);
}

/** Moves the scanner past the list. Returns the rows, and the end position of the last part. */
async function readList(scanner: Scanner): Promise<{ rows: BulkRow[]; end: number }> {
  const rows: BulkRow[] = [];
  const { text } = scanner;
  const begin = scanner.index + 1;
  let start = begin;
  while (scanner.depth >= ROWS_DEPTH && scanner.next()) {
    const isLast = scanner.depth < ROWS_DEPTH;
    if (isLast || (scanner.isBehindRow && scanner.index - start >= PART_CHARACTERS)) {
      const part = text.slice(start, scanner.index);
      if (!isLast || start > begin || part.trim() !== "") addRows(rows, part);
      start = scanner.index + 1;
    }
    const turn = scanner.pause();
    if (turn) await turn;
  }
  return { rows, end: start - 1 };
}

/**
 * Parses a list of devices as JSON, `{rows: [{…}]}`, in parts that let other work run in between.
 * @throws DomainError `body.malformed`, `body.too_many_objects`, `body.too_many_names`, `bulk.row_too_large` or `bulk.rows_missing`
 */
export async function parseRows(bytes: Uint8Array): Promise<BulkRow[]> {
  const scanner = new Scanner(decodeText(bytes));
  const { text } = scanner;
  while (scanner.next() && !scanner.isAtList) {
    const turn = scanner.pause();
    if (turn) await turn;
  }
  const begin = scanner.index + 1;
  const { rows, end } = await readList(scanner);
  ensureRest(text.slice(0, begin) + text.slice(end));
  return rows;
}

/** Refuses a body that is not exactly an object with a list of rows. */
function ensureRest(rest: string): void {
  const body = rest.length > REST_CHARACTERS_MAX ? undefined : parse(rest);
  // Rows here mean that the field occurs twice: JSON.parse would use these, not those already read.
  if (!isJsonObject(body) || !Array.isArray(body.rows) || body.rows.length > 0)
    throw invalid("bulk.rows_missing");
}
