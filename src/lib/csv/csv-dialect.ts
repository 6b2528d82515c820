import type { Text } from "../texts/text.ts";

/*
 * How people and spreadsheets write CSV in different countries: delimiters, decimal signs and digit grouping.
 */

const DELIMITERS = [",", ";", "\t", "|"] as const;
export type CsvDelimiter = (typeof DELIMITERS)[number];

export const isDelimiter = (text: string): text is CsvDelimiter =>
  (DELIMITERS as readonly string[]).includes(text);

export type DecimalSign = "point" | "comma";

/** Column separator, decimal sign, and the zone of times without a zone. */
export interface CsvDialect {
  readonly delimiter: CsvDelimiter;
  readonly decimal: DecimalSign;
  /** False if the decimal sign is inferred from the delimiter. */
  readonly isDecimalGiven: boolean;
  /** IANA name. */
  readonly timezone: string;
}

/** Number of characters searched for the delimiter. */
const SHOWN_CHARACTERS = 16_384;

/** Returns the most frequent delimiter at the beginning of the first line, outside of quotes. */
export function delimiterOf(text: string): CsvDelimiter {
  const supported: readonly string[] = DELIMITERS;
  const counts = DELIMITERS.map(() => 0);
  let isQuoted = false;
  for (const char of text.slice(0, SHOWN_CHARACTERS)) {
    if (char === '"')
      isQuoted = !isQuoted; // a doubled one leaves the quotes and enters them again
    else if (!isQuoted && (char === "\n" || char === "\r")) break;
    const index = isQuoted ? -1 : supported.indexOf(char);
    if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
  }
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** Completes a dialect from the header: if commas do not separate cells, numbers may have decimal commas. */
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

/** Returns whether a cell consists of digits with at most one point between them, like most cells of large files. */
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

/** Numbers with groups of thousands, by decimal sign: separated by the other sign, an apostrophe (Switzerland) or a space. */
const grouping = {
  comma:
    /^[+-]?[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,}|(['\u2019 \u00a0\u202f])\d{3}(?:\1\d{3})*(?:,\d+)?)$/,
  point:
    /^[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,}|(['\u2019 \u00a0\u202f])\d{3}(?:\1\d{3})*(?:\.\d+)?)$/,
} as const;

/**
 * Parses `21,5` and `1.234,5` with decimal commas, `21.5` with either sign, `1,234.5` with decimal points, and `1'234` and `1 234`. A single group
 * of thousands (`1,234`) is not a number, because it is ambiguous.
 */
export function csvNumber(cell: string, decimal: DecimalSign): number | undefined {
  if (isPlainNumber(cell)) return Number(cell);
  const plain = grouping[decimal].test(cell)
    ? cell.replaceAll(decimal === "comma" ? /[.'\u2019 \u00a0\u202f]/g : /[,'\u2019 \u00a0\u202f]/g, "")
    : cell;
  const text = decimal === "comma" ? plain.replace(",", ".") : plain;
  const number = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Pattern of a number in the notation of any country. */
const NUMBER_LIKE = /^[+-]?(\d+[.,]\d+|\d{1,3}([.,'\u2019 \u00a0\u202f]\d{3})+([.,]\d+)?)$/;

/** Reason why a cell that resembles a number cannot be parsed as one. It must not silently become a text. */
export class UnclearNumber {
  readonly rule: Text;
  /** True if the decimal sign of the file would decide it. */
  readonly isAboutSign: boolean;

  constructor(rule: Text, { isAboutSign }: { isAboutSign: boolean }) {
    this.rule = rule;
    this.isAboutSign = isAboutSign;
  }
}

export const isNumberLike = (cell: string): boolean => NUMBER_LIKE.test(cell);
