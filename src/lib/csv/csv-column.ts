import { detail } from "../core/domain-error.ts";
import { exactInteger } from "../json/exact-integer.ts";
import { isMissingMarker } from "../json/missing-value.ts";
import { excerpt } from "../strings/excerpt.ts";
import { unguarded } from "./csv-cell.ts";
import { type CsvDialect, csvNumber, isNumberLike, UnclearNumber } from "./csv-dialect.ts";

/*
 * Resolves cells that are ambiguous on their own by the other cells of the column. `1.234` is 1.234 or, with decimal commas, 1234; `12,3abc` is a
 * string or a typing error. What the column leaves ambiguous is refused, because a guess would store values that are wrong by a factor of 1000. `NA` is missing in a column of numbers, and a string in a column of strings. `007` belongs to a column of identifiers unless the column contains
 * measured values (decimals or signs). Identifiers are strings, as are integers that a number cannot represent exactly. `45 %` is 45 in a column of
 * percentages.
 */

const GROUPED_BY_POINT = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;
/** Number followed by a unit or other letters. Versions, dates and addresses do not match. */
const NUMBER_WITH_TAIL = /^[+-]?\d+(?:[.,]\d+)?\s*[\p{L}°%]/u;

/** A cell without a value, such as NA. */
export const MISSING = Symbol("missing");

type CsvValue = number | boolean | string | UnclearNumber | typeof MISSING | undefined;

const PERCENTAGE = / ?%$/;
const PADDED = /^0\d+$/;
const DIGITS_ONLY = /^\d+$/;
/** Max. digits of integers that are exact. */
const EXACT_DIGITS_MAX = 15;

const ZERO = 48;
const PERCENT = 37;

const isPadded = (cell: string): boolean => cell.charCodeAt(0) === ZERO && PADDED.test(cell);

const isInexact = (cell: string): boolean =>
  cell.length > EXACT_DIGITS_MAX &&
  /^[+-]?\d+$/.test(cell) &&
  typeof exactInteger(cell.replace("+", "")) === "string";

/** Reads the cells of one column. */
export class CsvColumn {
  readonly #dialect: CsvDialect;
  readonly #signs = { comma: false, point: false };
  #numbers = 0;
  #texts = 0;
  #truthValues = 0;
  #percentages = 0;
  #padded = 0;
  /** Whether decimals or signs have been seen. */
  #isMeasured = false;
  /** Determined when the first cell is read. */
  #isOfIdentifiers: boolean | undefined;
  /** Most recently parsed cell and its number: a cell is usually observed and then read. */
  #lastCell = "";
  #lastNumber: number | undefined;

  constructor(dialect: CsvDialect) {
    this.#dialect = dialect;
  }

