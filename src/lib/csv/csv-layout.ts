import { invalid } from "../core/domain-error.ts";
import { excerpt } from "../strings/excerpt.ts";
import { readEpoch } from "../time/timestamp.ts";
import { parseWrittenTime } from "../time/written-time.ts";

/*
 * Detects the columns of a file of sensor data. The time column is the first of these that exists: the requested column, a column with a typical
 * name, the first column with dates and times of day, a column of dates joined with a column of times of day, or a column of rising epochs.
 * Other numbers do not count, because serial numbers and counters can look like epochs.
 */

export interface ColumnChoice {
  /** Name or number (from 1) of the time column. */
  readonly time?: string | undefined;
  /** Names or numbers of columns to leave out. */
  readonly skip?: readonly string[] | undefined;
  /** Column that names the device. */
  readonly device?: string | undefined;
}

export interface CsvLayout {
  readonly names: readonly string[];
  readonly timeColumn: number;
  /** Column with the time of day, if the time column contains only dates. */
  readonly clockColumn: number | undefined;
  readonly deviceColumn: number | undefined;
  /** Key of each column; undefined for columns without values. */
  readonly keys: readonly (string | undefined)[];
  /** Omitted columns without a name. */
  readonly unnamed: readonly number[];
}

/** Names of time columns in exports of common programs. */
const TIME_NAMES: ReadonlySet<string> = new Set([
  ...[
    "ts",
    "time",
    "timestamp",
    "_time",
    "date",
    "datetime",
    "date time",
    "date/time",
    "date_time",
    "start_time",
  ],
  ...[
    "zeit",
    "zeitstempel",
    "datum",
    "datum/zeit",
    "datum zeit",
    "datumzeit",
    "uhrzeit",
    "zeitpunkt",
    "epoch",
  ],
]);
/** Number of sampled rows that show the content of a column. */
const SAMPLE_ROWS = 50;
const NAMES_SHOWN_MAX = 300;

/** Time of day. Points are accepted only with seconds, because `18.00` is a number. */
const TIME_OF_DAY = /^\d\d?(?::\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?|\.[0-5]\d\.[0-5]\d)$/i;

type Content = "moments" | "days" | "times of day" | "epochs" | "other";

function contentOfCell(cell: string, now: number): Content {
  if (/^\d+([.,]\d+)?$/.test(cell))
    return typeof readEpoch(Number(cell.replace(",", ".")), now) === "number" ? "epochs" : "other";
  if (TIME_OF_DAY.test(cell)) return "times of day";
  const written = parseWrittenTime(cell);
  if (written === "form") return "other";
  // A date counts as a date even if day and month are ambiguous.
  if (typeof written === "string") return /\d:\d/.test(cell) ? "moments" : "days";
  return written.hasTime ? "moments" : "days";
}

/** Returns the kind of nearly all cells of the column; `other` for an empty column. */
function contentOf(rows: readonly (readonly string[])[], column: number, now: number): Content {
  const counts = new Map<Content, number>();
  let total = 0;
  for (const row of rows) {
    const cell = row[column] ?? "";
    if (cell === "") continue;
    const content = contentOfCell(cell, now);
    counts.set(content, (counts.get(content) ?? 0) + 1);
    total++;
  }
  for (const [content, count] of counts) if (count > total / 2) return content;
  return "other";
}

const plainName = (name: string): string => name.trim().toLowerCase();

/** Returns the names as a list for a message. */
const shown = (names: readonly string[]): string => excerpt(names.join(", "), NAMES_SHOWN_MAX);

/** Finds a column by its name or its number. @throws DomainError `import.column_missing` */
function columnOf(names: readonly string[], wanted: string): number {
  const byName = names.indexOf(wanted);
  if (byName >= 0) return byName;
  const byPlainName = names.findIndex((name) => plainName(name) === plainName(wanted));
  const byNumber = /^\d{1,4}$/.test(wanted) ? Number(wanted) - 1 : -1;
  const index = byPlainName >= 0 ? byPlainName : byNumber;
  if (index < 0 || index >= names.length)
    throw invalid("import.column_missing", { name: excerpt(wanted), columns: shown(names) });
  return index;
}

