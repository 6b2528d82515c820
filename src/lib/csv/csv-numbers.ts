import type { CsvDialect } from "./csv-dialect.ts";

/*
 * Reads rows of numbers from the bytes of a CSV file without creating a string per cell. Most rows of large files are like that; the general reader
 * reads the others.
 */

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const MINUS = 45;
const ZERO = 48;
const DELETE = 127;

/** Max. digits for which both the number without its decimal sign and the dividing power of ten are exact, so the quotient is rounded only once. */
const DIGITS_MAX = 15;
const powersOfTen = Float64Array.from({ length: DIGITS_MAX + 1 }, (_, power) => Number(`1e${power}`));
const decoder = new TextDecoder();

interface NumberRowForm extends Pick<CsvDialect, "delimiter" | "decimal"> {
  /** Number of cells of every row. */
  readonly columns: number;
  /** Column whose cells may be texts. */
  readonly timeColumn: number;
}

/** Reads rows one after the other. Properties of a row are valid until the next one is read. */
export class NumberRows {
  /** Values of the row. NaN for an empty cell and for the time. */
  readonly cells: Float64Array;
  /** Whole number, or the unparsed cell. */
  time: number | string = 0;
  /** Number of decimals of each cell. */
  readonly decimals: Uint8Array;
  /** Start of the next row. */
  position = 0;
  readonly #timeColumn: number;
  readonly #delimiter: number;
  /** -1 if it equals the delimiter. */
  readonly #decimalSign: number;
  #bytes: Uint8Array = new Uint8Array(0);
  /** Index after the most recently parsed cell. */
  #index = 0;

  constructor({ columns, timeColumn, delimiter, decimal }: NumberRowForm) {
    this.cells = new Float64Array(columns).fill(Number.NaN);
    this.decimals = new Uint8Array(columns);
    this.#timeColumn = timeColumn;
    this.#delimiter = delimiter.charCodeAt(0);
    const decimalSign = decimal === "comma" ? "," : ".";
    this.#decimalSign = decimalSign === delimiter ? -1 : decimalSign.charCodeAt(0);
  }

  /** Continues with other bytes, at the start of a row. */
  open(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.position = 0;
  }

  /** Returns whether the next row is complete and consists of at least one number. Otherwise, the position is unchanged. */
  next(): boolean {
    this.#index = this.position;
    if (!this.#readCells()) return false;
    if (this.#bytes[this.#index] === RETURN) this.#index++;
    if (this.#bytes[this.#index++] !== NEWLINE) return false;
    this.position = this.#index;
    return true;
  }

  #readCells(): boolean {
    const { cells } = this;
    let hasNumber = false;
    for (let column = 0; column < cells.length; column++) {
      if (column > 0 && this.#bytes[this.#index++] !== this.#delimiter) return false;
      if (column === this.#timeColumn) {
        if (!this.#readTime()) return false;
        continue;
      }
      if (!this.#readNumber(column)) return false;
      hasNumber ||= !Number.isNaN(cells[column]);
    }
    return hasNumber;
  }

  #readNumber(column: number): boolean {
    const bytes = this.#bytes;
    let index = this.#index;
    if (this.#isEnd(bytes[index])) {
      this.cells[column] = Number.NaN;
      return true;
    }
    const isNegative = bytes[index] === MINUS;
    if (isNegative) index++;
    const start = index;
    let digits = 0;
    for (; isDigit(bytes[index]); index++) digits = digits * 10 + bytes[index]! - ZERO;
    let count = index - start;
    // Leading zeros may belong to an identifier.
    if (count > 1 && bytes[start] === ZERO) return false;
    let decimals = 0;
    if (count > 0 && bytes[index] === this.#decimalSign) {
      const from = ++index;
      for (; isDigit(bytes[index]); index++) digits = digits * 10 + bytes[index]! - ZERO;
      decimals = index - from;
      count = decimals === 0 ? 0 : count + decimals;
    }
    if (count === 0 || count > DIGITS_MAX || !this.#isEnd(bytes[index])) return false;
    this.decimals[column] = decimals;
    const number = decimals === 0 ? digits : digits / powersOfTen[decimals]!;
    this.cells[column] = isNegative ? -number : number;
    this.#index = index;
    return true;
  }

  #readTime(): boolean {
    const bytes = this.#bytes;
    const start = this.#index;
    let index = start;
    let digits = 0;
    for (; isDigit(bytes[index]); index++) digits = digits * 10 + bytes[index]! - ZERO;
    const isPadded = bytes[start] === ZERO && index > start + 1; // its zeros are quoted where it is refused
    const isNumber = index > start && index - start <= DIGITS_MAX && !isPadded && this.#isEnd(bytes[index]);
    while (!this.#isEnd(bytes[index])) if (!isTextByte(bytes[index++])) return false;
    // White space around a cell is left to the general reader.
    if (bytes[start] === SPACE || bytes[index - 1] === SPACE) return false;
    this.time = isNumber ? digits : decoder.decode(bytes.subarray(start, index));
    this.#index = index;
    return true;
  }

  /** Returns whether a byte ends a cell. */
  #isEnd(byte: number | undefined): boolean {
    return byte === this.#delimiter || byte === NEWLINE || byte === RETURN;
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= ZERO + 9;

/** Returns whether a byte is a printable ASCII character other than a quote. */
const isTextByte = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= SPACE && byte < DELETE && byte !== QUOTE;