  /** Observes a cell. Call it once per cell, before the cell is read. */
  observe(cell: string): void {
    if (cell === "") return;
    if (this.#numberOf(cell) !== undefined) this.#observeNumberCell(cell);
    else if (cell === "true" || cell === "false") this.#truthValues++;
    else if (this.#percentageOf(cell) !== undefined) this.#percentages++;
    else if (!isMissingMarker(cell)) this.#texts++;
  }

  #observeNumberCell(cell: string): void {
    this.#numbers++;
    if (isPadded(cell)) this.#padded++;
    else if (!this.#isMeasured)
      this.#isMeasured = this.#isOfIdentifiers === undefined && !DIGITS_ONLY.test(cell);
    if (this.#dialect.decimal === "point" || GROUPED_BY_POINT.test(cell)) return;
    if (cell.includes(",")) this.#signs.comma = true;
    else if (cell.includes(".")) this.#signs.point = true;
  }

  /** Observes a cell with a plain number, which has the decimal sign of the dialect if it has decimals. */
  observeNumber(hasDecimals: boolean): void {
    this.#numbers++;
    if (hasDecimals) this.#isMeasured = true;
    if (hasDecimals && this.#dialect.decimal === "comma") this.#signs.comma = true;
  }

  /** Returns whether plain numbers of this column can be taken literally. */
  get isPlain(): boolean {
    return this.#padded === 0 && this.#percentages === 0;
  }

  /** Returns a number or a boolean, otherwise a text; undefined for an empty cell. */
  read(cell: string): CsvValue {
    this.#isOfIdentifiers ??= this.#padded > 0 && !this.#isMeasured;
    if (cell === "") return undefined;
    const { decimal } = this.#dialect;
    if (decimal === "comma" && GROUPED_BY_POINT.test(cell)) return this.#readGrouped(cell);
    const number = this.#numberOf(cell);
    if (number !== undefined) return this.#readNumber(cell, number);
    if (cell === "true" || cell === "false") return cell === "true";
    if (isNumberLike(cell))
      return new UnclearNumber(
        detail("rule.number_sign", { cell: excerpt(cell), sign: detail(`decimal_sign.${decimal}`) }),
        { isAboutSign: true },
      );
    return this.#readText(cell);
  }

  #readNumber(cell: string, number: number): number | string | UnclearNumber {
    const isIdentifier = this.#isOfIdentifiers ? DIGITS_ONLY.test(cell) : isPadded(cell) && !this.#isMeasured;
    if (isIdentifier || isInexact(cell)) return cell;
    return this.#percentages > this.#numbers ? mixedPercentage(cell) : number;
  }

  #readText(cell: string): CsvValue {
    const isOfNumbers = this.#numbers + this.#percentages > this.#texts;
    const percent = this.#percentageOf(cell);
    if (percent !== undefined) return this.#numbers >= this.#percentages ? mixedPercentage(cell) : percent;
    const hasValues = this.#texts + this.#truthValues > 0;
    if ((isOfNumbers || !hasValues) && isMissingMarker(cell)) return MISSING;
    if (isOfNumbers && NUMBER_WITH_TAIL.test(cell))
      return new UnclearNumber(detail("rule.number_in_column", { cell: excerpt(cell) }), {
        isAboutSign: false,
      });
    return unguarded(cell);
  }

  #percentageOf(cell: string): number | undefined {
    if (cell.charCodeAt(cell.length - 1) !== PERCENT) return undefined;
    return csvNumber(cell.replace(PERCENTAGE, ""), this.#dialect.decimal);
  }

  #numberOf(cell: string): number | undefined {
    if (cell === this.#lastCell) return this.#lastNumber;
    this.#lastCell = cell;
    this.#lastNumber = csvNumber(cell, this.#dialect.decimal);
    return this.#lastNumber;
  }

  /** Reads a group of thousands in a column with decimal commas, or a decimal number in a column with decimal points. */
  #readGrouped(cell: string): number | UnclearNumber {
    const { comma, point } = this.#signs;
    const thousands = Number(cell.replace(".", ""));
    if (comma !== point) return comma ? thousands : Number(cell);
    if (!point && this.#dialect.isDecimalGiven) return thousands;
    return new UnclearNumber(
      detail("rule.number_two_ways", {
        cell,
        decimal: Number(cell),
        grouped: thousands,
        decimalText: cell.replace(".", ","),
        groupedText: cell.replace(".", ""),
      }),
      { isAboutSign: true },
    );
  }
}

const mixedPercentage = (cell: string) =>
  new UnclearNumber(detail("rule.percent_mixed", { cell: excerpt(cell) }), { isAboutSign: false });

/** Number of sampled rows that show the format of the numbers in each column. */
const SAMPLE_ROWS = 1_000;
const SAMPLE_CHARACTERS_MAX = 1024 * 1024;

/** Columns of a file that is read as a stream. The first rows are held back until they show the format of the numbers. */
export class CsvColumns {
  readonly #dialect: CsvDialect;
  readonly #columns: CsvColumn[] = [];
  /** `undefined` once the sample is complete. */
  #held: string[][] | undefined = [];
  #sampleRows = 0;
  #sampleCharacters = 0;

  constructor(dialect: CsvDialect) {
    this.#dialect = dialect;
  }

  /** Returns whether rows of plain numbers can skip `read`. */
  get areNumbersPlain(): boolean {
    return (
      this.#held === undefined && this.#columns.every((column) => column === undefined || column.isPlain)
    );
  }

  /** Observes a plain number of a row whose other cells are counted together. */
  observeNumber(column: number, hasDecimals: boolean): void {
    this.#columnAt(column).observeNumber(hasDecimals);
  }

  /** Reads a cell of a returned row. */
  read(cell: string, column: number): CsvValue {
    return this.#columnAt(column).read(cell);
  }

  /** Adds the next row. Returns the rows that can now be read, in order. */
  add(cells: string[]): readonly string[][] {
    for (let index = 0; index < cells.length; index++) this.#columnAt(index).observe(cells[index] ?? "");
    if (this.#held === undefined) return [cells];
    this.#held.push(cells);
    let characters = 0;
    for (const cell of cells) characters += cell.length;
    return this.#extendSample(1, characters) ? this.rest() : [];
  }

  /** Returns whether the sample is complete. */
  #extendSample(rows: number, characters: number): boolean {
    this.#sampleRows += rows;
    this.#sampleCharacters += characters;
    return this.#sampleRows >= SAMPLE_ROWS || this.#sampleCharacters >= SAMPLE_CHARACTERS_MAX;
  }

  /** Returns the remaining rows at the end of the file. */
  rest(): readonly string[][] {
    const held = this.#held ?? [];
    this.#held = undefined;
    return held;
  }

  #columnAt(index: number): CsvColumn {
    const column = this.#columns[index] ?? new CsvColumn(this.#dialect);
    this.#columns[index] = column;
    return column;
  }
}