/** Completes a header that is one cell shorter than all rows: statistics programs omit the header of row names. */
function aligned(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const hasRowNames =
    rows.length > 0 &&
    rows.every((row) => row.length === header.length + 1) &&
    rows.some((row) => row.at(-1) !== "");
  return hasRowNames ? ["", ...header] : header;
}

/** Returns whether the numbers increase from row to row, like a clock. */
function isRising(rows: readonly (readonly string[])[], column: number): boolean {
  const numbers = rows.map((row) => Number(row[column])).filter((number) => !Number.isNaN(number));
  return (
    numbers.length > 1 && numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))
  );
}

function findTime(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  now: number,
): Pick<CsvLayout, "timeColumn" | "clockColumn"> | undefined {
  const contents = names.map((_, column) => contentOf(rows, column, now));
  const named = names.map((name) => TIME_NAMES.has(plainName(name)));
  const find = (fits: (column: number) => boolean): number | undefined => {
    const column = names.findIndex((_, index) => fits(index));
    return column < 0 ? undefined : column;
  };
  const moments =
    find((column) => named[column] === true && ["moments", "epochs"].includes(contents[column] ?? "")) ??
    find((column) => contents[column] === "moments");
  if (moments !== undefined) return { timeColumn: moments, clockColumn: undefined };
  const days =
    find((column) => named[column] === true && contents[column] === "days") ??
    find((column) => contents[column] === "days");
  if (days !== undefined) {
    const isClock = (column: number) => contents[column] === "times of day";
    const clock =
      find((column) => isClock(column) && named[column] === true) ??
      find((column) => isClock(column) && column > days) ??
      find(isClock);
    return { timeColumn: days, clockColumn: clock };
  }
  const other =
    find((column) => named[column] === true) ??
    find((column) => contents[column] === "epochs" && isRising(rows, column));
  return other === undefined ? undefined : { timeColumn: other, clockColumn: undefined };
}

/**
 * Determines the columns of a file from its header and its first rows.
 * @throws DomainError `import.time_missing`, `import.column_missing`, `import.column_twice` or `import.no_values`
 */
export function settleLayout(
  header: readonly string[],
  firstRows: readonly (readonly string[])[],
  choice: ColumnChoice & { readonly now: number },
): CsvLayout {
  const rows = firstRows.slice(0, SAMPLE_ROWS);
  const names = aligned(header, rows);
  const skipped = new Set((choice.skip ?? []).flatMap((wanted) => columnsOf(names, wanted)));
  const deviceColumn = choice.device === undefined ? undefined : columnOf(names, choice.device);
  const time = timeOf(names, rows, choice);
  const left = new Set([...skipped, time.timeColumn, time.clockColumn, deviceColumn]);
  const values = [...names.keys()].filter((column) => !left.has(column));
  const unnamed = values.filter((column) => names[column] === "");
  const named = values.filter((column) => names[column] !== "");
  const taken = new Set<string>();
  const keys: (string | undefined)[] = names.map(() => undefined);
  for (const column of named) {
    const name = names[column] ?? "";
    if (taken.has(name)) throw invalid("import.column_twice", { name: excerpt(name) });
    taken.add(name);
    keys[column] = name;
  }
  if (taken.size === 0) throw invalid("import.no_values", { columns: shown(names) });
  return { names, ...time, deviceColumn, keys, unnamed };
}

/** Returns the columns with this name: a duplicate header name selects all of them. */
function columnsOf(names: readonly string[], wanted: string): readonly number[] {
  const all = [...names.keys()].filter((column) => names[column] === wanted);
  return all.length > 0 ? all : [columnOf(names, wanted)];
}

function timeOf(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { time, now }: ColumnChoice & { readonly now: number },
): Pick<CsvLayout, "timeColumn" | "clockColumn"> {
  if (time === undefined) {
    const found = findTime(names, rows, now);
    if (found === undefined) throw invalid("import.time_missing", { columns: shown(names) });
    return found;
  }
  const timeColumn = columnOf(names, time);
  if (contentOf(rows, timeColumn, now) !== "days") return { timeColumn, clockColumn: undefined };
  const found = names.findIndex(
    (_, column) => column !== timeColumn && contentOf(rows, column, now) === "times of day",
  );
  return { timeColumn, clockColumn: found < 0 ? undefined : found };
}
