import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { detail } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { FieldErrors } from "./field.errors.ts";
import type { FieldEntry } from "./field.types.ts";

/** Table of entries: one line per entry, with columns named after the entry's fields. */
export interface EntryMap<Entry> {
  readonly entries: readonly Entry[];
  readonly problems: ReadonlyArray<{ readonly line: number; readonly problem: Text }>;
}

export interface EntryMapRules<Entry> {
  readonly errors: Pick<FieldErrors, "csvUnreadable" | "mapColumn" | "keyTwice" | "mapEntries">;
  readonly schema: TSchema;
  readonly entriesMax: number;
  /** Defaults of fields without a column. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Converts a row of another known table format to an entry's columns. */
  rowOf?(row: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Parses the text of a field's column. */
  fieldOf(name: string, text: string): unknown;
  /** Returns the problem of an entry with valid fields, if any. */
  problemOf(entry: Entry): Text | undefined;
}

export const isYes = (text: string): boolean => /^(true|yes|ja|1|rw|w)$/i.test(text);

/** Max. characters per line. */
const LINE_CHARACTERS_MAX = 10_000;
/** Max. lines read: a map has at most 500 entries, and longer tables would block other requests. */
const LINES_MAX = 1_000;

interface Row {
  /** Line number, from 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, string>>;
}

const isRow = (row: unknown): row is { record: Record<string, string>; info: { lines: number } } =>
  isJsonObject(row) && isJsonObject(row.record) && isJsonObject(row.info);

async function rowsOf(csv: string, errors: Pick<FieldErrors, "csvUnreadable">): Promise<Row[]> {
  const { parse } = await import("csv-parse/sync"); // loaded when needed, not at every start
  const [head = ""] = /\S.*/.exec(csv) ?? [];
  try {
    const rows: unknown = parse(csv, {
      bom: true,
      columns: (names: string[]) => names.map((name) => name.trim()),
      delimiter: head.includes(";") ? ";" : head.includes("\t") ? "\t" : ",",
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
      to: LINES_MAX + 1,
      max_record_size: LINE_CHARACTERS_MAX,
      trim: true,
    });
    if (!Array.isArray(rows)) return [];
    return rows.filter(isRow).map(({ record, info }) => ({ line: info.lines, fields: record }));
  } catch (error) {
    throw errors.csvUnreadable(error instanceof Error ? error.message : String(error));
  }
}

/** Returns a reader of maps. The reader throws a DomainError `invalid` if the text is not a table. */
export function entryMapReader<Entry extends FieldEntry>(rules: EntryMapRules<Entry>) {
  const { errors, entriesMax, defaults = {}, rowOf = (row) => row, fieldOf, problemOf } = rules;
  const check = TypeCompiler.Compile(rules.schema);

  /** Returns the entry of a line, or the problem of the line. */
  function entryOf(row: Readonly<Record<string, string>>): Entry | Text {
    const fields = Object.entries(rowOf(row))
      .filter(([, text]) => text !== "")
      .map(([name, text]) => [name, fieldOf(name, text)] as const);
    const entry: unknown = { ...defaults, ...Object.fromEntries(fields) };
    const wrong = check.Errors(entry).First();
    if (wrong !== undefined) return errors.mapColumn(wrong.path.slice(1));
    return problemOf(entry as Entry) ?? (entry as Entry); // just checked by the schema
  }

  return async (csv: string): Promise<EntryMap<Entry>> => {
    const entries: Entry[] = [];
    const problems: { line: number; problem: Text }[] = [];
    const keys = new Set<string>();
    for (const [index, { line, fields }] of (await rowsOf(csv, errors)).entries()) {
      if (index === LINES_MAX) {
        problems.push({ line, problem: detail("field.map_lines", { max: LINES_MAX }) });
        break;
      }
      const entry = entryOf(fields);
      if ("code" in entry) problems.push({ line, problem: entry });
      else if (keys.has(entry.key)) problems.push({ line, problem: errors.keyTwice() });
      else if (entries.length >= entriesMax) problems.push({ line, problem: errors.mapEntries(entriesMax) });
      else {
        keys.add(entry.key);
        entries.push(entry);
      }
    }
    return { entries, problems };
  };
}
