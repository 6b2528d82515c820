import { firstInstant, zoneOffset } from "./calendar-interval.ts";
import type { Text } from "./texts/text.ts";

/*
 * How people and spreadsheets write CSV in different countries: separators of columns, decimal signs, and times without a zone.
 */

const delimiters = [",", ";", "\t"] as const;
export type CsvDelimiter = (typeof delimiters)[number];
export type DecimalSign = "point" | "comma";

/** Describes what separates the columns, the decimal sign of numbers, and the zone of times that name none. */
export interface CsvDialect {
  readonly delimiter: CsvDelimiter;
  readonly decimal: DecimalSign;
  /** `false` if the decimal sign is inferred from the delimiter. */
  readonly isDecimalGiven: boolean;
  /** IANA name. */
  readonly timezone: string;
}

/** Returns the delimiter that occurs most often in the first line, outside of quotes. */
export function delimiterOf(text: string): CsvDelimiter {
  const supported: readonly string[] = delimiters;
  const counts = delimiters.map(() => 0);
  let isQuoted = false;
  for (const char of text) {
    if (char === '"')
      isQuoted = !isQuoted; // a doubled one leaves the quotes and enters them again
    else if (!isQuoted && (char === "\n" || char === "\r")) break;
    const index = isQuoted ? -1 : supported.indexOf(char);
    if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
  }
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** Completes a dialect from the header: where commas do not separate the cells, numbers may have decimal commas. */
export function dialectOf(
  header: string,
  options: {
    readonly delimiter?: CsvDelimiter | undefined;
    readonly decimal?: DecimalSign | undefined;
    readonly timezone?: string | undefined;
  },
): CsvDialect {
  const delimiter = options.delimiter ?? delimiterOf(header);
  const { decimal = delimiter === "," ? "point" : "comma", timezone = "UTC" } = options;
  return { delimiter, decimal, isDecimalGiven: options.decimal !== undefined, timezone };
}

const ZERO = 48;
const NINE = 57;
const POINT = 46;
const PLAIN_LENGTH_MAX = 100;

/** Returns whether a cell has only digits and at most one point between them. Most cells of a large file are like that. */
function isPlainNumber(cell: string): boolean {
  const last = cell.length - 1;
  let points = 0;
  for (let index = 0; index <= last; index++) {
    const code = cell.charCodeAt(index);
    if (code >= ZERO && code <= NINE) continue;
    if (code !== POINT || ++points > 1 || index === 0 || index === last) return false;
  }
  return last >= 0 && last < PLAIN_LENGTH_MAX;
}

/** `21,5` and `1.234,5` are numbers with decimal commas, `21.5` in either case, `1,234.5` with decimal points. */
export function csvNumber(cell: string, decimal: DecimalSign): number | undefined {
  if (isPlainNumber(cell)) return Number(cell);
  const isComma = decimal === "comma";
  const grouped = isComma ? /^[+-]?\d{1,3}(\.\d{3})+,\d+$/ : /^[+-]?\d{1,3}(,\d{3})+\.\d+$/;
  const plain = grouped.test(cell) ? cell.replaceAll(isComma ? "." : ",", "") : cell;
  const text = isComma ? plain.replace(",", ".") : plain;
  const number = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Pattern of a number as any country writes it. */
const numberLike = /^[+-]?(\d+[.,]\d+|\d{1,3}([.,' \u00a0\u202f]\d{3})+([.,]\d+)?)$/;

/** Reason why a cell that looks like a number cannot be read as one. It must not silently become a text. */
export class UnclearNumber {
  readonly rule: Text;
  /** `true` if the cell is a number once the decimal sign of the file is known. */
  readonly isAboutSign: boolean;

  constructor(rule: Text, { isAboutSign }: { isAboutSign: boolean }) {
    this.rule = rule;
    this.isAboutSign = isAboutSign;
  }
}

export const isNumberLike = (cell: string): boolean => numberLike.test(cell);

const isoLocal = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]+(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?$/;
const dayFirst = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?$/;
/** Clocks change at quarters of an hour: within one the offset is the same. */
const QUARTER_MS = 900_000;

/** The wall clock that a text shows, as if it were UTC; undefined for a text that names a zone or is no such time. */
function wallOf(text: string): number | undefined {
  const iso = isoLocal.exec(text);
  const found = iso ?? dayFirst.exec(text);
  if (found === null) return undefined;
  const [, a = "", month = "", b = "", hour = "0", minute = "0", second = "0", fraction = "0"] = found;
  const [year, day] = iso === null ? [b, a] : [a, b];
  const ms = Math.floor(Number(`0.${fraction}`) * 1000);
  const wall = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    ms,
  );
  const date = new Date(wall);
  // The 31st of February and 25 o'clock are no times, though Date takes them.
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isReal && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 ? wall : undefined;
}

/** Reads times that name no zone (`2026-01-05 10:00`, `05.01.2026 10:00`) in the zone, as epoch ms; other texts are given back. */
export function createCsvClock(timezone: string): (cell: string) => number | string {
  const offset = zoneOffset(timezone);
  let quarter = Number.NaN;
  let shift = 0;
  return (cell) => {
    const wall = wallOf(cell);
    if (wall === undefined) return cell;
    const start = Math.floor(wall / QUARTER_MS) * QUARTER_MS;
    if (start !== quarter) [quarter, shift] = [start, start - firstInstant(start, offset)];
    return wall - shift;
  };
}
